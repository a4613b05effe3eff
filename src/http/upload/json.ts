import { isUtf8 } from "node:buffer";
import { isWords } from "../../domain/contents/texts/text.ts";
import { invalid } from "../../domain/errors.ts";
import { METADATA_ITEMS, parseJsonBody } from "../json/json-body.ts";
import { essenceOf, isTextType } from "../../domain/contents/media-type.ts";
import { mimeTypeOf } from "../../domain/contents/mime-types.ts";
import { memberOf, withoutMark } from "../json/json-text.ts";
import { Base64Writer } from "./base64.ts";
import { JsonScanner } from "./json-scanner.ts";
import { ContentString, HeldString, TextWriter } from "./json-string.ts";
import { type ContentKey, inTurns, type WriteContent } from "./upload-body.ts";

type Encoding = "base64" | "text";

/** The values of the field `encoding`; all but the first say that the content is text. */
export const ENCODING_NAMES = ["base64", "utf-8", "utf8", "text"] as const;

/** The field `encoding`; null if it is absent, or to be refused by its schema. */
export function encodingIn(fields: unknown): Encoding | null {
  const name = ENCODING_NAMES.find((each) => each === memberOf(fields, "encoding"));
  return name === undefined ? null : name === "base64" ? name : "text";
}

/** Refuses an `encoding` that is none of ours, as its schema does, before the content is read as base64. */
function requireEncoding(fields: unknown): void {
  if ((memberOf(fields, "encoding") ?? null) === null || encodingIn(fields) !== null) return;
  throw invalid("encoding", `must be ${ENCODING_NAMES.map((each) => JSON.stringify(each)).join(" or ")}`);
}

/**
 * Reads an upload whose body is one JSON object (RFC 8259) with `content`, in base64 or as `encoding` says, or `text`,
 * or `base64`, which is decoded and written as it arrives, wherever its key is, with little memory for any size. After
 * an error the caller must discard what was written. Returns the other fields, once the whole body has been checked.
 *
 * @throws CofferError VALIDATION_ERROR, PAYLOAD_TOO_LARGE if the other fields exceed 256 KiB; `body` is then cancelled.
 *   Errors of the stream or of `write` are passed on.
 */
export async function readJsonUpload(body: AsyncIterable<Uint8Array>, write: WriteContent) {
  const scanner = new JsonScanner();
  let content: JsonContent | null = null;
  try {
    for await (const bytes of inTurns(body)) {
      const chunk = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
      let at = 0;
      while (at < chunk.length) {
        if (!scanner.inContent) {
          at = scanner.scanFields(chunk, at);
          continue;
        }
        content ??= new JsonContent(scanner.contentKey ?? "content", encodingSoFar(scanner), write);
        at = await content.take(chunk, at);
        if (content.ended) scanner.endContent();
      }
    }
    if (scanner.inContent)
      throw invalid(
        "body",
        `is malformed JSON: it ends within ${scanner.contentKey}, so send the whole of it`,
      );
    const note = content === null ? "" : " (the content is not counted)";
    const fields = parseJsonBody(scanner.envelope, METADATA_ITEMS, "metadata", note);
    requireEncoding(fields);
    await content?.finish(fields);
    return { fields, contentKey: scanner.contentKey };
  } finally {
    content?.[Symbol.dispose]();
  }
}

function encodingSoFar({ envelope }: JsonScanner): Encoding | null {
  const start = Buffer.from(envelope.buffer, envelope.byteOffset, envelope.byteLength);
  if (!start.includes('"encoding"')) return null;
  try {
    // What is malformed is refused once the rest is there.
    return encodingIn(JSON.parse(`${withoutMark(start.toString())}"}`));
  } catch (error) {
    if (error instanceof SyntaxError) return null;
    throw error;
  }
}

/** Whether fields that are not checked yet say that the content is a text. */
function isTextual(fields: unknown): boolean {
  const type = memberOf(fields, "content_type");
  if (typeof type === "string") return isTextType(essenceOf(type));
  const path = memberOf(fields, "path");
  const isPath = typeof path === "string" && path !== "" && !path.endsWith("/");
  const name = isPath ? path : memberOf(fields, "filename");
  return typeof name === "string" && isTextType(mimeTypeOf(name));
}

/** How many bytes of the content tell whether it is words. */
const WORDS_BYTES = 8 * 1024;
/** As much of a `content` is kept until its `encoding` is known, which may come behind it. Bytes. */
export const HELD_BYTES = 64 * 1024;

/** The content, decoded as it arrives. A `content` without an `encoding` so far is kept, up to `HELD_BYTES`. */
class JsonContent implements Disposable {
  ended = false;

  readonly #key: ContentKey;
  readonly #write: WriteContent;
  /** What is kept; null once it is known how it is to be read. */
  #held: HeldString | null = null;
  #encoding: Encoding | null = null;
  #base64: Base64Writer | null = null;
  #string: ContentString | null = null;

  constructor(key: ContentKey, encoding: Encoding | null, write: WriteContent) {
    this.#key = key;
    this.#write = write;
    const known = key === "content" ? encoding : key === "text" ? "text" : "base64";
    if (known === null) this.#held = new HeldString(HELD_BYTES);
    else this.#begin(known, write);
  }

  [Symbol.dispose](): void {
    this.#base64?.[Symbol.dispose]();
  }

  async take(chunk: Buffer, at: number): Promise<number> {
    if (this.#held === null) return this.#decode(chunk, at);
    const next = this.#held.hold(chunk, at);
    this.ended = this.#held.ended;
    if (!this.ended && this.#held.isFull) await this.#release(this.#held, "base64", this.#write);
    return next;
  }

  /** Checks the content against the other fields, once all of them are known, and writes what was kept. */
  async finish(fields: unknown): Promise<void> {
    const encoding = encodingIn(fields);
    const held = this.#held;
    if (held !== null) {
      if (encoding === null && isWords(unescaped(held.bytes))) return this.#finishWords(held, fields);
      return this.#release(held, encoding ?? "base64", this.#write);
    }
    if (encoding === null || encoding === this.#encoding) return;
    throw this.#key === "content"
      ? invalid(
          "encoding",
          `must come before a content of more than ${HELD_BYTES} bytes: or send text as \`text\` instead`,
        )
      : invalid("encoding", `goes with content: ${this.#key} says it already`);
  }

  /** Words may be sent where base64 must be: as base64 of a text they must be well-formed. */
  async #finishWords(held: HeldString, fields: unknown): Promise<void> {
    const pieces: Buffer[] = [];
    await this.#release(held, "base64", async (piece) => void pieces.push(Buffer.from(piece)));
    const bytes = Buffer.concat(pieces);
    if (!isUtf8(bytes) && isTextual(fields))
      throw invalid(
        "content",
        'must be base64, but is plainly text: send it as `text` instead. If it is base64, add `"encoding": "base64"`',
      );
    if (bytes.length > 0) await this.#write(bytes);
  }

  async #release(held: HeldString, encoding: Encoding, write: WriteContent): Promise<void> {
    this.#held = null;
    this.#begin(encoding, write);
    const { bytes } = held;
    for (let at = 0; at < bytes.length;) at = await this.#decode(bytes, at);
  }

  #begin(encoding: Encoding, write: WriteContent): void {
    this.#encoding = encoding;
    if (encoding === "base64") this.#base64 = new Base64Writer(write);
    this.#string = new ContentString(this.#base64 ?? new TextWriter(this.#key, write));
  }

  async #decode(chunk: Buffer, at: number): Promise<number> {
    if (this.#string === null) throw new Error("the content's encoding is not known yet");
    const next = await this.#string.take(chunk, at);
    this.ended = this.#string.ended;
    return next;
  }
}

/** The start of what is kept of a string, with its line breaks; other escapes are of no letters. */
function unescaped(bytes: Buffer): string {
  const text = bytes.subarray(0, -1).toString("latin1", 0, WORDS_BYTES);
  // Most have none, which the runtime sees much faster than a pattern does.
  if (!text.includes("\\")) return text;
  return text.replaceAll(/\\[nrt/]/g, (escape) => (escape === "\\/" ? "/" : "\n"));
}
