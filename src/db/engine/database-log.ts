import { fstatSync, statSync } from "node:fs";
import { type FileHandle, open } from "node:fs/promises";

/** What SQLite adds to the name of a database for its files: the database, its log, and the log's shared memory. */
const ENDS = ["", "-wal", "-shm"] as const;

/** A file of the database is no longer at its path: what is written is lost when this process ends. */
export class FilesGone extends Error {
  override readonly name = "FilesGone";
}

/** The file of the database's write-ahead log, which is synced off the main thread. */
export class DatabaseLog {
  readonly #database: string;
  readonly #path: string;
  #file: FileHandle | null = null;
  #inodes: ReadonlyMap<string, number> = new Map();
  #isRunning = false;

  /** @param database its path; its files must exist at the first `sync` */
  constructor(database: string) {
    this.#database = database;
    this.#path = `${database}-wal`;
  }

  /** Whether a `sync` runs. Then no other may be called. */
  get isRunning(): boolean {
    return this.#isRunning;
  }

  /**
   * Resolves when everything that was in the log before this call is on the disk. If it rejects, the state on the
   * disk is unknown, and a later `sync` cannot tell: the system may have dropped what it could not write. Rejects as
   * `requireFiles` throws.
   */
  async sync(): Promise<void> {
    if (this.#isRunning) throw new Error("the log was synced while a sync was running");
    this.#isRunning = true;
    try {
      this.#file ??= await this.#open();
      await this.#file.datasync();
      this.requireFiles();
    } finally {
      this.#isRunning = false;
    }
  }

  /** Throws FilesGone if a file is no longer at its path: SQLite would go on with the open one, and all that would be lost. */
  requireFiles(): void {
    for (const [path, inode] of this.#inodes) {
      if (isGone(path, inode))
        throw new FilesGone(`${path} was removed, moved or replaced while it was in use`);
    }
  }

  async #open(): Promise<FileHandle> {
    const file = await open(this.#path, "r+");
    this.#inodes = new Map(ENDS.map((end) => [this.#database + end, statSync(this.#database + end).ino]));
    return file;
  }

  get size(): number {
    return (this.#file === null ? statSync(this.#path) : fstatSync(this.#file.fd)).size;
  }

  async close(): Promise<void> {
    await this.#file?.close();
    this.#file = null;
  }
}

function isGone(path: string, inode: number): boolean {
  try {
    return statSync(path, { throwIfNoEntry: false })?.ino !== inode;
  } catch {
    // It cannot be told, as in a directory that may not be searched. The files that are open still work.
    return false;
  }
}
