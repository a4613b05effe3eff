import { CofferError } from "../domain/errors.ts";
import { Service } from "./service.ts";
import type { SlotHolder } from "./slots.ts";

/** How much of something costly may run at once, and how many requests may wait for that. */
interface TurnLimits {
  readonly running: number;
  /** Of one owner (see `ownerOf`). */
  readonly runningEach: number;
  /** For unclaimed drives, which anybody can make, and links. */
  readonly runningUnclaimed: number;
  readonly waitingEach: number;
  readonly waiting: number;
}

/** Limits how much is done at once, and lets owners take turns: who has least under way is next. */
export class OwnerTurns extends Service<{
  limits: TurnLimits;
  /** What is limited, in the plural: "extractions". */
  noun: string;
}> {
  readonly #running = new Set<SlotHolder>();
  readonly #waiting = new Set<SlotHolder & { readonly start: () => void }>();

  /** Works when it is its turn. Rejects with the signal's reason if that comes before. Throws RATE_LIMITED. */
  async run<T>(holder: SlotHolder, work: () => Promise<T>, signal?: AbortSignal): Promise<T> {
    signal?.throwIfAborted();
    this.#requireRoom(holder);
    const turn = Promise.withResolvers<void>();
    const waiting = { ...holder, start: turn.resolve };
    const leave = () => {
      if (this.#waiting.delete(waiting)) turn.reject(signal?.reason);
    };
    signal?.addEventListener("abort", leave);
    this.#waiting.add(waiting);
    this.#startNext();
    try {
      await turn.promise;
      return await work();
    } finally {
      signal?.removeEventListener("abort", leave);
      this.#running.delete(waiting);
      this.#startNext();
    }
  }

  #requireRoom({ owner, isUnclaimed }: SlotHolder): void {
    const { waitingEach, waiting } = this.parts.limits;
    const own = count(this.#waiting, (other) => other.owner === owner);
    const open = isUnclaimed ? count(this.#waiting, (other) => other.isUnclaimed) : 0;
    // Anybody can make unclaimed drives: they leave half of the room to others.
    if (own < waitingEach && this.#waiting.size < waiting && open < waiting / 2) return;
    const whose = own < waitingEach ? "" : " of yours";
    throw new CofferError(
      "RATE_LIMITED",
      `Too many ${this.parts.noun}${whose} are waiting already; try again when some are done.`,
    );
  }

  #startNext(): void {
    for (let next = this.#next(); next !== null; next = this.#next()) {
      this.#waiting.delete(next);
      this.#running.add(next);
      next.start();
    }
  }

  /** Of those who may run, one whose owner has least under way; of these, who came first. */
  #next() {
    if (this.#running.size >= this.parts.limits.running) return null;
    const ready = [...this.#waiting].filter((each) => this.#mayRun(each));
    const least = Math.min(...ready.map((each) => this.#runningOf(each)));
    return ready.find((each) => this.#runningOf(each) === least) ?? null;
  }

  #mayRun(next: SlotHolder): boolean {
    const { runningEach, runningUnclaimed } = this.parts.limits;
    const open = count(this.#running, ({ isUnclaimed }) => isUnclaimed);
    return this.#runningOf(next) < runningEach && (!next.isUnclaimed || open < runningUnclaimed);
  }

  #runningOf({ owner }: SlotHolder): number {
    return count(this.#running, (other) => other.owner === owner);
  }
}

function count(holders: Iterable<SlotHolder>, is: (holder: SlotHolder) => boolean): number {
  return [...holders].filter(is).length;
}
