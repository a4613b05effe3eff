import { requireBytes } from "../../blobs/blob-file.ts";
import { openStored } from "../../blobs/open-stored.ts";
import type { StoredBlobs } from "../../blobs/stored-blobs.ts";
import { type Batch, IndexFile, type IndexedText } from "../../db/search/index-file.ts";
import { indexPathOf } from "../../db/search/index-tables.ts";
import { type LackingFiles, PART, type Retry } from "../../db/search/jobs.ts";
import { JobReader, type SearchJob, type TextJob } from "../../db/search/job-reader.ts";
import { documentFormatOf } from "../../domain/contents/extraction.ts";
import type { IndexBatchId, DrivePk, FilePk } from "../../domain/id.ts";
import { isTextType } from "../../domain/contents/media-type.ts";
import { SEARCHED_BYTES, searchedText, sliceCount, spellingsOfSlice } from "../../domain/search/slices.ts";
import { nameTokens, textTokens } from "../../domain/search/tokens.ts";
import { Vocabulary } from "../../domain/search/vocabulary.ts";
import { readHtml } from "../../extraction/html.ts";
import { TextSink } from "../../extraction/text-sink.ts";
import type { StorePlaces } from "../parts.ts";

/** The most jobs of each kind in a batch: many short texts cost less together, and take as long as `TEXT_BYTES` of others. */
const JOBS = 500;
/** How long it merges at once, in milliseconds: how much longer a search may wait. */
const MERGE_MS = 20;
/** How many files are looked up at once. */
const FILES = 200;
/** How many bytes of texts are in a batch, unless a single one has more. */
const TEXT_BYTES = 512 * 1024;

/** How long an HTML document may take, in milliseconds. */
const MARKUP_MS = 1000;

/** The tickets up to which jobs of each kind are done, but for texts of documents: no batch looks at these again. */
export type Passed = Readonly<Record<"names" | "texts" | "gone", number>>;

interface BatchRequest extends Batch {
  /** Null for all drives. */
  readonly drive: DrivePk | null;
  readonly after: Passed;
  /** The newest ticket: all jobs up to this one are on the disk. */
  readonly upTo: number;
  readonly documents: readonly ReadDocument[];
}

/** A document that was read for a job. */
export interface ReadDocument extends TextJob {
  /** Empty if there is none. */
  readonly text: string;
  readonly retry: Retry;
}

/** Reads jobs, makes terms of names and contents, and writes them into the index. In a thread of its own. */
export class IndexWork {
  readonly #vocabulary = new Vocabulary();
  #opened: {
    readonly jobs: JobReader;
    readonly index: IndexFile;
    readonly contents: StoredBlobs;
  } | null = null;

  /**
   * Opens the index whose last batch this is; without one makes a new one, whose first batch is `fresh`. Must come
   * first. Returns whether it is new.
   */
  async open(
    { database, blobs }: StorePlaces,
    batch: IndexBatchId | null,
    fresh: IndexBatchId,
  ): Promise<boolean> {
    const path = indexPathOf(database);
    const kept = batch === null ? null : await IndexFile.open(path, batch);
    const index = kept ?? (await IndexFile.make(path, fresh));
    this.#opened = { index, jobs: new JobReader(database), contents: await openStored(blobs) };
    return kept === null;
  }

  /**
   * Does a batch of jobs: each part gets its share, so that none waits for all of another. Resolves with those that are
   * done, the jobs whose contents are damaged or gone, whose files are indexed without text, and what is passed then.
   * There may be more jobs if it `isFull`.
   */
  async index(request: BatchRequest) {
    const { names, texts, gone, documents, passed, isFull } = this.#take(request);
    const unread: TextJob[] = [];
    const indexed = await Promise.all(texts.map(({ job, small }) => this.#text(job, small, unread)));
    const read = documents.map(({ file, drive, text }) => ({
      ...this.#sliced(file, drive, text),
      document: text,
    }));
    if (names.length + texts.length + gone.length + documents.length > 0) {
      this.#parts.index.write(request, {
        names: names.map((job) => ({ file: job.file, tokens: nameTokens(job.drive, job) })),
        texts: [...indexed, ...read],
        gone: gone.map(({ file }) => file),
      });
    }
    const written = texts.map(({ job }) => job).filter((job) => !unread.includes(job));
    const done = new Map<number, number>();
    const add = (part: number, jobs: readonly SearchJob[]) =>
      jobs.forEach(({ ticket }) => done.set(ticket, (done.get(ticket) ?? 0) | part));
    add(PART.names, names);
    add(PART.text, [...written, ...documents]);
    add(PART.gone, gone);
    return { done: [...done], unread, passed, isFull };
  }

  /** The next document to read, of the drive after one; null if there is none up to a ticket. */
  nextDocument(after: DrivePk | null, upTo: number): TextJob | null {
    return this.#parts.jobs.nextText(after, upTo);
  }

  /** What the index lacks of the next files after one. */
  lacking(after: FilePk): LackingFiles {
    const files = this.#parts.jobs.filesAfter(after, FILES);
    return {
      names: files.filter((file) => !this.#parts.index.hasNames(file)),
      texts: files.filter((file) => !this.#parts.index.hasText(file)),
      filledTo: (files.length === FILES ? files.at(-1) : null) ?? null,
    };
  }

  /** Merges for a while. Returns whether there may be more to merge. */
  merge(): boolean {
    for (const end = performance.now() + MERGE_MS; performance.now() < end;) {
      if (!this.#parts.index.merge()) return false;
    }
    return true;
  }

  /** Gives back memory, and some space of the disk. Returns whether there may be more space to give back. */
  release(): boolean {
    this.#vocabulary.clear();
    // Terms are many megabytes of garbage.
    Bun.gc(true);
    this.#parts.jobs.release();
    return this.#parts.index.release();
  }

  /** See `IndexFile.close`. */
  close(batch: IndexBatchId | null): void {
    this.#parts.jobs.close();
    this.#parts.index.close(batch);
  }

  get #parts() {
    if (this.#opened === null) throw new Error("the search index is not open");
    return this.#opened;
  }

  #take({ drive, after, upTo, documents }: BatchRequest) {
    const query = (kind: keyof Passed) => ({ drive, after: after[kind], upTo, limit: JOBS });
    const reached = (kind: keyof Passed, jobs: readonly SearchJob[]) =>
      (jobs.length === JOBS ? jobs.at(-1)?.ticket : null) ?? Math.max(after[kind], upTo);
    return this.#parts.jobs.atOnce(() => {
      const [names, gone, waiting] = [
        this.#parts.jobs.names(query("names")),
        this.#parts.jobs.gone(query("gone")),
        this.#parts.jobs.texts(query("texts")),
      ];
      const taken = together(waiting.filter((job) => !isReadFirst(job)));
      const texts = taken.map((job) => ({ job, small: this.#parts.jobs.smallBytes(job.blob) }));
      const left = waiting.find((job) => !isReadFirst(job) && !taken.includes(job));
      return {
        names,
        gone,
        texts,
        // A file that has changed, or gone, since its document was read, has a newer job.
        documents: documents.filter(({ ticket }) => this.#parts.jobs.hasText(ticket)),
        passed: {
          names: reached("names", names),
          texts: left === undefined ? reached("texts", waiting) : left.ticket - 1,
          gone: reached("gone", gone),
        },
        isFull: left !== undefined || [names, gone, waiting].some((jobs) => jobs.length === JOBS),
      };
    });
  }

  /** The terms of each slice of a file's text; none if it is not a text. @param small its bytes; null if it is a file */
  async #text(job: TextJob, small: Uint8Array | null, unread: TextJob[]): Promise<IndexedText> {
    const { file, drive, mimeType, size } = job;
    const isMarkup = documentFormatOf(mimeType) === "html";
    if (size === 0 || (!isMarkup && !isTextType(mimeType))) return { file, slices: [] };
    try {
      if (job.isDamaged !== 0) throw new Error("the content is damaged");
      if (small !== null) requireBytes("the database", small, job);
      const bytes = small ?? (await this.#beginning(job));
      if (!isMarkup) return this.#sliced(file, drive, searchedText(bytes, bytes.length < size) ?? "");
      const text = markupText(bytes);
      return { ...this.#sliced(file, drive, text), document: text };
    } catch {
      // The main thread looks at it again, and says what is wrong.
      unread.push(job);
      return this.#sliced(file, drive, "");
    }
  }

  #beginning(job: TextJob): Promise<Uint8Array> {
    return this.#parts.contents.beginning(job, SEARCHED_BYTES);
  }

  #sliced(file: FilePk, drive: DrivePk, text: string): IndexedText {
    const slices = Array.from({ length: sliceCount(text) }, (_, slice) =>
      textTokens(drive, spellingsOfSlice(text, slice), this.#vocabulary),
    );
    return { file, slices };
  }
}

/** Whether the text of a file is read in a process of its own, and not here. */
function isReadFirst({ mimeType, size }: TextJob): boolean {
  const format = documentFormatOf(mimeType);
  return format !== null && format !== "html" && size > 0;
}

function markupText(bytes: Uint8Array): string {
  const sink = new TextSink({ units: SEARCHED_BYTES, endsAt: performance.now() + MARKUP_MS });
  try {
    readHtml(bytes, sink);
  } catch {
    // Enough, or nothing that is text: what there is by then is searched.
  }
  return sink.toString();
}

/** The first of some jobs: as many as may be in a batch. */
function together(jobs: readonly TextJob[]): readonly TextJob[] {
  let bytes = 0;
  const end = jobs.findIndex(({ size }) => (bytes += Math.min(size, SEARCHED_BYTES)) > TEXT_BYTES);
  return end === -1 ? jobs : jobs.slice(0, Math.max(end, 1));
}
