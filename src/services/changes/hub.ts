import type { Tables } from "../../db/tables.ts";
import type { DrivePk, UserPk } from "../../domain/id.ts";

/** Which changes somebody waits for: those of some drives, of every drive of a user, or all. */
export type Watched = ReadonlySet<DrivePk> | { readonly owner: UserPk } | "all";

/** The least time between two rounds, in milliseconds. To read for 500 who wait takes about 40. */
const ROUND_MS = 200;
/** How many are woken before other requests get a turn. */
const TURN = 50;

interface Subscriber {
  readonly watched: Watched;
  readonly wake: () => void;
}

/**
 * Wakes whoever waits for changes, once these are on the disk. It only says that there is something: so nothing is kept
 * for a slow reader, and to wake one twice does no harm.
 */
export class ChangeHub {
  readonly #tables: Tables;
  readonly #subscribers = new Set<Subscriber>();
  #changed = new Set<DrivePk>();
  /** Whether a round is due. */
  #isWaiting = false;
  #lastRound = 0;

  constructor(parts: { tables: Tables }) {
    this.#tables = parts.tables;
    this.#tables.changes.onMove((drives) => this.#note(drives));
  }

  /** Calls `wake` when there are new changes of what is watched, and perhaps at other times; never at once. */
  subscribe(watched: Watched, wake: () => void): Disposable {
    const subscriber = { watched, wake };
    this.#subscribers.add(subscriber);
    return { [Symbol.dispose]: () => void this.#subscribers.delete(subscriber) };
  }

  /** Wakes who waits for changes of these drives, as if there were some. */
  wake(drives: readonly DrivePk[]): void {
    this.#note(new Set(drives));
  }

  #note(drives: ReadonlySet<DrivePk>): void {
    if (this.#subscribers.size === 0) return;
    for (const drive of drives) this.#changed.add(drive);
    if (this.#isWaiting) return;
    this.#isWaiting = true;
    // After the answers to the writes themselves.
    setTimeout(() => this.#round(), Math.max(0, this.#lastRound + ROUND_MS - performance.now()));
  }

  #round(): void {
    this.#isWaiting = false;
    this.#lastRound = performance.now();
    const changed = this.#changed;
    this.#changed = new Set();
    // The database may be closed by now.
    if (this.#subscribers.size === 0) return;
    const owners = new Set([...changed].map((drive) => this.#tables.drives.ownerOf(drive)));
    this.#wakeSome(
      [...this.#subscribers].filter(({ watched }) => {
        if (watched === "all") return true;
        if ("owner" in watched) return owners.has(watched.owner);
        return [...watched].some((drive) => changed.has(drive));
      }),
    );
  }

  #wakeSome(subscribers: readonly Subscriber[]): void {
    for (const subscriber of subscribers.slice(0, TURN)) {
      if (this.#subscribers.has(subscriber)) subscriber.wake();
    }
    if (subscribers.length > TURN) setImmediate(() => this.#wakeSome(subscribers.slice(TURN)));
  }
}
