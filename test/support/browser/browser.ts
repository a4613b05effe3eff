import type { Browser, BrowserContext, BrowserContextOptions, Page } from "playwright-core";
import { chromium as playwright } from "playwright-core";
import { mkdtemp, rename, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import packageJson from "../../../package.json";

const HOME = join(tmpdir(), `coffer-chromium-${packageJson.devDependencies["@sparticuz/chromium"]}`);
const EXECUTABLE = join(HOME, "chromium");

/**
 * The path of the Chromium from the packages. The first test that needs it unpacks it. The package itself would use a file
 * that another process is still writing, or has left incomplete.
 */
async function chromiumPath(): Promise<string> {
  if (await Bun.file(EXECUTABLE).exists()) return EXECUTABLE;
  const draft = await mkdtemp(`${HOME}-`);
  try {
    await unpack(draft);
    await rename(draft, HOME);
  } catch (error) {
    await rm(draft, { recursive: true, force: true });
    // Another process was faster.
    if (!(await Bun.file(EXECUTABLE).exists())) throw error;
  }
  return EXECUTABLE;
}

/** In a separate process: the package unpacks to the directory for temporary files. */
async function unpack(directory: string): Promise<void> {
  const script = `import chromium from "@sparticuz/chromium"; await chromium.executablePath();`;
  const child = Bun.spawn([process.execPath, "-e", script], {
    cwd: import.meta.dir,
    env: { ...process.env, TMPDIR: directory },
    stdio: ["ignore", "ignore", "pipe"],
  });
  const stderr = await child.stderr.text();
  if ((await child.exited) !== 0) throw new Error(`Chromium was not unpacked: ${stderr}`);
}

/**
 * How long a page may take for one step, in milliseconds. Shorter than the timeout of a test, so that a failure names the
 * step. Far longer than any step needs, so that a slow machine does not matter.
 */
const PATIENCE_MS = 60_000;

/**
 * A real, headless Chromium from the packages; the machine needs none. It runs like a user's browser, with many
 * processes and the same-origin policy, so without the arguments that its package proposes for small machines.
 */
export async function launchBrowser(): Promise<Browser> {
  return playwright.launch({ executablePath: await chromiumPath(), headless: true, timeout: PATIENCE_MS });
}

let shared: Promise<Browser> | null = null;

/**
 * The browser of the test files that this process runs, one after another: to start one takes as long as a short test.
 * At the end of its scope it goes on, without the windows that were opened in it. It ends with the process.
 */
export async function borrowBrowser(): Promise<{ readonly browser: Browser } & AsyncDisposable> {
  const browser = await (shared ??= launchBrowser());
  return {
    browser,
    [Symbol.asyncDispose]: async () => {
      await Promise.all(browser.contexts().map((context) => context.close()));
    },
  };
}

/** A browser window with its own cookies. */
export async function newWindow(browser: Browser, options?: BrowserContextOptions): Promise<BrowserContext> {
  const context = await browser.newContext(options);
  context.setDefaultTimeout(PATIENCE_MS);
  return context;
}

/** Takes from a page what a test did to it. What it shows stays until it goes elsewhere: else it gets a new process. */
export async function renew(page: Page): Promise<void> {
  for (const event of ["request", "response", "dialog", "console", "pageerror"])
    page.removeAllListeners(event);
  await page.unrouteAll({ behavior: "ignoreErrors" });
  await page.mouse.move(0, 0);
  await page.emulateMedia({ media: null, colorScheme: null, reducedMotion: null });
}

/** Signs in in a window as the sign-in page does, without showing it. */
export async function signInto(context: BrowserContext, home: string, username: string): Promise<void> {
  const answer = await context.request.post(`${home}/auth/login`, {
    data: { username, password: `${username}'s password` },
    headers: { origin: home },
  });
  if (!answer.ok())
    throw new Error(`${username} is not signed in: ${answer.status()} ${await answer.text()}`);
}

/** Signs in on the page that asks for it. */
export async function signInAt(
  page: Page,
  username: string,
  password = `${username}'s password`,
): Promise<void> {
  await page.getByLabel("Username").fill(username);
  await page.getByLabel(/^Password/).fill(password);
  await page.getByRole("button", { name: "Sign in", exact: true }).click();
}

/** Waits until what was going to run has, or is on its way to somebody else. */
export async function nextFrame(page: Page): Promise<void> {
  await page.evaluate("new Promise((resolve) => requestAnimationFrame(() => setTimeout(resolve)))");
}

/** Resizes a page's window, and waits for the next frame: only then the page knows the new width. */
export async function resize(page: Page, width: number, height: number): Promise<void> {
  await page.setViewportSize({ width, height });
  await page.evaluate("new Promise((resolve) => requestAnimationFrame(resolve))");
}

/** Leads a page of ours to another address, as Forward does: that costs a fraction of loading it. */
export async function lead(page: Page, address: string): Promise<void> {
  await page.evaluate(`{
    history.pushState(crypto.randomUUID(), "", ${JSON.stringify(address)});
    dispatchEvent(new PopStateEvent("popstate"));
    new Promise((resolve) => setTimeout(resolve));
  }`);
}

/** Tells a page that its user came back to it: in a headless browser no page is ever hidden. */
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

/** Keeps the pages of a window from following what others do. */
export function withoutFeed(context: BrowserContext): Promise<unknown> {
  const error = { code: "FORBIDDEN", message: "There is no feed." };
  return context.route("**/v0/changes?*", (route) => route.fulfill({ status: 403, json: { error } }));
}

/** The requests of a page to other servers, from now on. */
export function strangersTo(page: Page, home: string): string[] {
  const strangers: string[] = [];
  page.on("request", (request) => {
    const url = request.url();
    if (!url.startsWith(`${home}/`) && !/^(?:data|blob):/.test(url)) strangers.push(url);
  });
  return strangers;
}

/** A site of somebody else's: one page, whatever is asked. */
export function startSite(html: string): Bun.Server<undefined> {
  const headers = { "content-type": "text/html" };
  return Bun.serve({ port: 0, hostname: "127.0.0.1", fetch: () => new Response(html, { headers }) });
}

/** What a page asks for at a path, from now on: the queries. */
export function queriesOf(page: Page, path: string): URLSearchParams[] {
  const queries: URLSearchParams[] = [];
  page.on("request", (request) => {
    const { pathname, searchParams } = new URL(request.url());
    if (pathname === path && request.method() === "GET") queries.push(searchParams);
  });
  return queries;
}

/** A new page of a window, which is closed at the end of its scope. */
export async function onlyPageOf(context: BrowserContext): Promise<Page & AsyncDisposable> {
  const page = await context.newPage();
  return Object.assign(page, { [Symbol.asyncDispose]: () => context.close() });
}

/** What a hostile file or name must not bring about, from now on: dialogs, and requests to other servers. */
export function mischiefIn(page: Page, home: string): string[] {
  const noted = strangersTo(page, home);
  page.on("dialog", (dialog) => {
    noted.push(dialog.message());
    void dialog.dismiss();
  });
  return noted;
}

/** The errors of a page's scripts, and violations of its Content-Security-Policy, from now on. */
export function complaintsOf(page: Page): string[] {
  const complaints: string[] = [];
  page.on("pageerror", (error) => complaints.push(String(error)));
  page.on("console", (message) => {
    if (/Content.Security.Policy|Refused to|Trusted/i.test(message.text())) complaints.push(message.text());
  });
  return complaints;
}
