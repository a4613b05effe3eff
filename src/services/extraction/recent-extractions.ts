import { type Extraction, mayPass, RETRY_PAUSES_MS } from "../../domain/contents/extraction.ts";
import type { SteadyClock } from "../../process/clock.ts";
import { MIB } from "../../domain/limits.ts";

/** How much text is kept in all, in UTF-16 units. */
const UNITS = 8 * MIB;
/** After how long without use everything is forgotten, in milliseconds. */
const IDLE_MS = 60_000;
/** How many refusals and short texts. */
const ENTRIES = 1000;

interface Kept {
  readonly extraction: Extraction;
  /** By the clock's `elapsed`; Infinity for what stays as it is. */
  readonly until: number;
}

/**
 * Keeps what was read last: many read a document page by page. A refusal that may pass is forgotten after a minute,
 * however often it is asked for.
 */
export class RecentExtractions {
  readonly #clock: SteadyClock;
  /** The one that was used last is at the end. */
  readonly #kept = new Map<string, Kept>();
  #idle: NodeJS.Timeout | undefined;

  constructor(parts: { clock: SteadyClock }) {
    this.#clock = parts.clock;
  }

  get(key: string): Extraction | null {
    const found = this.#kept.get(key);
    if (found === undefined || found.until <= this.#clock.elapsed()) return null;
    this.#rest();
    this.#kept.delete(key);
    this.#kept.set(key, found);
    return found.extraction;
  }

  put(key: string, extraction: Extraction): void {
    this.#rest();
    const until = mayPass(extraction) ? this.#clock.elapsed() + RETRY_PAUSES_MS[0] : Number.POSITIVE_INFINITY;
    this.#kept.delete(key);
    this.#kept.set(key, { extraction, until });
    let units = 0;
    for (const kept of this.#kept.values()) units += unitsOf(kept.extraction);
    for (const [oldest, kept] of this.#kept) {
      if (units <= UNITS && this.#kept.size <= ENTRIES) return;
      this.#kept.delete(oldest);
      units -= unitsOf(kept.extraction);
    }
  }

  #rest(): void {
    clearTimeout(this.#idle);
    this.#idle = setTimeout(() => this.#kept.clear(), IDLE_MS).unref();
  }
}

function unitsOf(extraction: Extraction): number {
  return extraction.kind === "text" ? extraction.text.length : 0;
}
