import type { BlobStore } from "../../blobs/blob-store.ts";
import type { TextJob } from "../../db/search/text-index.ts";
import type { Tables } from "../../db/tables.ts";
import { WriteRefused } from "../../domain/errors.ts";
import type { DrivePk } from "../../domain/id.ts";
import { isTextType } from "../../domain/media-type.ts";
import { SEARCHED_BYTES } from "../../domain/search/text.ts";
import { sliceCount, wordsOfSlice } from "../../domain/search/slices.ts";
import { nameTokens, textTokens } from "../../domain/search/tokens.ts";
import type { Log } from "../../log.ts";
import { readFor } from "../damaged-file.ts";
import { readSearchedText } from "./searched-text.ts";

/** How long changes are collected before they are indexed, in milliseconds; a search does not wait for this. */
const GATHER_MS = 100;
/** How long to wait after the index could not be written, in milliseconds. */
const RETRY_MS = 10_000;
/** The longest pause after a step, in milliseconds: how much longer a search may wait. */
const REST_MS = 5;
/** How many jobs are read at once. */
const JOBS = 100;
/** How many bytes of texts are read at once, unless a single one has more. */
const READ_BYTES = 256 * 1024;
/** How many UTF-16 units of tokens one transaction writes, unless a single slice has more. */
const BATCH_UNITS = 100_000;
/** A search waits only if fewer names and texts than this are to be indexed in its drives. */
const NEAR = 500;
/** How long one transaction removes the terms of removed files, in milliseconds. */
const REMOVAL_MS = 5;

/** A search that waits for drives to be indexed. */
interface Waiter {
  readonly drives: readonly DrivePk[];
}

/**
 * Keeps the full-text index up to date. Triggers put the jobs into the database. They are done in small transactions;
 * a job is dropped if the file has changed again.
 */
export class Indexer {
  readonly #tables: Tables;
  readonly #blobs: BlobStore;
  readonly #log: Log;
  readonly #waiters = new Set<Waiter>();
  #timer: NodeJS.Timeout | null = null;
  #running: Promise<void> | null = null;
  /** Whether it runs in the background. */
  #isStarted = false;
  #isStopped = false;
  /** Whether the index may have something to merge. */
  #isGrown = true;
  /** Whether the last step was a merge. */
  #hasMerged = false;
  #step = Promise.withResolvers<void>();

  constructor(parts: { tables: Tables; blobs: BlobStore; log: Log }) {
    this.#tables = parts.tables;
    this.#blobs = parts.blobs;
    this.#log = parts.log;
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
        if (await this.#index(drive)) {
          // Moves the waiter to the end, so that the others get a turn.
          if (this.#waiters.delete(waiter)) this.#waiters.add(waiter);
          return true;
        }
      }
    }
    return (await this.#index(null)) || (await this.#removeGone());
  }

  /** Names and texts in turn, so that neither waits for all of the others. */
  async #index(drive: DrivePk | null): Promise<boolean> {
    const hasNames = await this.#indexNames(drive);
    return (await this.#indexTexts(drive)) || hasNames;
  }

  /**
   * Merges a little. Returns false if there is nothing to merge. This comes first, because an index that grows faster
   * than it is merged becomes slow to search; but if searches wait, only every second step is a merge.
   */
  async #merge(): Promise<boolean> {
    if (!this.#isGrown || (this.#hasMerged && this.#waiters.size > 0)) {
      this.#hasMerged = false;
      return false;
    }
    this.#hasMerged = await this.#tables.writeDerived(() => this.#tables.searchIndex.merge());
    this.#isGrown = this.#hasMerged;
    return this.#hasMerged;
  }

  /** Reads, splits and writes in one transaction, so that the names are current. */
  async #indexNames(drive: DrivePk | null): Promise<boolean> {
    const { searchIndex, writeDerived } = this.#tables;
    if (searchIndex.nameJobs(drive, 1).length === 0) return false;
    await writeDerived(() => {
      let units = 0;
      for (const job of searchIndex.nameJobs(drive, JOBS)) {
        const tokens = nameTokens(job.drive, job);
        searchIndex.putNames(job.file, tokens);
        searchIndex.finish(job.ticket);
        units += tokens.length;
        if (units > BATCH_UNITS) return;
      }
    });
    this.#isGrown = true;
    return true;
  }

  /** Reads some texts concurrently, and writes them in order. */
  async #indexTexts(drive: DrivePk | null): Promise<boolean> {
    const jobs = together(this.#tables.searchIndex.textJobs(drive, JOBS));
    const texts = await Promise.all(jobs.map(async (job) => ({ job, text: await this.#read(job) })));
    const batch = new Batch({ tables: this.#tables });
    for (const { job, text } of texts) {
      const slices = sliceCount(text);
      for (let slice = 0; slice < slices; slice += 1) {
        if (this.#isStopped) return false;
        const tokens = textTokens(job.drive, wordsOfSlice(text, slice));
        await batch.add(tokens.length, () => this.#put(job, slice, tokens, slice === slices - 1));
      }
    }
    await batch.commit();
    this.#isGrown ||= jobs.length > 0;
    return jobs.length > 0;
  }

  /** No search waits for this: removed files are not shown. */
  async #removeGone(): Promise<boolean> {
    const { searchIndex, writeDerived } = this.#tables;
    if (searchIndex.gone(1).length === 0) return false;
    await writeDerived(() => {
      const end = performance.now() + REMOVAL_MS;
      for (const file of searchIndex.gone(JOBS)) {
        searchIndex.removeGone(file);
        if (performance.now() > end) return;
      }
    });
    this.#isGrown = true;
    return true;
  }

  /** Runs inside a write. */
  #put(job: TextJob, slice: number, tokens: string, isLast: boolean): void {
    const { searchIndex } = this.#tables;
    if (!searchIndex.isCurrent(job.ticket)) return;
    if (tokens !== "") searchIndex.putText(job.file, slice, tokens);
    if (isLast) searchIndex.finish(job.ticket);
  }

  /** The searched text of a content; empty if it is not text or cannot be read. */
  async #read(job: TextJob): Promise<string> {
    if (!isTextType(job.mimeType)) return "";
    try {
      return (await readFor(job, () => readSearchedText(this.#blobs, job))) ?? "";
    } catch (error) {
      // Damaged, or just removed: neither may block the other jobs.
      this.#log.error("a content could not be indexed", { digest: job.digest, error });
      return "";
    }
  }
}

/** The first of some jobs: as many as may be read at once. */
function together(jobs: readonly TextJob[]): readonly TextJob[] {
  let bytes = 0;
  const end = jobs.findIndex(({ size }) => (bytes += Math.min(size, SEARCHED_BYTES)) > READ_BYTES);
  return end === -1 ? jobs : jobs.slice(0, Math.max(end, 1));
}

/** Collects small writes into short transactions. */
class Batch {
  readonly #tables: Tables;
  #puts: (() => void)[] = [];
  #units = 0;

  constructor(parts: { tables: Tables }) {
    this.#tables = parts.tables;
  }

  async add(units: number, put: () => void): Promise<void> {
    this.#puts.push(put);
    this.#units += units;
    if (this.#units > BATCH_UNITS) await this.commit();
  }

  async commit(): Promise<void> {
    if (this.#puts.length === 0) return;
    const puts = this.#puts;
    [this.#puts, this.#units] = [[], 0];
    await this.#tables.writeDerived(() => {
      for (const put of puts) put();
    });
  }
}
