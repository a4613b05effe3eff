import { afterAll, beforeAll, expect } from "bun:test";
import type { Browser, BrowserContext, BrowserContextOptions, Page } from "playwright-core";
import { borrowBrowser, complaintsOf, newWindow, renew, signInto } from "./browser.ts";
import { type Entries, listFiles, type MadeDrive, makeDrive } from "../server/drives.ts";
import { type Agent, freePort, type Server, serve, signUp } from "../server/executable.ts";
import { FAST_DIRECTORY, temporaryDirectory } from "../server/temporary-directory.ts";

const LAPTOP = { width: 1280, height: 800 };

/** The dashboard of a separate server and a user, shared by the tests of one file. */
export interface Dashboard {
  readonly server: Server;
  readonly browser: Browser;
  /** A client with a key of the user: the first account, with a drive "Files". */
  readonly owner: Agent;
  /** The user's window, signed in. Addresses in it may omit the server. */
  readonly context: BrowserContext;
  /** The path of an empty directory on the user's disk. */
  readonly disk: string;
  /** A page at an address, or to be led to one. Until the end of its scope it must have had no errors. */
  readonly open: (address?: string) => Promise<Page & AsyncDisposable>;
  /** A page at a new drive of the user, or at a folder in it. */
  readonly openDrive: (...made: [...Made, path?: string]) => Promise<DrivePage>;
  /** Opens a new window and signs in, such as the owner a second time. */
  readonly windowOf: (username: string, options?: BrowserContextOptions) => Promise<BrowserContext>;
  /** Creates a drive of the user; see `makeDrive`. */
  readonly driveWith: (...made: Made) => Promise<MadeDrive>;
  /** The paths of the files of a drive, all or those that start with `prefix`. */
  readonly paths: (drive: string, prefix?: string) => Promise<string[]>;
  /** Starts the server again on the same port, after it was killed. */
  readonly restart: () => Promise<void>;
}

type Made = [name: string, entries?: Entries];
type DrivePage = Page & AsyncDisposable & { readonly drive: MadeDrive };

export interface DashboardOptions {
  /** The user's username. */
  readonly owner?: string;
  /** Settings of the server, by variable. */
  readonly env?: Readonly<Record<string, string>>;
}

/** Opens a dashboard before the tests of the calling file, and closes it after them. */
export function openDashboard({ owner: username = "ada", env = {} }: DashboardOptions = {}): Dashboard {
  const closing = new AsyncDisposableStack();
  const idle: Page[] = [];
  let opened: Opened | undefined;
  const dashboard = (): Opened => {
    if (opened === undefined) throw new Error("the dashboard is not open yet");
    return opened;
  };
  beforeAll(async () => {
    opened = await openFor(username, env, closing);
  });
  afterAll(() => closing.disposeAsync());
  return {
    get server() {
      return dashboard().server;
    },
    get browser() {
      return dashboard().browser;
    },
    get owner() {
      return dashboard().owner;
    },
    get context() {
      return dashboard().context;
    },
    get disk() {
      return dashboard().disk;
    },
    open: (address) => openPage(dashboard(), address, idle),
    openDrive: async (name, entries, path = "") => {
      const drive = await makeDrive(dashboard().owner, name, entries);
      return Object.assign(await openPage(dashboard(), `/drives/${drive.slug}/${path}`, idle), { drive });
    },
    windowOf: (name, options) => windowOf(dashboard(), name, options),
    driveWith: (name, entries) => makeDrive(dashboard().owner, name, entries),
    paths: async (drive, prefix) => {
      const files = await listFiles(dashboard().owner, drive, prefix);
      return files.map(({ path }) => path);
    },
    restart: async () => {
      const { dataDir, port } = dashboard().server;
      const again = await serve({ dataDir, env: { ...env, COFFER_PORT: String(port) } });
      closing.use(again);
      opened = { ...dashboard(), server: again };
    },
  };
}

type Opened = Pick<Dashboard, "server" | "browser" | "owner" | "context" | "disk">;

async function openFor(
  username: string,
  env: Readonly<Record<string, string>>,
  closing: AsyncDisposableStack,
): Promise<Opened> {
  const disk = closing.use(await temporaryDirectory(FAST_DIRECTORY));
  // A restart needs the port once more, which nobody may have taken meanwhile.
  const onPort = { COFFER_PORT: String(freePort()), ...env };
  const server = closing.use(await serve({ env: onPort }));
  const { browser } = closing.use(await borrowBrowser());
  const owner = await signUp(server, username);
  const context = await windowOf({ browser, server }, username, { viewport: LAPTOP });
  return { server, browser, owner, context, disk: disk.path };
}

async function windowOf(
  { browser, server }: Pick<Opened, "browser" | "server">,
  username: string,
  options?: BrowserContextOptions,
): Promise<BrowserContext> {
  const context = await newWindow(browser, { baseURL: server.url, ...options });
  await signInto(context, server.url, username);
  return context;
}

/** Pages that were open before are used again: a new one costs more than what it shows. */
async function openPage(
  { context }: Opened,
  address: string | undefined,
  idle: Page[],
): Promise<Page & AsyncDisposable> {
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
}
