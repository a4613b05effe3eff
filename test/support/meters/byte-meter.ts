import { spyOn } from "bun:test";

/** What a call costs beside its bytes. */
const CALL = 100;

/**
 * Counts what is done with bytes in one turn of the event loop, in which all others wait: each byte that is searched,
 * copied, compared, or made to characters by a call of the runtime.
 */
export class ByteMeter implements Disposable {
  #bytes = 0;
  #largest = 0;
  #isTurnKnown = false;
  readonly #spies = new DisposableStack();

  constructor() {
    const count = (bytes: number) => this.#count(bytes);
    const { prototype } = Buffer;
    const { indexOf, lastIndexOf, copy, compare } = prototype;
    this.#spies.use(
      spyOn(prototype, "indexOf").mockImplementation(function (
        this: Buffer,
        ...args: Parameters<typeof indexOf>
      ) {
        const found = indexOf.apply(this, args);
        const [, from] = args;
        count((found === -1 ? this.length : found) - (typeof from === "number" ? from : 0));
        return found;
      }),
    );
    this.#spies.use(
      spyOn(prototype, "lastIndexOf").mockImplementation(function (
        this: Buffer,
        ...args: Parameters<typeof lastIndexOf>
      ) {
        const found = lastIndexOf.apply(this, args);
        const [, from] = args;
        count((typeof from === "number" ? from : this.length) - found);
        return found;
      }),
    );
    this.#spies.use(
      spyOn(prototype, "copy").mockImplementation(function (this: Buffer, ...args: Parameters<typeof copy>) {
        const copied = copy.apply(this, args);
        count(copied);
        return copied;
      }),
    );
    this.#spies.use(
      spyOn(prototype, "compare").mockImplementation(function (
        this: Buffer,
        ...args: Parameters<typeof compare>
      ) {
        const [, start, end] = args;
        count(typeof start === "number" && typeof end === "number" ? end - start : this.length);
        return compare.apply(this, args);
      }),
    );
    const concat = Buffer.concat.bind(Buffer);
    this.#spies.use(
      spyOn(Buffer, "concat").mockImplementation((...args: Parameters<typeof concat>) => {
        const joined = concat(...args);
        count(joined.length);
        return joined;
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
    this.#spies.dispose();
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
