import { CofferError } from "../../domain/errors.ts";
import { EXTRACTIONS } from "../../domain/contents/extraction.ts";
import type { SlotHolder } from "../slots.ts";

interface Waiting extends SlotHolder {
  readonly start: () => void;
}

/** Limits how many documents are read at once, and lets owners take turns: see `EXTRACTIONS`. */
export class ExtractionQueue {
  readonly #running = new Set<SlotHolder>();
  /** The oldest first. */
  readonly #waiting = new Set<Waiting>();

  /**
   * Works when it is its turn. Rejects with the signal's reason if that comes before, RATE_LIMITED if too many wait.
   */
  async run<T>(holder: SlotHolder, work: () => Promise<T>, signal?: AbortSignal): Promise<T> {
    signal?.throwIfAborted();
    this.#requireRoom(holder.owner);
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

  #requireRoom(owner: string): void {
    const own = [...this.#waiting].filter((other) => other.owner === owner).length;
    if (own < EXTRACTIONS.waitingEach && this.#waiting.size < EXTRACTIONS.waiting) return;
    const whose = own < EXTRACTIONS.waitingEach ? "" : " of yours";
    throw new CofferError(
      "RATE_LIMITED",
      `Too many extractions${whose} are waiting already; try again when some are done.`,
    );
  }

  #startNext(): void {
    for (const next of this.#waiting) {
      if (!this.#mayRun(next)) continue;
      this.#waiting.delete(next);
      this.#running.add(next);
      next.start();
    }
  }

  #mayRun(next: SlotHolder): boolean {
    const running = [...this.#running];
    if (running.length >= EXTRACTIONS.running || running.some(({ owner }) => owner === next.owner))
      return false;
    return (
      !next.isUnclaimed || running.filter((other) => other.isUnclaimed).length < EXTRACTIONS.runningUnclaimed
    );
  }
}
