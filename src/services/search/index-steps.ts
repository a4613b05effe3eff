import type { BlobStore } from "../../blobs/blob-store.ts";
import type { TextJob } from "../../db/search/text-index.ts";
import type { Tables } from "../../db/tables.ts";
import type { DrivePk } from "../../domain/id.ts";
import { isTextType } from "../../domain/media-type.ts";
import { SEARCHED_BYTES } from "../../domain/search/text.ts";
import { sliceCount, wordsOfSlice } from "../../domain/search/slices.ts";
import { nameTokens, textTokens } from "../../domain/search/tokens.ts";
import type { Log } from "../../log.ts";
import type { DamagedContents } from "../damaged-contents.ts";
import { readSearchedText } from "./searched-text.ts";

/** How many jobs are read at once. */
const JOBS = 100;
/** How many files' names one transaction writes. */
const NAMES = 25;
/** How many bytes of texts are read at once, unless a single one has more. */
const READ_BYTES = 256 * 1024;
/** How many UTF-16 units of tokens one transaction writes, unless a single slice has more. */
const BATCH_UNITS = 20_000;
/** How long one transaction removes the terms of removed files, in milliseconds. */
const REMOVAL_MS = 5;
/** After how many writes it is worth a look whether there is something to merge: FTS5 merges no fewer segments. */
const MERGED_ADDITIONS = 4;

/** What indexing needs. */
export interface IndexParts {
  readonly tables: Tables;
  readonly blobs: BlobStore;
  readonly damaged: DamagedContents;
  readonly log: Log;
}

/**
 * The steps of indexing: each does some jobs in transactions of a few milliseconds. A job is dropped if the file has
 * changed again.
 */
export class IndexSteps {
  readonly #tables: Tables;
  readonly #blobs: BlobStore;
  readonly #damaged: DamagedContents;
  readonly #log: Log;
  #isStopped = false;
  /** How many writes have added to the index since there was nothing to merge. */
  #additions = 0;

  constructor(parts: IndexParts) {
    this.#tables = parts.tables;
    this.#blobs = parts.blobs;
    this.#damaged = parts.damaged;
    this.#log = parts.log;
  }

  /** Ends the current step after its transaction. */
  stop(): void {
    this.#isStopped = true;
  }

  /**
   * Indexes names and texts of a drive, or of all; both, so that neither waits for all of the others. Returns false if
   * there are none.
   */
  async index(drive: DrivePk | null): Promise<boolean> {
    const hasNames = await this.#indexNames(drive);
    return (await this.#indexTexts(drive)) || hasNames;
  }

  /** Merges a little. Returns false if there is nothing to merge. */
  async merge(): Promise<boolean> {
    if (this.#additions < MERGED_ADDITIONS) return false;
    const hasMerged = await this.#tables.mergeIndex();
    if (!hasMerged) this.#additions = 0;
    return hasMerged;
  }

  /** Reads, splits and writes in one transaction, so that the names are current. */
  async #indexNames(drive: DrivePk | null): Promise<boolean> {
    const { searchIndex, writeDerived } = this.#tables;
    if (searchIndex.nameJobs(drive, 1).length === 0) return false;
    await writeDerived(() => {
      let units = 0;
      for (const job of searchIndex.nameJobs(drive, NAMES)) {
        const tokens = nameTokens(job.drive, job);
        searchIndex.putNames(job.file, tokens);
        searchIndex.finish(job.ticket);
        units += tokens.length;
        if (units > BATCH_UNITS) return;
      }
    });
    this.#additions += 1;
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
    if (jobs.length > 0) this.#additions += 1;
    return jobs.length > 0;
  }

  /** Removes the terms of some removed files. Returns false if there are none. */
  async removeGone(): Promise<boolean> {
    const { searchIndex, writeDerived } = this.#tables;
    if (searchIndex.gone(1).length === 0) return false;
    await writeDerived(() => {
      const end = performance.now() + REMOVAL_MS;
      for (const file of searchIndex.gone(JOBS)) {
        searchIndex.removeGone(file);
        if (performance.now() > end) return;
      }
    });
    this.#additions += 1;
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
      return (await this.#damaged.readFor(job, () => readSearchedText(this.#blobs, job))) ?? "";
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
