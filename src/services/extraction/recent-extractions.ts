import type { Extraction } from "../../domain/extraction.ts";
import { MIB } from "../../domain/limits.ts";

/** How much text is kept in all, in UTF-16 units. */
const UNITS = 8 * MIB;
/** After how long without use everything is forgotten, in milliseconds. */
const IDLE_MS = 60_000;
/** How many refusals and short texts. */
const ENTRIES = 1000;

/** Extractions that were made of late: who reads a document page by page asks for it again and again. */
export class RecentExtractions {
  /** The one that was used last is at the end. */
  readonly #kept = new Map<string, Extraction>();
  #units = 0;
  #idle: NodeJS.Timeout | undefined;

  get(key: string): Extraction | null {
    const found = this.#kept.get(key);
    if (found === undefined) return null;
    this.#rest();
    this.#kept.delete(key);
    this.#kept.set(key, found);
    return found;
  }

  put(key: string, extraction: Extraction): void {
    this.#remove(key);
    this.#rest();
    this.#kept.set(key, extraction);
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
    }, IDLE_MS);
    this.#idle.unref();
  }

  #remove(key: string): void {
    const found = this.#kept.get(key);
    if (found === undefined) return;
    this.#kept.delete(key);
    this.#units -= unitsOf(found);
  }
}

function unitsOf(extraction: Extraction): number {
  return extraction.kind === "text" ? extraction.text.length : 0;
}
