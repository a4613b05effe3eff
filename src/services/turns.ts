/** Lets those who name the same key do their work one after the other, in the order in which they came. */
export class Turns<K> {
  readonly #last = new Map<K, Promise<unknown>>();

  async take<T>(key: K, work: () => Promise<T>): Promise<T> {
    const result = (this.#last.get(key) ?? Promise.resolve()).then(work);
    const end = result.catch(() => {});
    this.#last.set(key, end);
    try {
      return await result;
    } finally {
      if (this.#last.get(key) === end) this.#last.delete(key);
    }
  }
}
