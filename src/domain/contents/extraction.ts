import { MIB } from "../limits.ts";
import { essenceOf } from "./media-type.ts";

export type DocumentFormat = "pdf" | "docx" | "xlsx" | "pptx" | "odt" | "epub" | "html";

export const EXTRACTION_LIMITS = {
  /** Of the document. */
  inputBytes: 64 * MIB,
  /** Of its text, in UTF-16 units. What comes after these is left out. */
  units: 8 * MIB,
  /** After this many milliseconds no more text is read; what there is by then is the text. */
  readMs: 12_000,
  /** After this many milliseconds it is given up. */
  ms: 20_000,
  memory: 448 * MIB,
  /** What the parts of one archive may unpack to, in bytes. */
  unpacked: 512 * MIB,
  /** How many elements of XML may be inside each other. */
  depth: 512,
  pages: 10_000,
} as const;

/** How many documents are read at once, and how many requests may wait for that; see `OwnerTurns`. */
export const EXTRACTIONS = {
  running: 2,
  runningEach: 1,
  runningUnclaimed: 1,
  waitingEach: 8,
  waiting: 64,
} as const;

/** When a document is read again that failed for what may pass, in milliseconds after each try; then it is given up. */
export const RETRY_PAUSES_MS = [60_000, 600_000, 3_600_000, 21_600_000] as const;

const FORMATS: Readonly<Record<string, DocumentFormat>> = {
  "application/pdf": "pdf",
  "application/vnd.openxmlformats-officedocument.wordprocessingml.document": "docx",
  "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet": "xlsx",
  "application/vnd.openxmlformats-officedocument.presentationml.presentation": "pptx",
  "application/vnd.oasis.opendocument.text": "odt",
  "application/epub+zip": "epub",
  "text/html": "html",
  "application/xhtml+xml": "html",
};

/** The format that a type names; null for a type whose text is not extracted, which may be text itself. */
export function documentFormatOf(mimeType: string): DocumentFormat | null {
  const essence = essenceOf(mimeType);
  return Object.hasOwn(FORMATS, essence) ? (FORMATS[essence] ?? null) : null;
}

export function parseDocumentFormat(name: string | undefined): DocumentFormat | null {
  return Object.values(FORMATS).find((format) => format === name) ?? null;
}

/** Why there is no text: not of the format, needs a password, is malformed, or takes too much to read. */
const REFUSALS = ["mismatch", "encrypted", "damaged", "time", "memory", "size"] as const;
export type Refusal = (typeof REFUSALS)[number];

export type Extraction =
  | { readonly kind: "text"; readonly text: string; readonly isCut: boolean }
  | { readonly kind: "refused"; readonly why: Refusal };

/** What reading a document in a process came to. `ended`: a person or the system ended it, or it could not start. */
export type Reading = Extraction | { readonly kind: "ended" };

/** Whether there may be a text at another time, when the machine has less to do or more memory. */
export function mayPass(reading: Reading): boolean {
  return reading.kind === "ended" || (reading.kind === "refused" && /^(time|memory)$/.test(reading.why));
}

export class Refused extends Error {
  override readonly name = "Refused";
  readonly why: Refusal;

  constructor(why: Refusal) {
    super(`the document is refused: ${why}`);
    this.why = why;
  }
}

/** An extraction as bytes, from one process to another: a line of JSON, then the text. */
export function encodeExtraction(extraction: Extraction): Uint8Array {
  const { text, head } =
    extraction.kind === "text"
      ? { text: extraction.text, head: { kind: "text", isCut: extraction.isCut } }
      : { text: "", head: extraction };
  return new TextEncoder().encode(`${JSON.stringify(head)}\n${text}`);
}

/** What `encodeExtraction` made; null for anything else. */
export function decodeExtraction(bytes: Uint8Array): Extraction | null {
  const encoded = new TextDecoder().decode(bytes);
  const end = encoded.indexOf("\n");
  const head = encoded.slice(0, end);
  for (const isCut of [false, true]) {
    if (head === JSON.stringify({ kind: "text", isCut }))
      return { kind: "text", text: encoded.slice(end + 1), isCut };
  }
  const why = REFUSALS.find((refusal) => head === JSON.stringify({ kind: "refused", why: refusal }));
  return why === undefined ? null : { kind: "refused", why };
}
