import type { LogFields } from "../../process/log.ts";
import type { Parts } from "../parts.ts";
import { Service } from "../service.ts";
import type { MissingContents } from "./missing-contents.ts";

/**
 * What stops the server from working. `storage_full`: uploads are refused, and perhaps every write that needs space.
 * `disk_failed`: nothing is written until the server is restarted. `disk_unavailable`: no disk of contents can be
 * reached. `contents_missing`: the contents do not fit to the database, and many files cannot be read.
 */
export type Problem = "storage_full" | "disk_failed" | "disk_unavailable" | "contents_missing";

/** How often a lasting problem is logged, in milliseconds. */
const REMIND_MS = 60_000;

/** Whether the server can do its work. */
export class Health extends Service<
  Pick<Parts, "tables" | "blobs" | "clock" | "log"> & { missingContents: MissingContents }
> {
  /** The problem that was logged last, and when in milliseconds since the epoch; null if there is none. */
  #logged: { readonly message: string; readonly at: number } | null = null;

  /** The present problems. Rejects if they cannot be determined. */
  async problems(): Promise<Problem[]> {
    // A failed database writes nothing, so space does not matter.
    if (this.parts.tables.hasFailed()) return ["disk_failed"];
    const { tables, blobs, missingContents } = this.parts;
    const { isReachable } = blobs.place;
    const hasSpace = (!isReachable || (await blobs.space.hasSpace())) && (await tables.hasSpace());
    return [
      ...(isReachable ? [] : (["disk_unavailable"] as const)),
      ...(hasSpace ? [] : (["storage_full"] as const)),
      ...(missingContents.hasMany() ? (["contents_missing"] as const) : []),
    ];
  }

  /** How many disks of contents cannot be reached. */
  get unavailableDisks(): number {
    return this.parts.blobs.place.away().length;
  }

  /** Logs that the disk is full or fails, or the database's files are gone: at once, every minute, and at the end. */
  async watch(): Promise<void> {
    // That is logged already, and it is not over before the next start.
    if (this.parts.tables.hasFailed()) return;
    const trouble = await this.#trouble();
    if (this.parts.tables.hasFailed()) return;
    const now = this.parts.clock.now();
    const isNews = trouble?.message !== this.#logged?.message;
    // Also when the clock was set back.
    if (isNews || (this.#logged !== null && Math.abs(now - this.#logged.at) >= REMIND_MS)) {
      this.#logged = trouble && { message: trouble.message, at: now };
      this.parts.log.warn(trouble?.message ?? "the disk has room again and answers", trouble?.fields);
    }
  }

  /** The problem for `watch` to log. */
  async #trouble(): Promise<{ readonly message: string; readonly fields: LogFields } | null> {
    try {
      this.parts.tables.ping();
      if (this.parts.tables.hasFailed()) return null;
      await this.parts.blobs.place.look();
      if (!(await this.problems()).includes("storage_full")) return null;
      const free_bytes = await this.parts.blobs.space.freeBytes();
      return {
        message: "the disk is full: uploads are refused until there is free space",
        fields: { free_bytes },
      };
    } catch (error) {
      return { message: "the disk does not answer", fields: { error } };
    }
  }
}
