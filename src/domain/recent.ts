/** A map that forgets what was not used for longest, where it would hold too much. */
export class Recent<K, V> {
  /** By last use, oldest first. */
  readonly #values = new Map<K, V>();
  readonly #most: number;
  readonly #sizeOf: (value: V) => number;
  readonly #forgotten: (key: K) => void;
  #size = 0;

  /**
   * @param sizeOf what a value counts for, of `most`
   * @param forgotten is told what it forgets for lack of room
   */
  constructor(most: number, sizeOf: (value: V) => number = () => 1, forgotten: (key: K) => void = () => {}) {
    this.#most = most;
    this.#sizeOf = sizeOf;
    this.#forgotten = forgotten;
  }

  get(key: K): V | undefined {
    const value = this.#values.get(key);
    if (value === undefined) return undefined;
    this.#values.delete(key);
    this.#values.set(key, value);
    return value;
  }

  set(key: K, value: V): void {
    this.delete(key);
    this.#values.set(key, value);
    this.#size += this.#sizeOf(value);
    for (const oldest of this.#values.keys()) {
      if (this.#size <= this.#most) break;
      this.delete(oldest);
      this.#forgotten(oldest);
    }
  }

  delete(key: K): void {
    const value = this.#values.get(key);
    if (value === undefined) return;
    this.#values.delete(key);
    this.#size -= this.#sizeOf(value);
  }
}
