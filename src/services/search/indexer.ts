import { CofferError } from "../../domain/errors.ts";
import type { DrivePk } from "../../domain/id.ts";
import { IDLE_MS, type IndexParts, IndexSteps } from "./index-steps.ts";
import { Service } from "../service.ts";

/** How long changes are collected before they are indexed, in milliseconds; a search does not wait for this. */
const GATHER_MS = 100;
/** How long to wait after the index could not be written, in milliseconds. */
const RETRY_MS = 10_000;
/** A search waits only if fewer names and texts than this are to be indexed in its drives. */
const NEAR = 500;

/** A search waits for no more documents than this: each may take seconds. */
const NEAR_DOCUMENTS = 8;

/** What is to be indexed. */
export interface IndexBacklog {
  /** Names and texts of files. */
  readonly waiting: number;
  /** Milliseconds since the epoch; null if indexing does not fail. */
  readonly failingSince: number | null;
}

/** Keeps the full-text index up to date: does the jobs that triggers add, in the background, or for who waits. */
export class Indexer extends Service<IndexParts> {
  readonly #steps = new IndexSteps(this.parts);
  /** The drives of each search that waits for these to be indexed. */
  readonly #waiters = new Set<readonly DrivePk[]>();
  #timer: NodeJS.Timeout | undefined;
  #due = Number.POSITIVE_INFINITY;
  #running: Promise<void> | null = null;
  /** Whether it runs in the background. */
  #isStarted = false;
  #isStopped = false;
  /** Since when it fails again and again; milliseconds since the epoch, null if it does not. */
  #failingSince: number | null = null;
  /** Whether the last step was a merge. */
  #hasMerged = false;
  /** Whether it was asked to run since it last began to look for something to do. */
  #isAsked = false;
  /** Resolves at the end of the current step, with whether it was done. */
  #step = Promise.withResolvers<boolean>();

  /** Starts to run in the background, with the jobs that the last process left. */
  start(): void {
    this.#isStarted = true;
    this.wake();
  }

  /** Call this when files have changed. */
  wake(): void {
    this.#schedule(GATHER_MS);
  }

  /** How much is to be done, at most `most`, and since when that fails. */
  backlog(most: number): IndexBacklog {
    const { searchJobs } = this.parts.tables;
    const waiting = searchJobs.count(most);
    const unfilled = waiting < most ? searchJobs.unfilled(most - waiting) : 0;
    return { waiting: waiting + unfilled, failingSince: this.#failingSince };
  }

  /** How many jobs were done since the start, each of the names or the text of a file, or both. */
  get jobsDone(): number {
    return this.#steps.jobsDone;
  }

  /** Has documents read again whose text could not be had, and whose pause is over. */
  async retryDocuments(): Promise<void> {
    if (!this.#isStopped && (await this.#steps.retryDocuments())) this.wake();
  }

  /** See `IndexSteps.remake`. */
  remake(): void {
    this.#steps.remake();
    this.wake();
  }

  /** Whether so little of these drives is left to index that it is worth waiting for. */
  isNear(drives: readonly DrivePk[]): boolean {
    return this.parts.tables.searchJobs.waiting(drives, NEAR, this.#steps.passedTo) < NEAR;
  }

  /** Waits until everything in these drives is indexed, for at most `ms` milliseconds. */
  async settle(drives: readonly DrivePk[], ms: number): Promise<void> {
    const deadline = performance.now() + ms;
    const waiter = [...drives];
    this.#waiters.add(waiter);
    try {
      while (!this.#isStopped) {
        const left = deadline - performance.now();
        if (left <= 0) return;
        if (this.#waitsFor(drives)) this.#run();
        // Documents are read beside the steps; there is a step when one is to be written.
        else {
          const documents = this.parts.tables.searchJobs.waiting(drives, NEAR_DOCUMENTS + 1, 0);
          if (documents === 0 || documents > NEAR_DOCUMENTS) return;
        }
        if (!(await this.#stepWithin(left))) return;
      }
    } finally {
      this.#waiters.delete(waiter);
    }
  }

  /** Waits for the current step, and closes the index; no other step starts. */
  async stop(): Promise<void> {
    this.#isStopped = true;
    this.#steps.stop();
    clearTimeout(this.#timer);
    await this.#running;
    await this.#steps.close();
  }

  /** Whether there is something to do for these drives. A new index is waited for only if it is soon full. */
  #waitsFor(drives: readonly DrivePk[]): boolean {
    const { searchJobs } = this.parts.tables;
    if (!this.#steps.isKnown || searchJobs.waiting(drives, 1, this.#steps.passedTo) > 0) return true;
    const unfilled = searchJobs.unfilled(NEAR);
    return unfilled > 0 && unfilled < NEAR;
  }

  /** Runs after so many milliseconds, or earlier if that is planned already. */
  #schedule(ms: number): void {
    const due = performance.now() + ms;
    if (!this.#isStarted || this.#isStopped || this.#due <= due) return;
    clearTimeout(this.#timer);
    this.#due = due;
    this.#timer = setTimeout(() => {
      this.#due = Number.POSITIVE_INFINITY;
      this.#run();
    }, ms);
  }

  /** Waits for the end of a step. Whether it was done; false after a timeout or a failure. */
  async #stepWithin(ms: number): Promise<boolean> {
    const late = Promise.withResolvers<boolean>();
    const timer = setTimeout(() => late.resolve(false), ms);
    const isDone = await Promise.race([this.#step.promise, late.promise]);
    clearTimeout(timer);
    return isDone;
  }

  #run(): void {
    this.#isAsked = true;
    this.#running ??= this.#work();
  }

  async #work(): Promise<void> {
    try {
      // Jobs may have come after the last look.
      while (this.#isAsked) {
        this.#isAsked = false;
        while (await this.#next()) this.#announce(true);
      }
      this.#failingSince = null;
      // Before the waiters resume: one that finds more jobs must be able to start again.
      this.#running = null;
      this.#announce(true);
    } catch (error) {
      this.#running = null;
      this.#failingSince ??= this.parts.clock.now();
      // A disk that is full or failed, and too few descriptors, are logged elsewhere.
      if (!(error instanceof CofferError)) this.parts.log.error("indexing failed", { error });
      this.#announce(false);
      this.#schedule(RETRY_MS);
    }
  }

  /** Ends the current step; waiters check again. */
  #announce(isDone: boolean): void {
    this.#step.resolve(isDone);
    this.#step = Promise.withResolvers();
  }

  /** Does one step, first for waiters. Returns false if there is nothing to do now, or it is stopped. */
  async #next(): Promise<boolean> {
    if (this.#isStopped) return false;
    if (!this.#steps.isOpen) {
      // Without something to do, no thread is needed.
      if (this.#waiters.size === 0 && !(await this.#steps.hasWork())) return false;
      await this.#steps.open();
      return true;
    }
    // Merges a little, first: an unmerged index is slow. While searches wait, only every second step is a merge.
    const isTurn = !this.#hasMerged || this.#waiters.size === 0;
    this.#hasMerged = isTurn && (await this.#steps.merge());
    if (this.#hasMerged) return true;
    for (const waiter of this.#waiters) {
      for (const drive of waiter) {
        if ((await this.#steps.index(drive)) !== "nothing") {
          // Moves the waiter to the end, so that the others get a turn.
          if (this.#waiters.delete(waiter)) this.#waiters.add(waiter);
          return true;
        }
      }
    }
    const indexed = await this.#steps.index(null);
    await this.#steps.readDocument((isRead) => (isRead ? this.#run() : this.#schedule(RETRY_MS)));
    switch (indexed) {
      case "some":
        // Larger batches cost less: the next one collects for a while, unless a search or a new index waits.
        if (this.#waiters.size > 0 || this.parts.tables.searchJobs.filledTo() !== null) return true;
        this.#schedule(GATHER_MS);
        return false;
      case "many":
        return true;
      case "nothing":
        if ((await this.#steps.fill()) || (await this.#steps.release())) return true;
        if (!(await this.#steps.closeIdle())) this.#schedule(IDLE_MS);
        return false;
    }
  }
}
