/** The largest of what it is given, up to so many; of equals the first. */
export class Largest<T> {
  /** Largest first. */
  readonly #values: T[] = [];
  readonly #most: number;
  readonly #sizeOf: (value: T) => number;

  constructor(most: number, sizeOf: (value: T) => number) {
    this.#most = most;
    this.#sizeOf = sizeOf;
  }

  /** Returns what has no place: null while there is room. */
  add(value: T): T | null {
    const size = this.#sizeOf(value);
    const place = this.#values.findLastIndex((each) => this.#sizeOf(each) >= size) + 1;
    this.#values.splice(place, 0, value);
    return this.#values.length > this.#most ? (this.#values.pop() ?? null) : null;
  }

  get values(): readonly T[] {
    return this.#values;
  }
}
