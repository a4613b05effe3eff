import type { BlobStore, ListedBlob } from "../blobs/blob-store.ts";
import type { Clock } from "../clock.ts";
import type { Tables } from "../db/tables.ts";
import type { Digest } from "../domain/digest.ts";
import type { Log } from "../log.ts";

/** How many shards of the blob store are looked through at a time; all are seen in 64 times. */
const SHARDS_AT_A_TIME = 4;
/** So many contents tell whether the database knows what is in the store: digests are spread evenly. */
const SURVEYED = 300;
/** Others have their turn after so many look-ups. */
const LOOKUPS = 100;

/** What strays are found with. */
export interface StraysParts {
  readonly tables: Tables;
  readonly blobs: BlobStore;
  readonly clock: Clock;
  readonly log: Log;
}

/** What is in a shard, by whether a row names it. */
interface Examined {
  readonly known: number;
  readonly unknown: readonly ListedBlob[];
}

/**
 * Finds contents that a crash left without a row. They are removed only from a store that the database knows:
 * a database that knows few of the contents is more likely the wrong one than most of them are strays.
 */
export class Strays {
  readonly #parts: StraysParts;
  #nextShard = 0;
  /** Whether this round through all shards has been logged as stopped. */
  #hasComplained = false;

  constructor(parts: StraysParts) {
    this.#parts = parts;
  }

  /**
   * Looks through the next part of the store and hands over what no row names, where it may be removed. Each was
   * written before the time `before`, in milliseconds.
   */
  async *next(before: number): AsyncGenerator<Digest> {
    let isTrusted: boolean | null = null;
    for (let n = 0; n < SHARDS_AT_A_TIME; n += 1) {
      const shard = this.#nextShard;
      this.#nextShard = (shard + 1) % this.#parts.blobs.shardCount;
      if (shard === 0) this.#hasComplained = false;
      const found = await this.#examine(shard);
      const strays = found.unknown.filter(({ modifiedAt }) => modifiedAt <= before);
      if (strays.length === 0) continue;
      isTrusted ??= await this.#isTrusted(shard, found);
      if (isTrusted) for (const { digest } of strays) yield digest;
    }
  }

  /** What is in a shard, but for contents without a row that were there before the database was. */
  async #examine(shard: number): Promise<Examined> {
    const { blobs, tables } = this.#parts;
    const keptUntil = tables.store.straysKeptUntil();
    const unknown: ListedBlob[] = [];
    let known = 0;
    for (const [index, blob] of (await blobs.list(shard)).entries()) {
      if (tables.blobs.has(blob.digest)) known += 1;
      else if (blob.modifiedAt > keptUntil) unknown.push(blob);
      if (index % LOOKUPS === LOOKUPS - 1) await new Promise<void>((resolve) => setImmediate(resolve));
    }
    return { known, unknown };
  }

  /** Whether the database knows at least half of what is in this shard and, where that is little, in the next ones. */
  async #isTrusted(first: number, found: Examined): Promise<boolean> {
    const { shardCount } = this.#parts.blobs;
    let [known, unknown] = [found.known, found.unknown.length];
    for (let n = 1; n < shardCount && known + unknown < SURVEYED; n += 1) {
      const more = await this.#examine((first + n) % shardCount);
      known += more.known;
      unknown += more.unknown.length;
    }
    if (known >= unknown) return true;
    this.#complain(known, unknown);
    return false;
  }

  #complain(known: number, unknown: number): void {
    if (this.#hasComplained) return;
    this.#hasComplained = true;
    this.#parts.log.error(
      "contents that no file uses are kept, because the database knows too few of those that are there: if it is " +
        "not the one that belongs to them, stop the server and restore the right one from a backup",
      { known, unknown },
    );
  }
}
