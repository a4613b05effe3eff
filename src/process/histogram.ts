/** The upper bounds of the buckets for how long requests and their parts take, in seconds. */
export const DURATIONS: readonly number[] = [
  0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10,
];

/** How often values were in which bucket, since the process started. */
export class Histogram {
  /** The upper bound of each bucket but the last, which has none; each value is in the first that it fits in. */
  readonly bounds: readonly number[];
  /** How many values are in each bucket alone. */
  readonly counts: Float64Array;
  #sum = 0;

  /** @param bounds in ascending order */
  constructor(bounds: readonly number[]) {
    this.bounds = bounds;
    this.counts = new Float64Array(bounds.length + 1);
  }

  /** Of all values. */
  get sum(): number {
    return this.#sum;
  }

  observe(value: number): void {
    const { bounds } = this;
    let bucket = 0;
    while (bucket < bounds.length && value > (bounds[bucket] ?? 0)) bucket += 1;
    this.counts[bucket] = (this.counts[bucket] ?? 0) + 1;
    this.#sum += value;
  }

  /** Observes how long work takes, in seconds, unless it rejects. */
  async time<T>(work: () => Promise<T>): Promise<T> {
    const began = performance.now();
    const result = await work();
    this.observe((performance.now() - began) / 1000);
    return result;
  }
}
