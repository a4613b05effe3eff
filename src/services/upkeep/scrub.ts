import { setTimeout as sleep } from "node:timers/promises";
import type { BlobFacts } from "../../blobs/blob-file.ts";
import { unlessUnavailable } from "../../blobs/blob-place.ts";
import type { ScrubState } from "../../db/upkeep/store.ts";
import { WriteRefused } from "../../domain/errors.ts";
import type { Parts } from "../parts.ts";
import { Service } from "../service.ts";
import { requireFurther } from "../pieces.ts";

/** How many bytes a second are read: little beside the requests, and 40 TB in 30 days. */
const BYTES_A_SECOND = 16 * 1024 * 1024;
/** How many bytes are read without a pause. */
const BURST_BYTES = 64 * 1024;
/** What a blob costs at least, in bytes. */
const LEAST_BYTES = 1024;
/** How many contents one query returns. The progress is stored after each. */
const BATCH = 100;
/** How many damaged contents one turn looks at. */
const DAMAGED = 1000;

/** What the scrub has found. Times are milliseconds since the epoch. */
export interface ScrubStatus {
  /** How much of this round is done, from 0 to 1. */
  readonly progress: number;
  /** When all contents had been checked the last time; null if never. */
  readonly finishedAt: number | null;
  /** How many contents of files are damaged, as far as is known. */
  readonly damaged: number;
}

/**
 * Reads all contents, slowly, again and again, and remembers damage. Digests are evenly distributed, so each blob has
 * its time in a round by its digest, however many there are. After a restart the round catches up.
 */
export class Scrub extends Service<
  Pick<Parts, "tables" | "damaged" | "clock" | "log"> & {
    /** How long a round takes, in milliseconds; with 0 there is none. */
    scrubIntervalMs: number;
  }
> {
  readonly #stopping = new AbortController();
  #running: Promise<unknown> = Promise.resolve();
  /** Bytes that were read since the last pause. */
  #burst = 0;
  /** The last damaged content that was looked at. */
  #lookedAt = "";

  /** Checks the contents that are due. Returns how many. */
  run(): Promise<number> {
    const checked = this.#run();
    this.#running = checked.catch(() => {});
    return checked;
  }

  /** Ends a running check at once. It starts again with the content that it was reading. */
  async stop(): Promise<void> {
    this.#stopping.abort();
    await this.#running;
  }

  get isOn(): boolean {
    return this.parts.scrubIntervalMs > 0;
  }

  status(): ScrubStatus {
    const state = this.parts.tables.scrub.state();
    return {
      progress: state === null ? 0 : shareOf(state.reached),
      finishedAt: state?.finishedAt ?? null,
      damaged: this.parts.tables.damagedContents.count(),
    };
  }

  async #run(): Promise<number> {
    if (this.parts.tables.hasFailed()) return 0;
    try {
      await this.#lookAgain();
      return this.parts.scrubIntervalMs === 0 ? 0 : await this.#checkDue();
    } catch (error) {
      if (this.#stopping.signal.aborted || error instanceof WriteRefused) return 0;
      throw error;
    }
  }

  /** Checks damaged contents again that have changed: somebody may have restored them. */
  async #lookAgain(): Promise<void> {
    const some = this.parts.tables.damagedContents.some(this.#lookedAt, DAMAGED);
    this.#lookedAt = some.length < DAMAGED ? "" : (some.at(-1)?.digest ?? "");
    for (const content of some) {
      if (this.parts.damaged.hasChanged(content)) await this.#check(content);
      else await this.#pause(0);
    }
  }

  async #checkDue(): Promise<number> {
    const now = this.parts.clock.now();
    const none = { reached: "", contents: 0, finishedAt: null, startedAt: Infinity };
    let state: ScrubState = this.parts.tables.scrub.state() ?? none;
    // A round begins if there is none, and begins later if the clock was set back.
    if (state.startedAt > now) {
      state = { ...state, startedAt: now };
      await this.#store(state);
    }
    let checked = 0;
    const share = (now - state.startedAt) / this.parts.scrubIntervalMs;
    for (;;) {
      const begun = state.reached;
      const contents = this.parts.tables.scrub.contents(begun, digestAt(share), BATCH);
      try {
        for (const content of contents) {
          await this.#check(content);
          state = { ...state, reached: content.digest, contents: state.contents + 1 };
          checked += 1;
        }
      } finally {
        if (contents.length > 0) await this.#store(state);
      }
      if (contents.length < BATCH) break;
      requireFurther("the check of contents", begun, state.reached);
    }
    if (share < 1) return checked;
    await this.#store({ startedAt: now, reached: "", contents: 0, finishedAt: now });
    const damaged = this.parts.tables.damagedContents.count();
    this.parts.log.info("all contents have been checked", { contents: state.contents, damaged });
    return checked;
  }

  /** After a power cut some contents are checked again. */
  async #store(state: ScrubState): Promise<void> {
    await this.parts.tables.writeDerived(() => this.parts.tables.scrub.put(state));
  }

  async #check(content: BlobFacts): Promise<void> {
    await this.#pause(LEAST_BYTES);
    // What is on a disk that is away has its turn in the next round.
    await unlessUnavailable(this.parts.damaged.check(content, (bytes) => this.#pause(bytes)));
  }

  /** Leaves the processor and the disk to requests for as long as so many bytes may take. Throws when stopped. */
  async #pause(bytes: number): Promise<void> {
    const { signal } = this.#stopping;
    signal.throwIfAborted();
    this.#burst += bytes;
    if (this.#burst < BURST_BYTES) return;
    const ms = (this.#burst / BYTES_A_SECOND) * 1000;
    this.#burst = 0;
    await sleep(ms, undefined, { signal });
  }
}

/** How many hex digits of a digest are looked at as a number. */
const DIGITS = 12;

/** Above every digest. */
const END = "g";

/** The place in the order of digests that is this share of the way, from 0 to 1. */
function digestAt(share: number): string {
  if (share >= 1) return END;
  return Math.floor(Math.max(0, share) * 16 ** DIGITS)
    .toString(16)
    .padStart(DIGITS, "0");
}

function shareOf(digest: string): number {
  return digest === "" ? 0 : Number.parseInt(digest.slice(0, DIGITS), 16) / 16 ** DIGITS;
}
