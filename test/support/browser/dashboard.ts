import { afterAll, expect } from "bun:test";
import type { BrowserContext, BrowserContextOptions, Page } from "playwright-core";
import { borrowBrowser, complaintsOf, newWindow, renew, signInto } from "./browser.ts";
import { type Entries, listFiles, makeDrive } from "../server/drives.ts";
import { freePort, serve, signUp } from "../server/executable.ts";
import { FAST_DIRECTORY, temporaryDirectory } from "../server/temporary-directory.ts";

/** What most pages are looked at in, in CSS pixels. */
export const LAPTOP = { width: 1280, height: 800 };

export interface DashboardOptions {
  /** The user's username. */
  readonly owner?: string;
  /** Settings of the server, by variable. */
  readonly env?: Readonly<Record<string, string>>;
}

/** The dashboard of a separate server and a user, shared by the tests of the calling file and closed after them. */
export async function openDashboard({ owner: username = "ada", env = {} }: DashboardOptions = {}) {
  const closing = new AsyncDisposableStack();
  afterAll(() => closing.disposeAsync());
  const disk = closing.use(await temporaryDirectory(FAST_DIRECTORY));
  // A restart needs the port once more, which nobody may have taken meanwhile.
  const settings = { COFFER_PORT: String(freePort()), ...env };
  let server = closing.use(await serve({ env: settings }));
  const { browser } = closing.use(await borrowBrowser());
  const owner = await signUp(server, username);

  /** Opens a new window and signs in, such as the owner a second time. */
  const windowOf = async (name: string, options?: BrowserContextOptions): Promise<BrowserContext> => {
    const window = await newWindow(browser, { baseURL: server.url, ...options });
    await signInto(window, server.url, name);
    return window;
  };
  const context = await windowOf(username, { viewport: LAPTOP });

  // Pages that were open before are used again: a new one costs more than what it shows.
  const idle: Page[] = [];
  /** A page at an address, or to be led to one. Until the end of its scope it must have had no errors. */
  const open = async (address?: string): Promise<Page & AsyncDisposable> => {
    const page = idle.pop() ?? (await context.newPage());
    const complaints = complaintsOf(page);
    if (address !== undefined) await page.goto(address);
    return Object.assign(page, {
      [Symbol.asyncDispose]: async () => {
        await renew(page);
        await page.setViewportSize(LAPTOP);
        idle.push(page);
        expect(complaints).toEqual([]);
      },
    });
  };

  /** Creates a drive of the user; see `makeDrive`. */
  const driveWith = (name: string, entries?: Entries) => makeDrive(owner, name, entries);
  return {
    get server() {
      return server;
    },
    browser,
    /** A client with a key of the user: the first account, with a drive "Files". */
    owner,
    /** The user's window, signed in. Addresses in it may omit the server. */
    context,
    /** The path of an empty directory on the user's disk. */
    disk: disk.path,
    windowOf,
    open,
    driveWith,
    /** A page at a new drive of the user, or at a folder in it. */
    openDrive: async (name: string, entries?: Entries, path = "") => {
      const drive = await driveWith(name, entries);
      return Object.assign(await open(`/drives/${drive.slug}/${path}`), { drive });
    },
    /** The paths of the files of a drive, all or those that start with `prefix`. */
    paths: async (drive: string, prefix?: string) =>
      (await listFiles(owner, drive, prefix)).map(({ path }) => path),
    /** Starts the server again on the same port, after it was killed. */
    restart: async () => {
      const { dataDir, port } = server;
      server = closing.use(await serve({ dataDir, env: { ...env, COFFER_PORT: String(port) } }));
    },
  };
}
