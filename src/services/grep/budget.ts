import type { GrepBounds } from "./request.ts";

/** What one search of lines may still read and give. */
export class Budget {
  readonly #parts;
  readonly #end: number;
  #bytes = 0;
  #matches = 0;
  #characters = 0;

  constructor(parts: {
    bounds: GrepBounds;
    /** Its first cell is not 0 once the search must stop. */
    stop: Int32Array;
  }) {
    this.#parts = parts;
    this.#end = performance.now() + parts.bounds.time;
  }

  takeBytes(bytes: number): void {
    this.#bytes += bytes;
  }

  takeMatch(): void {
    this.#matches += 1;
  }

  /** Counts a text as the response has it, in which some characters take six. */
  takeText(text: string): void {
    const quotes = 2;
    this.#characters += JSON.stringify(text).length - quotes;
  }

  /** Whether the lines that were given are so many that not even those after the last matches are. */
  get isOverdrawn(): boolean {
    return this.#characters >= 2 * this.#parts.bounds.characters;
  }

  /** Whether the search must stop. It may finish what it has begun, if that is little. */
  get isSpent(): boolean {
    const { bytes, matches, characters } = this.#parts.bounds;
    return (
      this.#bytes >= bytes ||
      this.#matches >= matches ||
      this.#characters >= characters ||
      performance.now() >= this.#end ||
      Atomics.load(this.#parts.stop, 0) !== 0
    );
  }
}
