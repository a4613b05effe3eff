import {
  type Browser,
  type BrowserContext,
  type BrowserContextOptions,
  type Page,
  chromium as playwright,
} from "playwright-core";
import { chromiumPath } from "./chromium.ts";

/**
 * How long a page may take for one step, in ms: less than a test may, so that a failure names what did not come.
 * How fast the machine is must not decide, so it is far more than any step takes.
 */
const PATIENCE_MS = 60_000;

/**
 * A real, headless Chromium that comes with the packages: it needs nothing of the machine. It is started
 * as people's is, with many processes and the same-origin policy, so without the arguments that its
 * package proposes for small machines.
 */
export async function launchBrowser(): Promise<Browser> {
  return playwright.launch({ executablePath: await chromiumPath(), headless: true });
}

/** Somebody's window, with cookies of their own. */
export async function newWindow(browser: Browser, options?: BrowserContextOptions): Promise<BrowserContext> {
  const context = await browser.newContext(options);
  context.setDefaultTimeout(PATIENCE_MS);
  return context;
}

/** Begins a session in somebody's window as the page to sign in does, without showing that. */
export async function signInto(context: BrowserContext, home: string, username: string): Promise<void> {
  const answer = await context.request.post(`${home}/auth/login`, {
    data: { username, password: `${username}'s password` },
    headers: { origin: home },
  });
  if (!answer.ok())
    throw new Error(`${username} is not signed in: ${answer.status()} ${await answer.text()}`);
}

/** Makes a page's window as large as this, and waits until the page knows: of a new width it hears with the next frame. */
export async function resize(page: Page, width: number, height: number): Promise<void> {
  await page.setViewportSize({ width, height });
  await page.evaluate("new Promise((resolve) => requestAnimationFrame(resolve))");
}

/** Tells a page that its person came back to it: in a browser without a window none is ever hidden. */
export async function comeBack(page: Page): Promise<void> {
  await page.evaluate(`document.dispatchEvent(new Event("visibilitychange"))`);
}

/** Holds requests of a method to `path` until `release` is called. */
export async function hold(page: Page, method: string, path: RegExp): Promise<{ release: () => void }> {
  const { promise, resolve } = Promise.withResolvers<void>();
  await page.route(path, async (route) => {
    if (route.request().method() === method) await promise;
    await route.continue();
  });
  return { release: resolve };
}

/** What a page asks of others than its own server, from now on. */
export function strangersTo(page: Page, home: string): string[] {
  const strangers: string[] = [];
  page.on("request", (request) => {
    const url = request.url();
    if (!url.startsWith(`${home}/`) && !/^(?:data|blob):/.test(url)) strangers.push(url);
  });
  return strangers;
}

/** The errors of a page's scripts, and what its Content-Security-Policy kept it from, from now on. */
export function complaintsOf(page: Page): string[] {
  const complaints: string[] = [];
  page.on("pageerror", (error) => complaints.push(String(error)));
  page.on("console", (message) => {
    if (/Content.Security.Policy|Refused/i.test(message.text())) complaints.push(message.text());
  });
  return complaints;
}
