import { setImmediate as nextTurn } from "node:timers/promises";
import type { ListedBlob } from "../../blobs/blob-place.ts";
import type { Digest } from "../../domain/contents/content.ts";
import type { Parts } from "../parts.ts";
import { Service } from "../service.ts";

/** A sample of this many contents shows whether the database knows the store: digests are evenly distributed. */
const SURVEYED = 300;
/** After this many look-ups other requests get a turn. */
const LOOKUPS = 100;

/** Finds blobs without a row, after a crash. Only if the database knows most others: else it may be the wrong one. */
export class Strays extends Service<Pick<Parts, "tables" | "blobs" | "clock" | "log">> {
  #nextShard = 0;
  /** Whether this round through all shards has already logged that it removes nothing. */
  #hasComplained = false;

  /** Whether a round through all shards begins. */
  get isAtStart(): boolean {
    return this.#nextShard === 0;
  }

  /** Searches the next part of the store for removable blobs written before a time in milliseconds. */
  async *next(before: number): AsyncGenerator<Digest> {
    let isTrusted: boolean | null = null;
    for (let n = 0; n < this.parts.blobs.place.shardsASweep; n += 1) {
      const shard = this.#nextShard;
      this.#nextShard = (shard + 1) % this.parts.blobs.shardCount;
      if (shard === 0) this.#hasComplained = false;
      const found = await this.#examine(shard);
      const strays = found.unknown.filter(({ modifiedAt }) => modifiedAt <= before);
      if (strays.length === 0) continue;
      isTrusted ??= await this.#isTrusted(shard, found.known, found.unknown.length);
      if (isTrusted) for (const { digest } of strays) yield digest;
    }
  }

  /**
   * The contents of a shard, by whether a row names them; without those that have no row, and are older than the database
   * or needed by a backup.
   */
  async #examine(shard: number): Promise<{ known: number; unknown: ListedBlob[] }> {
    const { blobs, tables } = this.parts;
    const keptUntil = tables.store.straysKeptUntil();
    const unknown: ListedBlob[] = [];
    let known = 0;
    for (const [index, blob] of (await blobs.list(shard)).entries()) {
      if (tables.blobs.has(blob.digest)) known += 1;
      else if (blob.modifiedAt > keptUntil) unknown.push(blob);
      if (index % LOOKUPS === LOOKUPS - 1) await nextTurn();
    }
    return { known, unknown: await this.#notLeased(unknown) };
  }

  async #notLeased(found: readonly ListedBlob[]): Promise<ListedBlob[]> {
    const { leases } = this.parts.blobs.place;
    if (leases === undefined || found.length === 0) return [...found];
    const leased = await leases.current();
    const others: ListedBlob[] = [];
    for (const [index, blob] of found.entries()) {
      if (!(await leased.has(blob.digest))) others.push(blob);
      if (index % LOOKUPS === LOOKUPS - 1) await nextTurn();
    }
    return others;
  }

  /** Whether the database knows at least half of the contents in this shard and, if they are few, in the next ones. */
  async #isTrusted(first: number, knownThere: number, unknownThere: number): Promise<boolean> {
    const { shardCount } = this.parts.blobs;
    let [known, unknown] = [knownThere, unknownThere];
    for (let n = 1; n < shardCount && known + unknown < SURVEYED; n += 1) {
      const more = await this.#examine((first + n) % shardCount);
      known += more.known;
      unknown += more.unknown.length;
    }
    if (known >= unknown) return true;
    if (this.#hasComplained) return false;
    this.#hasComplained = true;
    this.parts.log.error(
      "contents that no file uses are kept, because the database knows too few of the contents: if it is the wrong " +
        "database, stop the server and restore the right one from a backup",
      { known, unknown },
    );
    return false;
  }
}
