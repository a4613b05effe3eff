/** Space on the disk that is promised to one content, and not written yet. */
export class SpacePromise {
  readonly #all: { bytes: number };
  #left = 0;

  /** @param all the sum of all promises */
  constructor(all: { bytes: number }) {
    this.#all = all;
  }

  /** Bytes. */
  get left(): number {
    return this.#left;
  }

  give(bytes: number): void {
    this.#left += bytes;
    this.#all.bytes += bytes;
  }

  /** Some of it is written: from then on the file system counts it. */
  keep(bytes: number): void {
    this.give(-Math.min(bytes, this.#left));
  }

  /** The content is written or dropped. */
  end(): void {
    this.keep(this.#left);
  }
}
