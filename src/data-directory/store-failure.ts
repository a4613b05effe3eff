import { FilesGone } from "../db/engine/database-log.ts";
import type { Log } from "../process/log.ts";

const DISK_FAILED =
  "the disk failed during a write: the server only reads until it is restarted. Check the disk, then restart the " +
  "server. Writes that were answered with 503 just now may have happened; this is known only after the restart";

const DIRECTORY_GONE =
  "the data directory is gone: the server ends. Mount the directory again, or restore it from a backup, before you " +
  "start the server: else it would begin an empty store there";

/** What has ended all writing, if anything has. It is logged once. */
export class StoreFailure {
  readonly #log: Log;
  readonly #gone = Promise.withResolvers<void>();
  #summary: string | null = null;

  constructor(log: Log) {
    this.#log = log;
  }

  /** Resolves when the files of the database are gone: no restart of this process's parts can help then. */
  get gone(): Promise<void> {
    return this.#gone.promise;
  }

  /** Call it once, with the error that the database has failed with. */
  note(error: unknown): void {
    const isGone = error instanceof FilesGone;
    this.#summary = isGone ? "Its data directory is gone." : "Its disk had failed: check the disk.";
    this.#log.error(isGone ? DIRECTORY_GONE : DISK_FAILED, { error });
    if (isGone) this.#gone.resolve();
  }

  /** At the end of the server: throws an Error for the operator if there was a failure. */
  requireNone(): void {
    if (this.#summary !== null) throw new Error(`The server has stopped. ${this.#summary}`);
  }
}
