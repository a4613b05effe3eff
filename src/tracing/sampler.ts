import type { SteadyClock } from "../process/clock.ts";
import type { TraceParent } from "./trace-context.ts";

interface SamplerParts {
  readonly clock: Pick<SteadyClock, "elapsed">;
  /** Whether the caller decides about a trace that it brings. */
  readonly isParentBased: boolean;
  /** The share of the others that is recorded, from 0 to 1. */
  readonly ratio: number;
  /** The most in a second: of those that callers bring, and of the others each. */
  readonly perSecond: number;
}

/** How many digits of a trace's id decide about it: so many bits are a whole number here. */
const DIGITS = 13;

/** Decides which traces are recorded. Callers that bring many keep none of the others out. */
export class Sampler {
  readonly #parts: SamplerParts;
  readonly #brought: PerSecond;
  readonly #others: PerSecond;

  constructor(parts: SamplerParts) {
    this.#parts = parts;
    this.#brought = new PerSecond(parts);
    this.#others = new PerSecond(parts);
  }

  /** Whether a trace that begins here is recorded. @param parent who has brought it; null if nobody has */
  takes(traceId: string, parent: TraceParent | null): boolean {
    const { isParentBased, ratio } = this.#parts;
    const isMeant = parent !== null && isParentBased ? parent.isSampled : isInShare(traceId, ratio);
    return isMeant && (parent === null ? this.#others : this.#brought).take();
  }
}

/** The end of an id is random: all programs decide alike (W3C Trace Context, level 2, 2.2.3.2). */
function isInShare(traceId: string, ratio: number): boolean {
  return Number.parseInt(traceId.slice(-DIGITS), 16) < ratio * 16 ** DIGITS;
}

/** So many in a second, and as many at once after a second without any. */
class PerSecond {
  readonly #most: number;
  readonly #clock: SamplerParts["clock"];
  #left: number;
  #at: number;

  constructor({ clock, perSecond }: SamplerParts) {
    this.#most = perSecond;
    this.#clock = clock;
    this.#left = perSecond;
    this.#at = clock.elapsed();
  }

  take(): boolean {
    const now = this.#clock.elapsed();
    this.#left = Math.min(this.#most, this.#left + ((now - this.#at) * this.#most) / 1000);
    this.#at = now;
    if (this.#left < 1) return false;
    this.#left -= 1;
    return true;
  }
}
