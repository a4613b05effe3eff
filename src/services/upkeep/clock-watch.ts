import { WriteRefused } from "../../domain/errors.ts";
import { DAY_MS, HOUR_MS } from "../../domain/time.ts";
import type { Parts } from "../parts.ts";
import { Service } from "../service.ts";

/** A difference that is a jump, in milliseconds. */
const JUMP_MS = 10 * 60 * 1000;
/** How long no server may have run before a start, in milliseconds. */
const PAUSE_MS = DAY_MS;
/** How often it is stored that the clock is right, in milliseconds. */
const STORE_MS = HOUR_MS;
/** How long a clock is doubted, in milliseconds: that long somebody, or the network, has to set it right. */
export const DOUBT_MS = HOUR_MS;

/**
 * Doubts the clock for a while after it was, or may have been, set forward: what a wrong clock makes expire comes back
 * when it is set right, unless it was removed.
 */
export class ClockWatch extends Service<Pick<Parts, "clock" | "tables" | "log">> {
  #last = { now: this.parts.clock.now(), elapsed: this.parts.clock.elapsed() };
  /** By `elapsed`. */
  #doubtedUntil = -Infinity;

  constructor(parts: Pick<Parts, "clock" | "tables" | "log">) {
    super(parts);
    const trustedAt = parts.tables.store.trustedAt();
    const pause = this.#last.now - trustedAt;
    if (trustedAt > 0 && pause >= PAUSE_MS)
      this.#doubt("no server ran for long, or the clock is wrong", pause);
  }

  /**
   * The time by which what has expired may be removed; null while the clock is doubted. Use it for the whole removal,
   * as the clock may be set meanwhile. Call it often: a jump is what is between two calls.
   */
  async trustedNow(): Promise<number | null> {
    const { clock } = this.parts;
    const [now, elapsed] = [clock.now(), clock.elapsed()];
    const jump = now - this.#last.now - (elapsed - this.#last.elapsed);
    this.#last = { now, elapsed };
    if (jump >= JUMP_MS) this.#doubt("the clock was set forward", jump);
    if (elapsed < this.#doubtedUntil) return null;
    await this.#remember(now);
    return now;
  }

  #doubt(why: string, ms: number): void {
    this.#doubtedUntil = this.#last.elapsed + DOUBT_MS;
    const hours = Math.round(ms / HOUR_MS);
    this.parts.log.warn(`${why}: what has expired is removed from the disk only after an hour`, { hours });
  }

  /** For the next start. */
  async #remember(now: number): Promise<void> {
    const { store, writeFromReserve } = this.parts.tables;
    if (Math.abs(now - store.trustedAt()) < STORE_MS) return;
    try {
      await writeFromReserve(() => store.putTrustedAt(now));
    } catch (error) {
      if (!(error instanceof WriteRefused)) throw error;
    }
  }
}
