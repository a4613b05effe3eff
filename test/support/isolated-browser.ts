import chromium from "@sparticuz/chromium";
import { type Browser, chromium as playwright } from "playwright-core";

/** What the package starts Chromium with and people do not: one process for all, and no same-origin policy. */
const UNLIKE_PEOPLE = new Set([
  "--single-process",
  "--no-zygote",
  "--disable-web-security",
  "--disable-site-isolation-trials",
  "--allow-running-insecure-content",
]);

/** Like `launchBrowser`, for several people at once: their contexts share no cookies, and can be closed. */
export async function launchIsolatedBrowser(): Promise<Browser> {
  return playwright.launch({
    executablePath: await chromium.executablePath(),
    args: [
      ...chromium.args.filter((argument) => !UNLIKE_PEOPLE.has(argument)),
      "--disable-background-networking",
      "--no-first-run",
    ],
    headless: true,
  });
}
