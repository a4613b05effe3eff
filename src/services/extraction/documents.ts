import type { SteadyClock } from "../../process/clock.ts";
import { CofferError } from "../../domain/errors.ts";
import {
  type DocumentFormat,
  type Extraction,
  EXTRACTION_LIMITS,
  EXTRACTIONS,
  mayPass,
  type Refusal,
  RETRY_PAUSES_MS,
} from "../../domain/contents/extraction.ts";
import type { File } from "../../domain/files/file.ts";
import { MIB } from "../../domain/limits.ts";
import { Recent } from "../../domain/recent.ts";
import type { HeldContents } from "../contents/held-contents.ts";
import { OwnerTurns } from "../owner-turns.ts";
import type { SlotHolder } from "../slots.ts";
import { Service } from "../service.ts";
import type { DocumentReader } from "./document-reader.ts";

export class Documents extends Service<{
  heldContents: HeldContents;
  documentReader: DocumentReader;
  clock: SteadyClock;
}> {
  readonly #turns = new OwnerTurns({ limits: EXTRACTIONS, noun: "extractions" });
  readonly #recent = new RecentExtractions(this.parts);

  /** Throws UNSUPPORTED_MEDIA_TYPE, PAYLOAD_TOO_LARGE, EXTRACTION_FAILED, RATE_LIMITED, UNAVAILABLE. */
  async text(holder: SlotHolder, file: File, format: DocumentFormat, signal?: AbortSignal) {
    const limit = EXTRACTION_LIMITS.inputBytes;
    if (file.size > limit) {
      throw new CofferError(
        "PAYLOAD_TOO_LARGE",
        `The content has ${file.size} bytes. The limit for documents is ${limit} bytes; download it instead.`,
      );
    }
    await using content = await this.parts.heldContents.hold(holder.caller ?? null, file);
    // By owner: how fast an answer is must not tell what others have.
    const key = `${holder.owner} ${format} ${file.digest}`;
    const extraction = this.#recent.get(key) ?? (await this.#read(key, holder, format, content.blob, signal));
    if (extraction.kind === "refused") throw refused(file, extraction.why);
    return extraction;
  }

  async #read(key: string, holder: SlotHolder, format: DocumentFormat, content: Blob, signal?: AbortSignal) {
    const read = () => this.parts.documentReader.read(format, content, signal);
    const reading = await this.#turns.run(holder, read, signal);
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
const FAILURES: Readonly<Record<Exclude<Refusal, "mismatch">, string>> = {
  encrypted:
    "the document has a password, or is in an older format. Save it without a password in a current format, or download it instead.",
  damaged:
    "the document is malformed. Save it again with the program that it is from, or download it instead.",
  time: `reading the document takes more than ${EXTRACTION_LIMITS.ms / 1000} seconds at present. ${LATER}`,
  memory: `reading the document takes too much memory. ${LATER}`,
  size: `the document has more than ${EXTRACTION_LIMITS.pages} pages, or its parts unpack to more than ${EXTRACTION_LIMITS.unpacked / MIB} MiB, or one of them is too long. Split it, or download it instead.`,
};

function refused({ mimeType }: File, why: Refusal): CofferError {
  if (why === "mismatch") {
    return new CofferError(
      "UNSUPPORTED_MEDIA_TYPE",
      `Text cannot be extracted from ${mimeType}: the content is no such document. Upload it with its own content type, or download it instead.`,
    );
  }
  return new CofferError("EXTRACTION_FAILED", `The text cannot be extracted: ${FAILURES[why]}`);
}

/** How much text is kept in all, in UTF-16 units. */
const UNITS = 8 * MIB;
/** What a refusal or a short text counts for. */
const ENTRY_UNITS = UNITS / 1000;
/** After how long without use everything is forgotten, in milliseconds. */
const IDLE_MS = 60_000;

interface Kept {
  readonly extraction: Extraction;
  /** By the clock's `elapsed`; Infinity for what stays as it is. */
  readonly until: number;
}

/** Keeps what was read last, as many read page by page; a refusal that may pass only for a minute. */
class RecentExtractions extends Service<{ clock: SteadyClock }> {
  #kept = newRecent();
  #idle: NodeJS.Timeout | undefined;

  get(key: string): Extraction | null {
    const found = this.#kept.get(key);
    if (found === undefined || found.until <= this.parts.clock.elapsed()) return null;
    this.#rest();
    return found.extraction;
  }

  put(key: string, extraction: Extraction): void {
    this.#rest();
    const until = mayPass(extraction)
      ? this.parts.clock.elapsed() + RETRY_PAUSES_MS[0]
      : Number.POSITIVE_INFINITY;
    this.#kept.set(key, { extraction, until });
  }

  #rest(): void {
    clearTimeout(this.#idle);
    this.#idle = setTimeout(() => (this.#kept = newRecent()), IDLE_MS).unref();
  }
}

function newRecent(): Recent<string, Kept> {
  return new Recent(UNITS, ({ extraction }) =>
    Math.max(ENTRY_UNITS, extraction.kind === "text" ? extraction.text.length : 0),
  );
}
