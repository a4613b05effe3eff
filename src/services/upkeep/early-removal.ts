import type { BlobRow, ReleasedContent, Releaser } from "../../db/contents/blobs.ts";
import { WriteRefused } from "../../domain/errors.ts";
import { MIB } from "../../domain/limits.ts";
import type { Pruning } from "../history/pruning.ts";
import type { Parts } from "../parts.ts";
import { Service } from "../service.ts";

/**
 * The shortest grace period, in milliseconds. After it, what is being read is open, and what an upload has matched is
 * pinned. But an archive in progress, or a download in several ranges, may lose what was deleted.
 */
export const SHORTEST_GRACE_MS = 60 * 1000;

/** How many bytes of kept contents go at least if the disk has no room, whatever it says. */
const LEAST_PRUNED = 16 * MIB;

/** How many contents one transaction removes. */
const PIECE = 200;

/**
 * Removes orphans before their grace period is over, oldest first: those of an owner that has released more than its
 * storage limit, down to that; and those of all owners while the disk is short of space. It has kept contents pruned
 * first.
 */
export class EarlyRemoval extends Service<
  Pick<Parts, "tables" | "blobs" | "quota" | "clock" | "log"> & {
    pruning: Pruning;
    /** See `Sweep.forget`: it may remove none. */
    forget: (contents: readonly BlobRow[]) => Promise<number>;
  }
> {
  /** Owners to check, by kind and pk. */
  readonly #asked = new Map<string, Releaser>();
  readonly #timers = new Map<string, NodeJS.Timeout>();
  #working: Promise<void> | null = null;
  #isStopped = false;

  /** Removes an owner's excess soon, and again once the latest contents' shortest grace is over. Also inside a write. */
  ask(releaser: Releaser): void {
    if (this.#isStopped) return;
    this.#asked.set(nameOf(releaser), releaser);
    this.#working ??= this.#work();
  }

  /** Removes the excess of all owners, and what the disk needs. Returns how many contents were removed. */
  async run(): Promise<number> {
    let removed = 0;
    for (const releaser of this.parts.tables.releasedContents.releasers()) {
      removed += await this.#removeExcess(releaser);
    }
    return removed + (await this.#removeForTheDisk());
  }

  /** Waits for the current transaction; no other one starts. */
  async stop(): Promise<void> {
    this.#isStopped = true;
    this.parts.pruning.stop();
    for (const timer of this.#timers.values()) clearTimeout(timer);
    await this.#working;
  }

  async #work(): Promise<void> {
    // The write that called `ask` is not committed yet.
    await new Promise((resolve) => setImmediate(resolve));
    for (const [name, releaser] of this.#asked) {
      this.#asked.delete(name);
      try {
        await this.parts.pruning.pruneOf(releaser);
        await this.#removeExcess(releaser);
        if (this.parts.quota.excessOf(releaser) > 0) this.#askLater(releaser);
      } catch (error) {
        if (!(error instanceof WriteRefused))
          this.parts.log.error("early removal of contents failed", { error });
      }
    }
    this.#working = null;
  }

  #askLater(releaser: Releaser): void {
    const name = nameOf(releaser);
    if (this.#isStopped || this.#timers.has(name)) return;
    const timer = setTimeout(() => {
      this.#timers.delete(name);
      this.ask(releaser);
    }, SHORTEST_GRACE_MS);
    this.#timers.set(name, timer.unref());
  }

  async #removeExcess(releaser: Releaser): Promise<number> {
    const { tables, quota, clock, forget } = this.parts;
    const { releasedContents: released } = tables;
    let removed = 0;
    for (let excess = quota.excessOf(releaser); excess > 0; excess = quota.excessOf(releaser)) {
      if (this.#isStopped) break;
      const now = clock.now();
      if (released.hasUnstamped(releaser))
        await tables.writeFromReserve(() => released.stamp(releaser, now, PIECE));
      const oldest = released.oldest(releaser, now - SHORTEST_GRACE_MS, PIECE);
      if (oldest.length === 0 && !released.hasUnstamped(releaser)) break;
      const forgotten = await forget(firstOf(oldest, excess));
      // A backup may need them.
      if (forgotten === 0 && oldest.length > 0) break;
      removed += forgotten;
    }
    return removed;
  }

  async #removeForTheDisk(): Promise<number> {
    const { tables, blobs, clock, forget } = this.parts;
    if (!blobs.space.isFreedByRemoval) return 0;
    const isShort = blobs.space.takeNoSpace()
      ? async () => true
      : async () => (await blobs.space.shortage()) > 0 || !(await tables.hasSpace());
    if (!this.#isStopped && (await isShort())) await this.#pruneForTheDisk();
    let removed = 0;
    while (!this.#isStopped && (await isShort())) {
      const orphans = tables.blobs.orphans(clock.now() - SHORTEST_GRACE_MS, PIECE);
      const forgotten = await forget(orphans);
      // There are none, or a backup may need them.
      if (forgotten === 0) break;
      removed += forgotten;
    }
    return removed;
  }

  /** Lets go of so much of what is kept that there is room once the grace period of that, and of the rest, is over. */
  async #pruneForTheDisk(): Promise<void> {
    const { tables, blobs, pruning, log } = this.parts;
    const needed = Math.max(await blobs.space.shortage(), LEAST_PRUNED);
    const removed = await pruning.pruneForTheDisk(needed - tables.releasedContents.sizeOfAll());
    if (removed === 0) return;
    const free_bytes = await blobs.space.freeBytes();
    log.warn(
      "earlier versions and entries of the trash were removed before their time: the disk is short of space",
      { removed, free_bytes },
    );
  }
}

function nameOf({ kind, pk }: Releaser): string {
  return `${kind} ${pk}`;
}

/** The first contents that together have at least this many bytes. */
function firstOf(contents: readonly ReleasedContent[], bytes: number): ReleasedContent[] {
  let left = bytes;
  return contents.filter(({ size }) => {
    const isTaken = left > 0;
    left -= size;
    return isTaken;
  });
}
