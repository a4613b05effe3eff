import { effect } from "@preact/signals-core";
import { afterAll, afterEach } from "bun:test";
import type { Change } from "../../../web/lib/api/types.ts";
import type { Entry } from "../../../web/lib/files.ts";
import type { Ask } from "../../../web/lib/files/taken.ts";
import { DriveStore } from "../../../web/pages/drive/store/drive.ts";
import type { FolderStore } from "../../../web/pages/drive/store/folder.ts";
import { transferEntries } from "../../../web/pages/drive/store/work.ts";
import { accountClient, startWithAda } from "../server/accounts.ts";
import { type Entries, listFiles, type MadeDrive, makeDrive } from "../server/drives.ts";
import { addManyFiles } from "../samples/many-files.ts";
import type { Agent } from "../server/executable.ts";

/** A folder as its page has it, without the page. */
export interface Shown {
  readonly store: DriveStore;
  readonly folder: FolderStore;
  /** What was remembered for whoever comes back. */
  readonly memory: Map<string, unknown>;
}

/**
 * Drives and their stores, whose requests go to a Coffer in this process; shared by the tests of the calling file and
 * closed after them.
 */
export async function openStoreBench() {
  const closing = new AsyncDisposableStack();
  afterAll(() => closing.disposeAsync());
  const coffer = closing.use(await startWithAda());
  const client = await accountClient(coffer, "ada");
  const { key = "" } = client;
  const requests = closing.use(new PageRequests(coffer.appliance.url, key));
  const owner: Agent = { client, key, drive: "" };

  const open: Disposable[] = [];
  afterEach(() => open.splice(0).forEach((folder) => folder[Symbol.dispose]()));
  const shownAs = async (made: MadeDrive, path: string, memory?: Map<string, unknown>) => {
    const { [Symbol.dispose]: close, ...shown } = await show(made.id, path, memory);
    open.push({ [Symbol.dispose]: close });
    return { ...made, ...shown };
  };
  let drives = 0;
  /** A new drive; see `makeDrive`. */
  const driveWith = (entries?: Entries) => makeDrive(owner, `Drive ${(drives += 1)}`, entries);
  return {
    coffer,
    owner,
    requests,
    driveWith,
    /** The top of a new drive, which is shown until the end of the test. */
    newDrive: async (entries?: Entries) => shownAs(await driveWith(entries), ""),
    /** The same of `many/` with so many files. */
    newMany: async (files: number, memory?: Map<string, unknown>) => {
      const made = await driveWith({ "one.txt": 1 });
      await addManyFiles(coffer.dataDir, made.fileId("one.txt"), files);
      return shownAs(made, "many/", memory);
    },
    /** What reads the changes of a drive since now, and then since it was called last. */
    feedOf: async (drive: string) => {
      let cursor = "latest";
      const read = async (): Promise<readonly Change[]> => {
        const { data, next_cursor } = await client.get<{ data: Change[]; next_cursor: string }>(
          `/v0/changes?drive_id=${drive}&cursor=${cursor}`,
        );
        cursor = next_cursor;
        return data;
      };
      await read();
      return read;
    },
    /** The paths of a drive's files on the server. */
    stored: async (drive: string) => (await listFiles(owner, drive)).map(({ path }) => path),
  };
}

/** Work that nobody watches. */
export function unwatched() {
  return { onProgress: () => {}, signal: new AbortController().signal };
}

/** Answers that what has no free place stays. */
export const skipAll: Ask = async () => ({ decision: "skip", forAll: true });

/** Moves or copies entries of a list by their paths, within the drive unless to another. What is left; what is taken stays. */
export function transfer(
  { store, folder }: Pick<Shown, "store" | "folder">,
  how: "move" | "copy",
  paths: readonly string[],
  toFolder: string,
  {
    toDrive = store.drive,
    ask = skipAll,
    ...work
  }: { toDrive?: string; ask?: Ask } & Partial<Parameters<typeof transferEntries>[2]> = {},
) {
  const entries = paths.map((path) => entryAt(folder, path));
  return transferEntries(store, { how, entries, toDrive, toFolder, ask }, { ...unwatched(), ...work });
}

/** Resolves once what signals say is so. */
export function comesTrue(isSo: () => boolean): Promise<void> {
  const { promise, resolve } = Promise.withResolvers<void>();
  const end = effect(() => {
    if (isSo()) resolve();
  });
  return promise.finally(end);
}

/** Shows a folder of a drive, or of a store that is there, and waits until its list is there. */
export async function show(
  drive: string | DriveStore,
  path = "",
  memory = new Map<string, unknown>(),
): Promise<Shown & Disposable> {
  const store = typeof drive === "string" ? new DriveStore(drive) : drive;
  const kept = {
    kept: (name: string) => memory.get(name),
    keep: (name: string, value: unknown) => void memory.set(name, value),
  };
  const folder = store.folder(path, kept, null);
  const close = store.show(folder);
  await comesTrue(() => folder.listing.value !== null || folder.error.value !== null);
  return { store, folder, memory, [Symbol.dispose]: close };
}

/** Does something, and waits until a folder has been read again. */
export async function readAgain<T>({ listing }: FolderStore, act: () => T | Promise<T>): Promise<T> {
  const before = listing.peek();
  const isRead = comesTrue(() => listing.value !== before);
  const done = await act();
  await isRead;
  return done;
}

/** What its rows show, from the top; undefined where it is not loaded. */
export function rowsOf({ listing }: FolderStore): (Entry | undefined)[] {
  const list = listing.peek();
  return Array.from({ length: list?.count ?? 0 }, (_, row) => list?.at(row));
}

/** The paths of its rows, from the top. */
export function pathsOf(folder: FolderStore): (string | undefined)[] {
  return rowsOf(folder).map((entry) => entry?.path);
}

/** The paths of the rows of the tree beside it. */
export function treeOf(store: DriveStore): string[] {
  return store.tree.rows.map(({ key }) => key);
}

/** An entry of its list by its path. */
export function entryAt(folder: FolderStore, path: string): Entry {
  const entry = rowsOf(folder).find((one) => one?.path === path);
  if (entry === undefined) throw new Error(`the list has no ${path}`);
  return entry;
}

/**
 * Requests of the dashboard's code in this process. Their addresses have no host, as in a page, so they go to one
 * server, with one key in the place of a session. Until it is disposed of, `fetch` is its own.
 */
export class PageRequests implements Disposable {
  /** Each request until now, such as `GET /v0/files?drive_id=…`. */
  readonly sent: string[] = [];
  readonly #fetch = globalThis.fetch;
  #held: { readonly pattern: RegExp; readonly come: () => void; readonly until: Promise<void> } | null = null;
  #refused: RegExp | null = null;

  constructor(home: string, key: string) {
    const send = async (path: unknown, init: RequestInit = {}): Promise<Response> => {
      const request = `${init.method ?? "GET"} ${String(path)}`;
      this.sent.push(request);
      if (this.#refused?.test(request) === true) {
        this.#refused = null;
        const error = { code: "INTERNAL", message: "On fire." };
        return Response.json({ error }, { status: 500 });
      }
      const headers = new Headers(init.headers);
      headers.set("authorization", `Bearer ${key}`);
      const answer = await this.#fetch(new URL(String(path), home), { ...init, headers });
      if (this.#held?.pattern.test(request) === true) {
        this.#held.come();
        await this.#held.until;
      }
      return answer;
    };
    globalThis.fetch = Object.assign(send, { preconnect: () => {} });
  }

  /** The requests for lists since `sent` was this long. */
  listsSince(length: number): string[] {
    return this.sent.slice(length).filter((request) => /^GET \/v0\/(?:files|folders)\?/.test(request));
  }

  /** Keeps the answers to such requests, once they have come, until they are released. */
  hold(pattern: RegExp): { readonly come: Promise<void>; readonly release: () => void } {
    const [come, until] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
    this.#held = { pattern, come: come.resolve, until: until.promise };
    const release = () => {
      this.#held = null;
      until.resolve();
    };
    return { come: come.promise, release };
  }

  /** Refuses the next such request: "On fire." */
  refuseNext(pattern: RegExp): void {
    this.#refused = pattern;
  }

  [Symbol.dispose](): void {
    globalThis.fetch = this.#fetch;
  }
}
