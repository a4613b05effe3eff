import { DURATIONS, Histogram } from "../../process/histogram.ts";

/** What is known of all writes since the start. */
export interface WriteFigures {
  /** How many wait now to be run. */
  readonly waiting: number;
  /** How many each commit had. */
  readonly groups: Histogram;
  /** How long each sync of the log took, in seconds. */
  readonly syncs: Histogram;
}

/** Counts commits and times syncs. */
export class WriteMeter {
  readonly groups = new Histogram([1, 2, 4, 8, 16, 32, 64, 128, 256]);
  readonly syncs = new Histogram(DURATIONS);

  /** Runs a sync; one that fails is not counted. */
  async timed(sync: () => Promise<void>): Promise<void> {
    const began = performance.now();
    await sync();
    this.syncs.observe((performance.now() - began) / 1000);
  }
}
