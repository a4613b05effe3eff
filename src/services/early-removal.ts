import type { BlobStore } from "../blobs/blob-store.ts";
import type { Clock } from "../clock.ts";
import type { BlobRow } from "../db/blobs.ts";
import type { ReleasedContent, Releaser } from "../db/released-contents.ts";
import type { Tables } from "../db/tables.ts";
import { WriteRefused } from "../domain/errors.ts";
import type { Log } from "../log.ts";
import type { Quota } from "./quota.ts";

/**
 * The shortest grace period, in milliseconds. What is being read is open by then, and what an upload has matched
 * is pinned; an archive under way, or a download in several ranges, may lose what was deleted meanwhile.
 */
export const SHORTEST_GRACE_MS = 60 * 1000;

/** How many contents one transaction takes. */
const PIECE = 200;

/** What contents are removed early with. */
export interface EarlyRemovalParts {
  readonly tables: Tables;
  readonly blobs: BlobStore;
  readonly quota: Quota;
  readonly clock: Clock;
  readonly log: Log;
  /** See `Sweep.forget`. */
  readonly forget: (contents: readonly BlobRow[]) => Promise<number>;
}

/**
 * Removes contents that nothing refers to any more before their grace period is over, the oldest first: of whoever
 * has let go of more than they may store, down to that, and of all while the disk is short of space.
 */
export class EarlyRemoval {
  readonly #parts: EarlyRemovalParts;
  /** By kind and pk, as the timers are. */
  readonly #asked = new Map<string, Releaser>();
  readonly #timers = new Map<string, NodeJS.Timeout>();
  #working: Promise<void> | null = null;
  #isStopped = false;

  constructor(parts: EarlyRemovalParts) {
    this.#parts = parts;
  }

  /**
   * Has somebody's contents removed as early as can be: soon, and again when the shortest grace period of those
   * that they let go of just now is over. May be called inside a write.
   */
  ask(releaser: Releaser): void {
    if (this.#isStopped) return;
    this.#asked.set(nameOf(releaser), releaser);
    this.#working ??= this.#work();
  }

  /** Looks after everybody, and after the disk; how many contents it removed. */
  async run(): Promise<number> {
    let removed = 0;
    for (const releaser of this.#parts.tables.releasedContents.releasers()) {
      removed += await this.#removeExcess(releaser);
    }
    return removed + (await this.#removeForTheDisk());
  }

  /** Lets a piece in progress end; no further one begins. */
  async stop(): Promise<void> {
    this.#isStopped = true;
    for (const timer of this.#timers.values()) clearTimeout(timer);
    await this.#working;
  }

  async #work(): Promise<void> {
    // The write that asks has yet to be committed, or undone.
    await new Promise((resolve) => setImmediate(resolve));
    for (const [name, releaser] of this.#asked) {
      this.#asked.delete(name);
      try {
        await this.#removeExcess(releaser);
        if (this.#parts.quota.excessOf(releaser) > 0) this.#askLater(releaser);
      } catch (error) {
        if (!(error instanceof WriteRefused))
          this.#parts.log.error("removing contents early failed", { error });
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
    const { tables, quota, clock, forget } = this.#parts;
    const { releasedContents: released } = tables;
    let removed = 0;
    for (let excess = quota.excessOf(releaser); excess > 0; excess = quota.excessOf(releaser)) {
      if (this.#isStopped) break;
      const now = clock.now();
      if (released.hasUnstamped(releaser))
        await tables.writeFromReserve(() => released.stamp(releaser, now, PIECE));
      const oldest = released.oldest(releaser, now - SHORTEST_GRACE_MS, PIECE);
      if (oldest.length === 0 && !released.hasUnstamped(releaser)) break;
      removed += await forget(firstOf(oldest, excess));
    }
    return removed;
  }

  async #removeForTheDisk(): Promise<number> {
    const { tables, blobs, clock, forget } = this.#parts;
    const isShort = blobs.takeRefusal()
      ? async () => true
      : async () => (await blobs.isShortOfSpace()) || !(await tables.hasSpace());
    let removed = 0;
    while (!this.#isStopped && (await isShort())) {
      const orphans = tables.blobs.orphans(clock.now() - SHORTEST_GRACE_MS, PIECE);
      if (orphans.length === 0) break;
      removed += await forget(orphans);
    }
    return removed;
  }
}

function nameOf({ kind, pk }: Releaser): string {
  return `${kind} ${pk}`;
}

/** As many of the first contents as have so many bytes together. */
function firstOf(contents: readonly ReleasedContent[], bytes: number): ReleasedContent[] {
  let left = bytes;
  return contents.filter(({ size }) => {
    const isTaken = left > 0;
    left -= size;
    return isTaken;
  });
}
