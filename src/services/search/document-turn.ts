import { UnavailableBlob } from "../../blobs/blob-place.ts";
import type { TextJob } from "../../db/search/job-reader.ts";
import { CofferError } from "../../domain/errors.ts";
import { documentFormatOf, EXTRACTION_LIMITS, mayPass } from "../../domain/contents/extraction.ts";
import type { DrivePk } from "../../domain/id.ts";
import { SEARCHED_BYTES } from "../../domain/search/slices.ts";
import { DamagedFile } from "../contents/blob-checks.ts";
import type { DocumentReader } from "../extraction/document-reader.ts";
import type { Parts } from "../parts.ts";
import { Service } from "../service.ts";
import type { ReadDocument } from "./index-work.ts";

/** How much text is searched per byte of a document, at most: an index must not grow much faster than its files. */
const UNITS_A_BYTE = 8;

type FoundText = Pick<ReadDocument, "text" | "retry">;

export type DocumentTurnParts = Pick<Parts, "blobs" | "damaged" | "log"> & { documentReader: DocumentReader };

/** Reads documents for the index, one at a time. Drives take turns, so that no slow one delays the others. */
export class DocumentTurn extends Service<DocumentTurnParts> {
  readonly #stopping = new AbortController();
  #isReading = false;
  #read: ReadDocument | null = null;
  /** The drive of the last document. */
  #last: DrivePk | null = null;

  /** What was read, and is not in the index yet. */
  get read(): readonly ReadDocument[] {
    return this.#read === null ? [] : [this.#read];
  }

  /** Forgets what is in the index. What was read since then is not. */
  finish(written: readonly ReadDocument[]): void {
    if (this.#read !== null && written.includes(this.#read)) this.#read = null;
  }

  /**
   * Begins to read the next document, unless one is being read or waits to be written: `find` has the next job of the
   * drive after one, or of the first. `done` is called when it has been read, or could not be for now.
   */
  async begin(find: (after: DrivePk | null) => Promise<TextJob | null>, done: (isRead: boolean) => void) {
    if (this.#isReading || this.#read !== null) return;
    const job = (await find(this.#last)) ?? (this.#last === null ? null : await find(null));
    if (job === null) return;
    this.#last = job.drive;
    this.#isReading = true;
    void this.#readText(job).then((found) => {
      this.#isReading = false;
      if (found !== null) this.#read = { ...job, ...found };
      done(found !== null);
    });
  }

  /** Ends what is being read; its job stays. */
  stop(): void {
    this.#stopping.abort();
  }

  /** The searched text; empty if it has none. Null if it is to be read again at once. */
  async #readText(job: TextJob): Promise<FoundText | null> {
    const { blobs, damaged, documentReader, log } = this.parts;
    const { signal } = this.#stopping;
    const format = documentFormatOf(job.mimeType);
    if (format === null || job.size > EXTRACTION_LIMITS.inputBytes) return NO_TEXT;
    try {
      await using content = await damaged.readFor(job, () => blobs.hold(job));
      const reading = await documentReader.read(format, content.blob, signal);
      if (signal.aborted) return null;
      if (reading.kind === "text") {
        const text = reading.text.slice(0, Math.min(SEARCHED_BYTES, job.size * UNITS_A_BYTE));
        return { text, retry: "never" };
      }
      const why = reading.kind === "ended" ? "its process was ended by the system" : reading.why;
      log.info("a document is found by its name only", { digest: job.digest, why });
      return mayPass(reading) ? { text: "", retry: "few" } : NO_TEXT;
    } catch (error) {
      if (error instanceof UnavailableBlob) return { text: "", retry: "always" };
      // Too few file descriptors pass.
      if (error instanceof CofferError && error.code === "UNAVAILABLE") return null;
      log.error("a document could not be indexed", { digest: job.digest, error });
      return error instanceof DamagedFile ? NO_TEXT : { text: "", retry: "few" };
    }
  }
}

const NO_TEXT: FoundText = { text: "", retry: "never" };
