import { spyOn } from "bun:test";

/** What a call costs beside its bytes. */
const CALL = 100;

/**
 * Counts what is done with bytes in one turn of the event loop, in which all others wait: each byte that is searched,
 * copied, compared, encoded or decoded by a call of the runtime.
 */
export class ByteMeter implements Disposable {
  #bytes = 0;
  #largest = 0;
  #isTurnKnown = false;
  readonly #restore: (() => void)[] = [];

  constructor() {
    const { prototype } = Buffer;
    const { indexOf, lastIndexOf, copy, compare, toString } = prototype;
    const meter = this;
    this.#watch(
      spyOn(prototype, "indexOf").mockImplementation(function (
        this: Buffer,
        ...args: Parameters<typeof indexOf>
      ) {
        const found = indexOf.apply(this, args);
        meter.#count((found === -1 ? this.length : found) - (typeof args[1] === "number" ? args[1] : 0));
        return found;
      }),
    );
    this.#watch(
      spyOn(prototype, "lastIndexOf").mockImplementation(function (
        this: Buffer,
        ...args: Parameters<typeof lastIndexOf>
      ) {
        const found = lastIndexOf.apply(this, args);
        meter.#count((typeof args[1] === "number" ? args[1] : this.length) - found);
        return found;
      }),
    );
    this.#watch(
      spyOn(prototype, "copy").mockImplementation(function (this: Buffer, ...args: Parameters<typeof copy>) {
        return meter.#counted(copy.apply(this, args));
      }),
    );
    this.#watch(
      spyOn(prototype, "compare").mockImplementation(function (
        this: Buffer,
        ...args: Parameters<typeof compare>
      ) {
        const [, start, end] = args;
        meter.#count(typeof start === "number" && typeof end === "number" ? end - start : this.length);
        return compare.apply(this, args);
      }),
    );
    this.#watch(
      spyOn(prototype, "toString").mockImplementation(function (
        this: Buffer,
        ...args: Parameters<typeof toString>
      ) {
        const text = toString.apply(this, args);
        meter.#count(text.length);
        return text;
      }),
    );
    const { concat } = Buffer;
    this.#watch(
      spyOn(Buffer, "concat").mockImplementation((...args: Parameters<typeof concat>) => {
        const joined = concat(...args);
        this.#count(joined.length);
        return joined;
      }),
    );
    const { decode } = TextDecoder.prototype;
    this.#watch(
      spyOn(TextDecoder.prototype, "decode").mockImplementation(function (
        this: TextDecoder,
        ...args: Parameters<typeof decode>
      ) {
        const text = decode.apply(this, args);
        meter.#count(text.length);
        return text;
      }),
    );
  }

  /** The bytes of the largest turn since the last call. */
  largest(): number {
    const largest = Math.max(this.#largest, this.#bytes);
    this.#largest = 0;
    this.#bytes = 0;
    return largest;
  }

  [Symbol.dispose](): void {
    for (const restore of this.#restore) restore();
  }

  #watch(spy: { mockRestore(): void }): void {
    this.#restore.push(() => spy.mockRestore());
  }

  #counted(bytes: number): number {
    this.#count(bytes);
    return bytes;
  }

  #count(bytes: number): void {
    this.#bytes += bytes + CALL;
    if (this.#isTurnKnown) return;
    this.#isTurnKnown = true;
    setImmediate(() => {
      this.#isTurnKnown = false;
      this.#largest = this.largest();
    });
  }
}
