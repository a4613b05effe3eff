import type { BlobStore } from "../../blobs/blob-store.ts";
import type { TextJob } from "../../db/search/job-reader.ts";
import { CofferError } from "../../domain/errors.ts";
import { documentFormatOf, EXTRACTION_LIMITS } from "../../domain/extraction.ts";
import type { DrivePk } from "../../domain/id.ts";
import { SEARCHED_BYTES } from "../../domain/search/text.ts";
import type { Log } from "../../log.ts";
import type { DamagedContents } from "../damaged-contents.ts";
import type { DocumentReader } from "../extraction/document-reader.ts";
import type { ReadDocument } from "./index-work.ts";

/**
 * How much text of a document is searched, at most, per byte of it: an index must not grow much faster than its files.
 */
const UNITS_A_BYTE = 8;

/** What reading documents for the index needs. */
export interface DocumentTurnParts {
  readonly blobs: BlobStore;
  readonly damaged: DamagedContents;
  readonly documentReader: DocumentReader;
  readonly log: Log;
}

/**
 * Reads documents for the index, one at a time, while other jobs are done. Drives take turns, so that one with many
 * slow documents does not keep the others waiting for long.
 */
export class DocumentTurn {
  readonly #parts: DocumentTurnParts;
  readonly #stopping = new AbortController();
  #isReading = false;
  #read: ReadDocument | null = null;
  /** The drive of the last document. */
  #last: DrivePk | null = null;

  constructor(parts: DocumentTurnParts) {
    this.#parts = parts;
  }

  /** What was read, and is not in the index yet. */
  get read(): readonly ReadDocument[] {
    return this.#read === null ? [] : [this.#read];
  }

  /** Forgets what is in the index. What was read since then is not. */
  finish(written: readonly ReadDocument[]): void {
    if (this.#read !== null && written.includes(this.#read)) this.#read = null;
  }

  /**
   * Begins to read the next document, unless one is being read or waits to be written.
   *
   * @param find the next job of the drive after one, or of the first
   * @param done called when it has been read, or could not be for now
   */
  async begin(
    find: (after: DrivePk | null) => Promise<TextJob | null>,
    done: (isRead: boolean) => void,
  ): Promise<void> {
    if (this.#isReading || this.#read !== null) return;
    const job = (await find(this.#last)) ?? (this.#last === null ? null : await find(null));
    if (job === null) return;
    this.#last = job.drive;
    this.#isReading = true;
    void this.#readText(job).then((text) => {
      this.#isReading = false;
      if (text !== null) this.#read = { ticket: job.ticket, file: job.file, drive: job.drive, text };
      done(text !== null);
    });
  }

  /** Ends what is being read; its job stays. */
  stop(): void {
    this.#stopping.abort();
  }

  /** The searched text; empty if it has none. Null if it is to be read again. */
  async #readText(job: TextJob): Promise<string | null> {
    const { blobs, damaged, documentReader, log } = this.#parts;
    const { signal } = this.#stopping;
    const format = documentFormatOf(job.mimeType);
    if (format === null || job.size > EXTRACTION_LIMITS.inputBytes) return "";
    try {
      const content = await damaged.readFor(job, () => blobs.read(job));
      const extraction = await documentReader.read(format, content, signal);
      if (signal.aborted) return null;
      if (extraction.kind === "text") {
        return extraction.text.slice(0, Math.min(SEARCHED_BYTES, job.size * UNITS_A_BYTE));
      }
      log.info("a document is found by its name only", { digest: job.digest, why: extraction.why });
      return "";
    } catch (error) {
      // Too few file descriptors pass; a damaged content does not.
      if (error instanceof CofferError && error.code === "UNAVAILABLE") return null;
      log.error("a document could not be indexed", { digest: job.digest, error });
      return "";
    }
  }
}
