import type { SteadyClock } from "../../process/clock.ts";
import { CofferError } from "../../domain/errors.ts";
import {
  type DocumentFormat,
  type Extraction,
  EXTRACTION_LIMITS,
  type Refusal,
} from "../../domain/contents/extraction.ts";
import type { File } from "../../domain/files/file.ts";
import { MIB } from "../../domain/limits.ts";
import type { Files } from "../files/files.ts";
import type { SlotHolder } from "../slots.ts";
import type { DocumentReader } from "./document-reader.ts";
import { ExtractionQueue } from "./extraction-queue.ts";
import { RecentExtractions } from "./recent-extractions.ts";

/** A text; cut if the document has more. */
type DocumentText = Pick<Extract<Extraction, { kind: "text" }>, "text" | "isCut">;

export class Documents {
  readonly #parts;
  readonly #queue = new ExtractionQueue();
  readonly #recent;

  constructor(parts: { files: Files; documentReader: DocumentReader; clock: SteadyClock }) {
    this.#parts = parts;
    this.#recent = new RecentExtractions(parts);
  }

  /**
   * The text of a file for a caller who may see it. Throws UNSUPPORTED_MEDIA_TYPE, PAYLOAD_TOO_LARGE,
   * EXTRACTION_FAILED, RATE_LIMITED, UNAVAILABLE.
   */
  async text(
    holder: SlotHolder,
    file: File,
    format: DocumentFormat,
    signal?: AbortSignal,
  ): Promise<DocumentText> {
    requireSize(file);
    const content = await this.#parts.files.content(file);
    // By owner: how fast an answer is must not tell what others have.
    const key = `${holder.owner} ${format} ${file.digest}`;
    const extraction = this.#recent.get(key) ?? (await this.#read(key, holder, format, content, signal));
    if (extraction.kind === "refused") throw refused(file, extraction.why);
    return extraction;
  }

  async #read(
    key: string,
    holder: SlotHolder,
    format: DocumentFormat,
    content: Blob,
    signal?: AbortSignal,
  ): Promise<Extraction> {
    const read = () => this.#parts.documentReader.read(format, content, signal);
    const reading = await this.#queue.run(holder, read, signal);
    signal?.throwIfAborted();
    if (reading.kind === "ended") {
      throw new CofferError(
        "UNAVAILABLE",
        "The system ended the reading of the document, perhaps for lack of memory. Try again soon, or download it instead.",
      );
    }
    this.#recent.put(key, reading);
    return reading;
  }
}

const LATER = "Try again in a few minutes, split it, or download it instead.";
/** Why a document of the right format has no text. */
const FAILURES: Readonly<Record<Exclude<Refusal, "mismatch">, string>> = {
  encrypted:
    "the document has a password, or is in an older format. Save it without a password in a current format, or download it instead.",
  damaged:
    "the document is malformed. Save it again with the program that it is from, or download it instead.",
  time: `reading the document takes more than ${EXTRACTION_LIMITS.ms / 1000} seconds at present. ${LATER}`,
  memory: `reading the document takes too much memory. ${LATER}`,
  size: `the document has more than ${EXTRACTION_LIMITS.pages} pages, or its parts unpack to more than ${EXTRACTION_LIMITS.unpacked / MIB} MiB, or one of them is too long. Split it, or download it instead.`,
};

function requireSize({ size }: File): void {
  const limit = EXTRACTION_LIMITS.inputBytes;
  if (size <= limit) return;
  throw new CofferError(
    "PAYLOAD_TOO_LARGE",
    `The content has ${size} bytes. The limit for documents is ${limit} bytes; download it instead.`,
  );
}

function refused({ mimeType }: File, why: Refusal): CofferError {
  if (why === "mismatch") {
    return new CofferError(
      "UNSUPPORTED_MEDIA_TYPE",
      `Text cannot be extracted from ${mimeType}: the content is no such document. Upload it with its own content type, or download it instead.`,
    );
  }
  return new CofferError("EXTRACTION_FAILED", `The text cannot be extracted: ${FAILURES[why]}`);
}
