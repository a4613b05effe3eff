/** Work that several want at once: it is done once for all of them, and ended when the last of them has left. */
export class SharedWork<T> {
  readonly #underWay = new Map<
    string,
    { readonly result: Promise<T>; readonly ends: AbortController; wanted: number }
  >();

  /** The result of the work under a key. Rejects with the reason of `signal` if that comes before. */
  async join(key: string, signal: AbortSignal, work: (signal: AbortSignal) => Promise<T>): Promise<T> {
    signal.throwIfAborted();
    const joined = this.#underWay.get(key) ?? this.#begin(key, work);
    joined.wanted += 1;
    const left = Promise.withResolvers<never>();
    const leave = () => left.reject(signal.reason);
    signal.addEventListener("abort", leave);
    try {
      return await Promise.race([joined.result, left.promise]);
    } finally {
      signal.removeEventListener("abort", leave);
      joined.wanted -= 1;
      if (joined.wanted === 0) {
        // Who comes now is not to join work that is being ended.
        if (this.#underWay.get(key) === joined) this.#underWay.delete(key);
        joined.ends.abort();
      }
    }
  }

  #begin(key: string, work: (signal: AbortSignal) => Promise<T>) {
    const ends = new AbortController();
    const result = work(ends.signal);
    const begun = { result, ends, wanted: 0 };
    this.#underWay.set(key, begun);
    // The last to leave does not wait for how it ends.
    result.catch(() => {});
    return begun;
  }
}
