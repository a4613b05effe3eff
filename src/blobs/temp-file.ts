import { existsSync, mkdirSync } from "node:fs";
import { type FileHandle, lstat, open, readdir, rename, rm, unlink } from "node:fs/promises";
import { join } from "node:path";
import { ifPresent } from "./system-error.ts";

/** How many new bytes are synced while more are appended. */
const EARLY_SYNC_BYTES = 16 * 1024 * 1024;

/**
 * A temporary file: it ends under its final name, or is deleted. A long one is synced in parts while it is written, so
 * that little is left for the end. One call at a time, except for `discard`; after a failed one, only `discard`.
 */
export class TempFile implements AsyncDisposable {
  /** Whether any file is being synced early: one at a time, because a sync keeps one of the runtime's few threads. */
  static #isSyncingEarly = false;

  readonly #path: string;
  readonly #handle: FileHandle;
  #length = 0;
  /** The length when the last early sync began. */
  #lengthSynced = 0;
  /** Ends with the early sync that is under way; never rejects. */
  #earlySync: Promise<void> = Promise.resolve();
  #syncFailure: { readonly error: unknown } | null = null;

  private constructor(path: string, handle: FileHandle) {
    this.#path = path;
    this.#handle = handle;
  }

  /** Creates the file, with mode 0600; fails if the path exists. */
  static async create(path: string): Promise<TempFile> {
    return new TempFile(path, await open(path, "wx", 0o600));
  }

  /** Writes a file, which `keep` gives its name; without one it is removed. */
  static async write(
    path: string,
    pieces: AsyncIterable<Uint8Array> | Iterable<Uint8Array>,
    keep: (file: TempFile) => Promise<void>,
  ): Promise<void> {
    const file = await TempFile.create(path);
    try {
      for await (const piece of pieces) await file.append(piece);
      await keep(file);
    } finally {
      await file.discard();
    }
  }

  /**
   * Appends all of `bytes`, which must not change until this resolves. The writing begins at once, in another thread.
   * Throws the error of an early sync as well.
   */
  async append(bytes: Uint8Array): Promise<void> {
    this.#requireSynced();
    // One write may be partial: on a nearly full disk, or beyond 2 GiB.
    for (let done = 0; done < bytes.length;) {
      const { bytesWritten } = await this.#handle.write(bytes, done, bytes.length - done, this.#length);
      if (bytesWritten === 0) throw new Error("the file system accepts no more bytes");
      done += bytesWritten;
      this.#length += bytesWritten;
    }
    if (this.#length - this.#lengthSynced >= EARLY_SYNC_BYTES && !TempFile.#isSyncingEarly) {
      this.#earlySync = this.#syncEarly();
    }
  }

  /** Gives it the age of another file. @param modifiedAt milliseconds since the epoch */
  async date(modifiedAt: number): Promise<void> {
    await this.#handle.utimes(modifiedAt / 1000, modifiedAt / 1000);
  }

  /**
   * Syncs the file, which must have so many bytes, then renames it, in this order: a power cut must not leave a name
   * without its content. The name survives one only after `syncDirectory`.
   */
  async moveTo(path: string, length: number): Promise<void> {
    await this.#requireLength(length);
    await this.#handle.sync();
    await this.#handle.close();
    await rename(this.#path, path);
  }

  /** Ends the file, which must have so many bytes, and returns its path. It is not synced, and stays until `discard`. */
  async end(length: number): Promise<string> {
    await this.#requireLength(length);
    await this.#handle.close();
    return this.#path;
  }

  /** Deletes the file. Harmless after a `moveTo`, even a failed one: the final name is not touched. */
  async discard(): Promise<void> {
    // This waits for a write and for an early sync.
    await this.#handle.close();
    await rm(this.#path, { force: true });
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.discard();
  }

  async #requireLength(length: number): Promise<void> {
    await this.#earlySync;
    this.#requireSynced();
    const { size } = await this.#handle.stat();
    if (size !== length) throw new Error(`a temporary file holds ${size} bytes instead of ${length}`);
  }

  async #syncEarly(): Promise<void> {
    TempFile.#isSyncingEarly = true;
    this.#lengthSynced = this.#length;
    try {
      await this.#handle.datasync();
    } catch (error) {
      this.#syncFailure = { error };
    } finally {
      TempFile.#isSyncingEarly = false;
    }
  }

  /** The system reports a failed sync only once, so the last sync would succeed after it. */
  #requireSynced(): void {
    if (this.#syncFailure !== null) throw this.#syncFailure.error;
  }
}

const UUID = "[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}";
/** Names of temporary files; earlier versions used a bare UUID. */
export const TEMP_NAME = new RegExp(`^(?:coffer-(?:migrate-)?${UUID}\\.tmp|${UUID})$`);
/** Those of migrations, which may run beside a server. */
export const MIGRATION_TEMP_NAME = new RegExp(`^coffer-migrate-${UUID}\\.tmp$`);

export function newTempPath(tmpDir: string): string {
  return join(tmpDir, `coffer-${crypto.randomUUID()}.tmp`);
}

export function newMigrationTempPath(tmpDir: string): string {
  return join(tmpDir, `coffer-migrate-${crypto.randomUUID()}.tmp`);
}

/** Writes to a disk, and syncs that: a dead one may still give out what is in memory. Leaves nothing. */
export async function tryWrite(path: string): Promise<void> {
  const file = await open(path, "wx", 0o600);
  try {
    await file.write("x");
    await file.sync();
  } finally {
    await file.close();
    await rm(path, { force: true });
  }
}

/** Removes temporary files of a crash: only regular files with our names. */
export async function removeTemps(tmpDir: string): Promise<void> {
  for (const name of await readdir(tmpDir)) {
    const path = join(tmpDir, name);
    // A migration beside the server may be using one of its own.
    const isFile = TEMP_NAME.test(name) && (await ifPresent(lstat(path)))?.isFile() === true;
    if (isFile) await ifPresent(unlink(path));
  }
}

/** Makes a directory of temporary files again: programs that clean up those of its name may have removed it. */
export function keepDirectory(path: string): void {
  if (!existsSync(path)) mkdirSync(path, { mode: 0o700 });
}

/** Makes the names in a directory survive a power cut. */
export async function syncDirectory(path: string): Promise<void> {
  const directory = await open(path, "r");
  try {
    await directory.sync();
  } finally {
    await directory.close();
  }
}
