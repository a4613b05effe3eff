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
 * Extractions that were made of late: who reads a document page by page asks for it again and again. A refusal that may
 * pass is forgotten after a minute, however often it is asked for.
 */
export class RecentExtractions {
  readonly #clock: SteadyClock;
  /** The one that was used last is at the end. */
  readonly #kept = new Map<string, Kept>();
  #units = 0;
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
    this.#remove(key);
    this.#rest();
    const until = mayPass(extraction) ? this.#clock.elapsed() + RETRY_PAUSES_MS[0] : Number.POSITIVE_INFINITY;
    this.#kept.set(key, { extraction, until });
    this.#units += unitsOf(extraction);
    for (const oldest of this.#kept.keys()) {
      if (this.#units <= UNITS && this.#kept.size <= ENTRIES) return;
      this.#remove(oldest);
    }
  }

  #rest(): void {
    clearTimeout(this.#idle);
    this.#idle = setTimeout(() => {
      this.#kept.clear();
      this.#units = 0;
    }, IDLE_MS).unref();
  }

  #remove(key: string): void {
    const found = this.#kept.get(key);
    if (found !== undefined) this.#units -= unitsOf(found.extraction);
    this.#kept.delete(key);
  }
}

function unitsOf(extraction: Extraction): number {
  return extraction.kind === "text" ? extraction.text.length : 0;
}
