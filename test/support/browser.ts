import chromium from "@sparticuz/chromium";
import { type Browser, chromium as playwright } from "playwright-core";

/** A real, headless Chromium that comes with the packages: it needs nothing of the machine. */
export async function launchBrowser(): Promise<Browser> {
  return playwright.launch({
    executablePath: await chromium.executablePath(),
    args: [...chromium.args, "--disable-background-networking", "--no-first-run"],
    headless: true,
  });
}
