import { setTimeout as sleep } from "node:timers/promises";
import type { Parts } from "../parts.ts";
import { Service } from "../service.ts";

/** How many contents are added up without a pause, and how long that is, in milliseconds: others go first. */
const PIECE = 500;
const PAUSE_MS = 4;
/** How long a sum is used, in milliseconds. */
const FRESH_MS = 60_000;

/** All contents, those included that only versions, the trash and snapshots have. Equal ones are one. */
export interface ContentsSize {
  readonly contents: number;
  readonly bytes: number;
}

/** Adds up the sizes of all contents in the background, when somebody asks. */
export class ContentsSizes extends Service<Pick<Parts, "tables" | "clock" | "log">> {
  #last: ContentsSize | null = null;
  /** By `elapsed`. */
  #begunAt = -Infinity;
  #isRunning = false;
  #isStopped = false;

  /** What is known, which a few contents are at once; null while the first sum is made. */
  size(): ContentsSize | null {
    const now = this.parts.clock.elapsed();
    if (!this.#isRunning && !this.#isStopped && now - this.#begunAt >= FRESH_MS) {
      this.#begunAt = now;
      this.#add().catch((error: unknown) => {
        this.parts.log.error("the contents could not be added up", { error });
      });
    }
    return this.#last;
  }

  /** Ends what is under way. */
  stop(): void {
    this.#isStopped = true;
  }

  async #add(): Promise<void> {
    this.#isRunning = true;
    try {
      const sum = { contents: 0, bytes: 0 };
      for (let after = 0; !this.#isStopped;) {
        const { contents, bytes, last } = this.parts.tables.blobs.figuresAfter(after, PIECE);
        sum.contents += contents;
        sum.bytes += bytes;
        if (last === null || contents < PIECE) {
          this.#last = sum;
          return;
        }
        after = last;
        await sleep(PAUSE_MS);
      }
    } finally {
      this.#isRunning = false;
    }
  }
}
