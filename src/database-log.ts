import { statSync } from "node:fs";
import { type FileHandle, open } from "node:fs/promises";

/** The file of the database's write-ahead log, which is synced off the main thread. */
export class DatabaseLog {
  readonly #path: string;
  #file: FileHandle | null = null;
  #isRunning = false;

  /** @param path of the log; the file must exist at the first `sync` */
  constructor(path: string) {
    this.#path = path;
  }

  /** Whether a `sync` runs. Then no other may be called. */
  get isRunning(): boolean {
    return this.#isRunning;
  }

  /**
   * Resolves when everything that was in the log before this call is on the disk. If it rejects, the state on the
   * disk is unknown, and a later `sync` cannot tell: the system may have dropped what it could not write.
   */
  async sync(): Promise<void> {
    if (this.#isRunning) throw new Error("the log was synced while a sync was running");
    this.#isRunning = true;
    try {
      this.#file ??= await open(this.#path, "r+");
      await this.#file.datasync();
    } finally {
      this.#isRunning = false;
    }
  }

  /** The size of the log's file in bytes. */
  get size(): number {
    return statSync(this.#path).size;
  }

  async close(): Promise<void> {
    await this.#file?.close();
    this.#file = null;
  }
}
