import { isUtf8 } from "node:buffer";
import { isWords } from "../../domain/contents/texts/text.ts";
import { invalid } from "../../domain/errors.ts";
import { Base64Writer } from "./base64.ts";
import { type ContentSink, ContentString, HeldString } from "./json-string.ts";
import { TextWriter } from "./text.ts";
import type { ContentKey, WriteContent } from "./upload-body.ts";

type Encoding = "base64" | "text";

/** The values of the field `encoding`. */
const ENCODINGS: Readonly<Record<string, Encoding>> = {
  base64: "base64",
  "utf-8": "text",
  utf8: "text",
  text: "text",
};

/** The names of the encodings, for the schema of `encoding`. */
export const ENCODING_NAMES = ["base64", "utf-8", "utf8", "text"] as const;

/** The field `encoding`; null if it is absent, or to be refused by its schema. */
export function encodingIn(fields: unknown): Encoding | null {
  const sent = sentEncoding(fields);
  return typeof sent === "string" && Object.hasOwn(ENCODINGS, sent) ? (ENCODINGS[sent] ?? null) : null;
}

/**
 * Refuses an `encoding` that is none of ours, as its schema does: before the content is read as base64, which would
 * blame that.
 */
export function requireEncoding(fields: unknown): void {
  if ((sentEncoding(fields) ?? null) === null || encodingIn(fields) !== null) return;
  throw invalid("encoding", `must be ${ENCODING_NAMES.map((each) => JSON.stringify(each)).join(" or ")}`);
}

function sentEncoding(fields: unknown): unknown {
  return typeof fields === "object" && fields !== null ? Reflect.get(fields, "encoding") : undefined;
}

/** How much of a content is looked at to see whether it is words. Bytes. */
const LOOKED_AT = 8 * 1024;

/** As much of a `content` is kept until its `encoding` is known, which may come behind it. Bytes. */
export const HELD_BYTES = 64 * 1024;

/**
 * The content of an upload in JSON, which is decoded and written as it arrives. A `content` whose `encoding` has not
 * come yet is kept until the end of the body, or until it is longer than `HELD_BYTES`: then it is base64.
 */
export class JsonContent implements Disposable {
  /** Whether its closing quote has been read. */
  ended = false;

  readonly #key: ContentKey;
  readonly #write: WriteContent;
  /** What is kept; null once it is known how it is to be read. */
  #held: HeldString | null = null;
  /** How it is read; null while that is not known. */
  #encoding: Encoding | null = null;
  #base64: Base64Writer | null = null;
  #sink: ContentSink | null = null;
  #string: ContentString | null = null;

  /** @param encoding the one that came before; null if there was none */
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

  /** Takes the bytes of `chunk` from `at`; returns where it stopped. */
  async take(chunk: Buffer, at: number): Promise<number> {
    if (this.#held === null) return this.#decode(chunk, at);
    const next = this.#held.hold(chunk, at);
    this.ended = this.#held.ended;
    if (!this.ended && this.#held.isFull) await this.#release(this.#held, "base64", this.#write);
    return next;
  }

  /**
   * Checks the content against the other fields, once all of them are known, and writes what was kept.
   *
   * @param isTextual whether the other fields say that it is a text
   */
  async finish(encoding: Encoding | null, isTextual: () => boolean): Promise<void> {
    if (this.#held !== null) {
      const held = this.#held;
      if (encoding === null && isWords(unescaped(held.bytes))) await this.#finishWords(held, isTextual);
      else await this.#release(held, encoding ?? "base64", this.#write);
      return;
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
  async #finishWords(held: HeldString, isTextual: () => boolean): Promise<void> {
    const pieces: Buffer[] = [];
    await this.#release(held, "base64", async (piece) => void pieces.push(Buffer.from(piece)));
    const bytes = Buffer.concat(pieces);
    if (!isUtf8(bytes) && isTextual())
      throw invalid(
        "content",
        'must be base64, but is plainly text: send it as `text` instead. If it is base64, add `"encoding": "base64"`',
      );
    if (bytes.length > 0) await this.#write(bytes);
  }

  /** Decodes what is kept. */
  async #release(held: HeldString, encoding: Encoding, write: WriteContent): Promise<void> {
    this.#held = null;
    this.#begin(encoding, write);
    const { bytes } = held;
    for (let at = 0; at < bytes.length;) at = await this.#decode(bytes, at);
  }

  #begin(encoding: Encoding, write: WriteContent): void {
    this.#encoding = encoding;
    if (encoding === "base64") this.#sink = this.#base64 = new Base64Writer(write);
    else this.#sink = new TextWriter(this.#key, write);
    this.#string = new ContentString(this.#sink);
  }

  async #decode(chunk: Buffer, at: number): Promise<number> {
    const [sink, string] = [this.#sink, this.#string];
    if (sink === null || string === null) throw new Error("the content's encoding is not known yet");
    const next = string.scan(chunk, at);
    if (string.ended) {
      this.ended = true;
      await sink.finish();
    } else if (next < chunk.length) {
      await sink.drain();
    }
    return next;
  }
}

/** The start of what is kept of a string, with its line breaks; other escapes are of no letters. */
function unescaped(bytes: Buffer): string {
  const text = bytes.subarray(0, -1).toString("latin1", 0, LOOKED_AT);
  // Most have none, which the runtime sees much faster than a pattern does.
  if (!text.includes("\\")) return text;
  return text.replaceAll(/\\[nrt/]/g, (escape) => (escape === "\\/" ? "/" : "\n"));
}
