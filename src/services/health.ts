import type { BlobStore } from "../blobs/blob-store.ts";
import type { Clock } from "../clock.ts";
import type { Tables } from "../db/tables.ts";
import type { Log, LogFields } from "../log.ts";

/**
 * What keeps a server from its work. `storage_full`: uploads are refused, and perhaps all that takes room.
 * `disk_failed`: nothing is written any more until the server is restarted.
 */
export type Problem = "storage_full" | "disk_failed";

/** How often trouble is logged while it lasts, in milliseconds. */
const REMIND_MS = 60_000;

/** Whether the server can do its work. */
export class Health {
  readonly #tables: Tables;
  readonly #blobs: BlobStore;
  readonly #clock: Clock;
  readonly #log: Log;
  /** The trouble that was logged last, at milliseconds since the epoch; null while there is none. */
  #logged: { readonly message: string; readonly at: number } | null = null;

  constructor(parts: { tables: Tables; blobs: BlobStore; clock: Clock; log: Log }) {
    this.#tables = parts.tables;
    this.#blobs = parts.blobs;
    this.#clock = parts.clock;
    this.#log = parts.log;
  }

  /** What is wrong now; empty when nothing is. Rejects where even that cannot be found out. */
  async problems(): Promise<Problem[]> {
    // A database that writes nothing needs no room.
    if (this.#tables.hasFailed()) return ["disk_failed"];
    const hasSpace = (await this.#blobs.hasSpace()) && (await this.#tables.hasSpace());
    return hasSpace ? [] : ["storage_full"];
  }

  /** Says in the log when the disk is full or does not answer: at once, once a minute, and when it is over. */
  async watch(): Promise<void> {
    const trouble = await this.#trouble();
    const now = this.#clock.now();
    const isNews = trouble?.message !== this.#logged?.message;
    if (isNews || (this.#logged !== null && now - this.#logged.at >= REMIND_MS)) {
      this.#logged = trouble && { message: trouble.message, at: now };
      this.#log.warn(trouble?.message ?? "the disk has room again and answers", trouble?.fields);
    }
  }

  /** What `watch` is to say. A failed database has said so itself, for good. */
  async #trouble(): Promise<{ readonly message: string; readonly fields: LogFields } | null> {
    try {
      if (!(await this.problems()).includes("storage_full")) return null;
      const free_bytes = await this.#blobs.freeBytes();
      return {
        message: "the disk is full: make room; uploads are refused until then",
        fields: { free_bytes },
      };
    } catch (error) {
      return { message: "the disk does not answer", fields: { error } };
    }
  }
}
