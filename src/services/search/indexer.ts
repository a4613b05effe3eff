import type { BlobStore } from "../../blobs/blob-store.ts";
import type { TextJob } from "../../db/search/text-index.ts";
import type { Tables } from "../../db/tables.ts";
import { WriteRefused } from "../../domain/errors.ts";
import type { DrivePk } from "../../domain/id.ts";
import { isTextType } from "../../domain/media-type.ts";
import { sliceCount, wordsOfSlice } from "../../domain/search/slices.ts";
import { nameTokens, textTokens } from "../../domain/search/tokens.ts";
import type { Log } from "../../log.ts";
import { readFor } from "../damaged-file.ts";
import { readSearchedText } from "./searched-text.ts";

/** How long changes are gathered before they are indexed, in milliseconds; a search does not wait for that. */
const GATHER_MS = 100;
/** How long to leave alone an index that could not be written. */
const RETRY_MS = 10_000;
/** The longest rest after a piece of work, in milliseconds: how much later a search may be that needs it. */
const REST_MS = 20;
/** How many jobs are looked at together. */
const JOBS = 100;
/** How many UTF-16 units of tokens one transaction takes, unless a single slice has more. */
const BATCH_UNITS = 40_000;
/** For how many milliseconds one transaction takes out what files that went have left. */
const REMOVAL_MS = 5;

/** Who waits for drives to be indexed. */
interface Waiter {
  readonly drives: readonly DrivePk[];
}

/**
 * Brings the full-text index up to date. What is to be done is in the database, left there by the changes
 * themselves; it is done in small transactions, in which a job that another change overtook is dropped.
 */
export class Indexer {
  readonly #tables: Tables;
  readonly #blobs: BlobStore;
  readonly #log: Log;
  readonly #waiters = new Set<Waiter>();
  #timer: NodeJS.Timeout | null = null;
  #running: Promise<void> | null = null;
  /** Whether it works by itself. */
  #isStarted = false;
  #isStopped = false;
  /** Whether the index may have something to merge. */
  #isGrown = true;
  /** Whether the last step was one of merging. */
  #hasMerged = false;
  #step = Promise.withResolvers<void>();

  constructor(parts: { tables: Tables; blobs: BlobStore; log: Log }) {
    this.#tables = parts.tables;
    this.#blobs = parts.blobs;
    this.#log = parts.log;
  }

  /** Begins to work by itself, with what the last process left. */
  start(): void {
    this.#isStarted = true;
    this.wake();
  }

  /** Says that something has changed. */
  wake(): void {
    this.#schedule(GATHER_MS);
  }

  /** Waits until everything of these drives is indexed, for at most `ms` milliseconds. */
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

  /** Lets a transaction in progress end; nothing further is done. */
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

  /** Whether something was done; false when time has run out or the work failed. */
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
      // Before anybody hears of it: who finds more to do must be able to start again.
      this.#running = null;
      this.#announce().resolve();
    } catch (error) {
      this.#running = null;
      if (!(error instanceof WriteRefused)) this.#log.error("indexing failed", { error });
      this.#announce().reject(error);
      this.#schedule(RETRY_MS);
    }
  }

  /** Leaves as much of the thread to requests as it took, unless one of them is waiting for it. */
  async #rest(took: number): Promise<void> {
    if (this.#waiters.size > 0 || this.#isStopped) return;
    await new Promise((resolve) => setTimeout(resolve, Math.min(took, REST_MS)));
  }

  /** Ends the present step; those who wait look again. */
  #announce(): PromiseWithResolvers<void> {
    const step = this.#step;
    // Nobody may be waiting for it.
    step.promise.catch(() => {});
    this.#step = Promise.withResolvers();
    return step;
  }

  /** Does some of what is to be done, what somebody waits for first; false when there is nothing, or it is to stop. */
  async #next(): Promise<boolean> {
    if (this.#isStopped) return false;
    if (await this.#merge()) return true;
    for (const waiter of this.#waiters) {
      for (const drive of waiter.drives) {
        if ((await this.#indexNames(drive)) || (await this.#indexTexts(drive))) {
          // The others have their turn.
          if (this.#waiters.delete(waiter)) this.#waiters.add(waiter);
          return true;
        }
      }
    }
    return (await this.#indexNames(null)) || (await this.#indexTexts(null)) || (await this.#removeGone());
  }

  /**
   * Merges a little; false when there is nothing to merge. It comes before all else, since an index that grows
   * faster than it is merged gets slow to search; but whoever waits has every second step.
   */
  async #merge(): Promise<boolean> {
    if (!this.#isGrown || (this.#hasMerged && this.#waiters.size > 0)) {
      this.#hasMerged = false;
      return false;
    }
    this.#hasMerged = await this.#tables.write(() => this.#tables.searchIndex.merge());
    this.#isGrown = this.#hasMerged;
    return this.#hasMerged;
  }

  /** Read, split and written in one step, so the names are those that stand. */
  async #indexNames(drive: DrivePk | null): Promise<boolean> {
    const { searchIndex, write } = this.#tables;
    if (searchIndex.nameJobs(drive, 1).length === 0) return false;
    await write(() => {
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

  /** Ends after the first transaction that ends with a file, so that names and other drives get in between. */
  async #indexTexts(drive: DrivePk | null): Promise<boolean> {
    const jobs = this.#tables.searchIndex.textJobs(drive, JOBS);
    const batch = new Batch({ tables: this.#tables });
    for (const job of jobs) {
      const text = await this.#read(job);
      const slices = sliceCount(text);
      for (let slice = 0; slice < slices; slice += 1) {
        if (this.#isStopped) return false;
        const tokens = textTokens(job.drive, wordsOfSlice(text, slice));
        await batch.add(tokens.length, () => this.#put(job, slice, tokens, slice === slices - 1));
      }
      if (batch.commits > 0) break;
    }
    await batch.commit();
    this.#isGrown ||= jobs.length > 0;
    return jobs.length > 0;
  }

  /** Nothing waits for it: no search gives what has gone. */
  async #removeGone(): Promise<boolean> {
    const { searchIndex, write } = this.#tables;
    if (searchIndex.gone(1).length === 0) return false;
    await write(() => {
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

  /** What is searched of a content; empty for one that is no text or cannot be read. */
  async #read(job: TextJob): Promise<string> {
    if (!isTextType(job.mimeType)) return "";
    try {
      return (await readFor(job, readSearchedText(this.#blobs, job))) ?? "";
    } catch (error) {
      // Damage, or a file that went this moment: neither may keep the others waiting.
      this.#log.error("a content could not be indexed", { digest: job.digest, error });
      return "";
    }
  }
}

/** Gathers small writes into transactions of a size that holds nobody up. */
class Batch {
  readonly #tables: Tables;
  #puts: (() => void)[] = [];
  #units = 0;
  commits = 0;

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
    await this.#tables.write(() => {
      for (const put of puts) put();
    });
    this.commits += 1;
  }
}
