import type { Tables } from "../../db/tables.ts";
import { WriteRefused } from "../../domain/errors.ts";
import type { DrivePk } from "../../domain/id.ts";
import type { Log } from "../../log.ts";
import { type IndexParts, IndexSteps } from "./index-steps.ts";

/** How long changes are collected before they are indexed, in milliseconds; a search does not wait for this. */
const GATHER_MS = 100;
/** How long to wait after the index could not be written, in milliseconds. */
const RETRY_MS = 10_000;
/** The longest pause after a step, in milliseconds: how much longer a search may wait. */
const REST_MS = 5;
/** A search waits only if fewer names and texts than this are to be indexed in its drives. */
const NEAR = 500;

/** A search that waits for drives to be indexed. */
interface Waiter {
  readonly drives: readonly DrivePk[];
}

/**
 * Keeps the full-text index up to date. Triggers put the jobs into the database. This decides when they are done: in
 * the background, with pauses for other requests, and at once for searches that wait.
 */
export class Indexer {
  readonly #tables: Tables;
  readonly #log: Log;
  readonly #steps: IndexSteps;
  readonly #waiters = new Set<Waiter>();
  #timer: NodeJS.Timeout | null = null;
  #running: Promise<void> | null = null;
  /** Whether it runs in the background. */
  #isStarted = false;
  #isStopped = false;
  /** Whether the last step was a merge. */
  #hasMerged = false;
  #step = Promise.withResolvers<void>();

  constructor(parts: IndexParts) {
    this.#tables = parts.tables;
    this.#log = parts.log;
    this.#steps = new IndexSteps(parts);
  }

  /** Starts to run in the background, with the jobs that the last process left. */
  start(): void {
    this.#isStarted = true;
    this.wake();
  }

  /** Call this when files have changed. */
  wake(): void {
    this.#schedule(GATHER_MS);
  }

  /** Whether so little of these drives is left to index that it is worth waiting for. */
  isNear(drives: readonly DrivePk[]): boolean {
    return this.#tables.searchIndex.waiting(drives, NEAR) < NEAR;
  }

  /** Waits until everything in these drives is indexed, for at most `ms` milliseconds. */
  async settle(drives: readonly DrivePk[], ms: number): Promise<void> {
    const deadline = performance.now() + ms;
    const waiter = { drives };
    this.#waiters.add(waiter);
    try {
      while (!this.#isStopped && this.#tables.searchIndex.waitsFor(drives)) {
        const left = deadline - performance.now();
        if (left <= 0 || !(await this.#stepWithin(left))) return;
      }
    } finally {
      this.#waiters.delete(waiter);
    }
  }

  /** Waits for the current transaction; no other one starts. */
  async stop(): Promise<void> {
    this.#isStopped = true;
    this.#steps.stop();
    if (this.#timer !== null) clearTimeout(this.#timer);
    await this.#running;
  }

  #schedule(ms: number): void {
    if (!this.#isStarted || this.#isStopped || this.#timer !== null) return;
    this.#timer = setTimeout(() => {
      this.#timer = null;
      this.#run();
    }, ms);
  }

  /** Whether a step was done; false after a timeout or a failure. */
  async #stepWithin(ms: number): Promise<boolean> {
    this.#run();
    const { promise: late, resolve } = Promise.withResolvers<boolean>();
    const timer = setTimeout(() => resolve(false), ms);
    const done = this.#step.promise.then(
      () => true,
      () => false,
    );
    const isDone = await Promise.race([done, late]);
    clearTimeout(timer);
    return isDone;
  }

  #run(): void {
    this.#running ??= this.#work();
  }

  async #work(): Promise<void> {
    try {
      for (let started = performance.now(); await this.#next(); started = performance.now()) {
        this.#announce().resolve();
        await this.#rest(performance.now() - started);
      }
      // Before the waiters resume: one that finds more jobs must be able to start again.
      this.#running = null;
      this.#announce().resolve();
    } catch (error) {
      this.#running = null;
      if (!(error instanceof WriteRefused)) this.#log.error("indexing failed", { error });
      this.#announce().reject(error);
      this.#schedule(RETRY_MS);
    }
  }

  /** Pauses for as long as the step took, for other requests, unless a search is waiting. */
  async #rest(took: number): Promise<void> {
    if (this.#waiters.size > 0 || this.#isStopped) return;
    await new Promise((resolve) => setTimeout(resolve, Math.min(took, REST_MS)));
  }

  /** Ends the current step; waiters check again. */
  #announce(): PromiseWithResolvers<void> {
    const step = this.#step;
    // There may be no waiter to handle a rejection.
    step.promise.catch(() => {});
    this.#step = Promise.withResolvers();
    return step;
  }

  /** Does one step, first for waiters. Returns false if there is nothing to do, or it is stopped. */
  async #next(): Promise<boolean> {
    if (this.#isStopped) return false;
    if (await this.#merge()) return true;
    for (const waiter of this.#waiters) {
      for (const drive of waiter.drives) {
        if (await this.#steps.index(drive)) {
          // Moves the waiter to the end, so that the others get a turn.
          if (this.#waiters.delete(waiter)) this.#waiters.add(waiter);
          return true;
        }
      }
    }
    // No search waits for removed files: they are not shown.
    return (await this.#steps.index(null)) || (await this.#steps.removeGone());
  }

  /**
   * Merges a little. This comes first, because an index that grows faster than it is merged becomes slow to search; but
   * if searches wait, only every second step is a merge.
   */
  async #merge(): Promise<boolean> {
    const isTurn = !this.#hasMerged || this.#waiters.size === 0;
    this.#hasMerged = isTurn && (await this.#steps.merge());
    return this.#hasMerged;
  }
}
