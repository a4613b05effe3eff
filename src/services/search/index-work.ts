import { requireBytes } from "../../blobs/content-file.ts";
import { ContentsDirectory } from "../../blobs/contents-directory.ts";
import { type Batch, IndexFile } from "../../db/search/index-file.ts";
import { indexPathOf } from "../../db/search/index-tables.ts";
import type { LackingFiles } from "../../db/search/jobs.ts";
import { JobReader, type NameJob, type SearchJob, type TextJob } from "../../db/search/job-reader.ts";
import type { Digest } from "../../domain/digest.ts";
import type { BatchId, DriveId, DrivePk, FilePk } from "../../domain/id.ts";
import { isTextType } from "../../domain/media-type.ts";
import type { FilePath } from "../../domain/path.ts";
import { sliceCount, wordsOfSlice } from "../../domain/search/slices.ts";
import { SEARCHED_BYTES, searchedText } from "../../domain/search/text.ts";
import { nameTokens, textTokens } from "../../domain/search/tokens.ts";

/** The most jobs of each kind in a batch. */
const JOBS = 250;
/** How long it merges at once, in milliseconds: how much longer a search may wait. */
const MERGE_MS = 20;
/** How many files are looked up at once. */
const FILES = 200;
/** How many bytes of texts are in a batch, unless a single one has more. */
const TEXT_BYTES = 512 * 1024;

/** Where everything is that the index is made from. */
export interface IndexPlaces {
  /** The database's file. The index is beside it. */
  readonly database: string;
  /** The directory of contents. */
  readonly blobsDir: string;
}

/** Which jobs to do. */
export interface BatchRequest extends Batch {
  /** Null for all drives. */
  readonly drive: DrivePk | null;
  /** The newest ticket: all jobs up to this one are on the disk. */
  readonly upTo: number;
}

/** A content that could not be read: it may be damaged, or have gone. */
export interface UnreadContent {
  readonly ticket: number;
  readonly driveId: DriveId;
  readonly path: FilePath;
  readonly digest: Digest;
  /** Bytes. */
  readonly size: number;
}

/** A batch that is in the index. */
export interface DoneBatch {
  /** The jobs that are done. */
  readonly tickets: readonly number[];
  /** Jobs whose contents could not be read. Their files are indexed without text. */
  readonly unread: readonly UnreadContent[];
  /** Whether there may be more jobs. */
  readonly isFull: boolean;
}

/** The bytes of a small content; null if it is a file. */
type SmallBytes = Uint8Array<ArrayBuffer> | null;

interface Jobs {
  readonly names: readonly NameJob[];
  readonly texts: readonly { readonly job: TextJob; readonly small: SmallBytes }[];
  readonly gone: readonly SearchJob[];
  readonly isFull: boolean;
}

interface IndexWorkParts {
  readonly jobs: JobReader;
  readonly index: IndexFile;
  readonly contents: ContentsDirectory;
}

/** Reads jobs, makes terms of names and contents, and writes them into the index. In a thread of its own. */
export class IndexWork {
  readonly #jobs: JobReader;
  readonly #index: IndexFile;
  readonly #contents: ContentsDirectory;

  constructor(parts: IndexWorkParts) {
    this.#jobs = parts.jobs;
    this.#index = parts.index;
    this.#contents = parts.contents;
  }

  /**
   * Opens the index, or makes a new one.
   *
   * @param batch the last batch in the index; null to make a new one
   * @param fresh the name of the first batch of a new one
   */
  static async open(
    { database, blobsDir }: IndexPlaces,
    batch: BatchId | null,
    fresh: BatchId,
  ): Promise<{ work: IndexWork; isNew: boolean }> {
    const path = indexPathOf(database);
    const kept = batch === null ? null : await IndexFile.open(path, batch);
    const index = kept ?? (await IndexFile.make(path, fresh));
    const parts = { index, jobs: new JobReader(database), contents: new ContentsDirectory(blobsDir) };
    return { work: new IndexWork(parts), isNew: kept === null };
  }

  /** Does a batch of jobs: each part gets its share, so that none waits for all of another. */
  async index(request: BatchRequest): Promise<DoneBatch> {
    const { names, texts, gone, isFull } = this.#take(request);
    const unread: UnreadContent[] = [];
    const indexed = await Promise.all(
      texts.map(async ({ job, small }) => ({
        file: job.file,
        slices: await this.#slices(job, small, unread),
      })),
    );
    const done = [...names, ...gone, ...texts.map(({ job }) => job)].map(({ ticket }) => ticket);
    if (done.length > 0) {
      this.#index.write(request, {
        names: names.map((job) => ({ file: job.file, tokens: nameTokens(job.drive, job) })),
        texts: indexed,
        gone: gone.map(({ file }) => file),
      });
    }
    const failed = new Set(unread.map(({ ticket }) => ticket));
    return { tickets: done.filter((ticket) => !failed.has(ticket)), unread, isFull };
  }

  /** What the index lacks of the next files after one. */
  lacking(after: FilePk): LackingFiles {
    const files = this.#jobs.filesAfter(after, FILES);
    return {
      names: files.filter((file) => !this.#index.hasNames(file)),
      texts: files.filter((file) => !this.#index.hasText(file)),
      filledTo: (files.length === FILES ? files.at(-1) : null) ?? null,
    };
  }

  /** Merges for a while. Returns whether there may be more to merge. */
  merge(): boolean {
    for (const end = performance.now() + MERGE_MS; performance.now() < end;) {
      if (!this.#index.merge()) return false;
    }
    return true;
  }

  /** Gives back memory, and some space of the disk. Returns whether there may be more space to give back. */
  release(): boolean {
    // Terms are many megabytes of garbage.
    Bun.gc(true);
    return this.#index.release();
  }

  /** See `IndexFile.close`. */
  close(batch: BatchId | null): void {
    this.#jobs.close();
    this.#index.close(batch);
  }

  #take({ drive, upTo }: BatchRequest): Jobs {
    const query = { drive, upTo, limit: JOBS };
    return this.#jobs.atOnce(() => {
      const [names, gone, waiting] = [
        this.#jobs.names(query),
        this.#jobs.gone(query),
        this.#jobs.texts(query),
      ];
      const texts = together(waiting).map((job) => ({ job, small: this.#jobs.smallBytes(job.blob) }));
      const isFull = [names, gone, waiting].some((jobs) => jobs.length === JOBS);
      return { names, gone, texts, isFull: isFull || texts.length < waiting.length };
    });
  }

  /** The terms of each slice of a file's text; none if it is not a text. */
  async #slices(job: TextJob, small: SmallBytes, unread: UnreadContent[]): Promise<string[]> {
    if (!isTextType(job.mimeType) || job.size === 0) return [];
    let text = "";
    try {
      text = await this.#read(job, small);
    } catch {
      // The main thread looks at it again, and says what is wrong.
      unread.push(job);
    }
    return Array.from({ length: sliceCount(text) }, (_, slice) =>
      textTokens(job.drive, wordsOfSlice(text, slice)),
    );
  }

  /** The searched text of a content; empty if it is none. */
  async #read(job: TextJob, small: SmallBytes): Promise<string> {
    if (job.isDamaged !== 0) throw new Error("the content is damaged");
    if (small !== null) requireBytes("the database", small, job);
    const bytes = small ?? (await this.#contents.beginning(job, SEARCHED_BYTES));
    return searchedText(bytes, bytes.length < job.size) ?? "";
  }
}

/** The first of some jobs: as many as may be in a batch. */
function together(jobs: readonly TextJob[]): readonly TextJob[] {
  let bytes = 0;
  const end = jobs.findIndex(({ size }) => (bytes += Math.min(size, SEARCHED_BYTES)) > TEXT_BYTES);
  return end === -1 ? jobs : jobs.slice(0, Math.max(end, 1));
}
