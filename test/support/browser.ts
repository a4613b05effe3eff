import chromium from "@sparticuz/chromium";
import { type Browser, chromium as playwright } from "playwright-core";

/**
 * A real, headless Chromium that comes with the packages: it needs nothing of the machine. It is started
 * as people's is, with many processes and the same-origin policy, so without the arguments that its
 * package proposes for small machines.
 */
export async function launchBrowser(): Promise<Browser> {
  return playwright.launch({ executablePath: await chromium.executablePath(), headless: true });
}
