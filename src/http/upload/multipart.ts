import { invalid } from "../../domain/errors.ts";
import { METADATA_ITEMS } from "../json/json-body.ts";
import { unknownName } from "../operation/names.ts";
import { decodeText, parseJson, withoutMark } from "../json/json-text.ts";
import { splitTags } from "../operation/schema.ts";
import { type PartHeader, scanMultipart } from "./multipart-scanner.ts";
import type { ContentKey, UploadEnvelope, WriteContent } from "./upload-body.ts";
import { fieldsTooLarge, inTurns, MAX_FIELD_BYTES, parseMetadata } from "./upload-body.ts";

/** What an unknown name is told of: the fields that are texts, and the file. */
const FIELD_NAMES: readonly string[] = [
  "file",
  "drive_id",
  "filename",
  "path",
  "content_type",
  "expires_at",
  "tags",
  "metadata",
];

/** What an empty part counts for, in bytes, because it takes memory. */
const PART_BYTES = 64;

/** The names of the content's part, and the fields that these are in JSON. */
const CONTENT_NAMES: ReadonlyMap<string, ContentKey> = new Map([
  ["file", "content"],
  ["content", "content"],
  ["text", "text"],
]);

/**
 * Reads an upload sent as `multipart/form-data` (RFC 7578). The part named `file`, `content` or `text` is the content, as
 * raw bytes, with or without a file name. The others are text. Memory does not grow with the content.
 *
 * The fields have the shape of the JSON upload's. `filename` and `content_type` default to those of the content's
 * part, except `application/octet-stream`, which says nothing, and where `path` names the file. `metadata` is JSON; `tags` is repeated, one JSON array,
 * or one list separated by commas. Unknown text fields are handed on, but a file with an unknown name would be lost.
 *
 * @throws CofferError VALIDATION_ERROR, PAYLOAD_TOO_LARGE if the text parts exceed 256 KiB; `body` is then cancelled.
 *   Errors of the stream or of `write` are passed on.
 */
export async function readMultipartUpload(
  body: AsyncIterable<Uint8Array>,
  contentType: string,
  write: WriteContent,
): Promise<UploadEnvelope> {
  let boundary: string;
  try {
    boundary = parseBoundary(contentType);
  } catch (error) {
    await body[Symbol.asyncIterator]().return?.();
    throw error;
  }
  const form = new Form(write);
  await scanMultipart(inTurns(body), boundary, (header) => form.open(header));
  return { fields: form.fields(), contentKey: form.contentKey };
}

function parseBoundary(contentType: string): string {
  const [, quoted, token] = /;\s*boundary=(?:"([^"]*)"|([^\s;"]+))/i.exec(contentType) ?? [];
  const boundary = quoted ?? token ?? "";
  // RFC 2046 section 5.1.1; other token characters are allowed too, because some clients use them.
  if (!/^[\x20-\x7e]{0,69}[\x21-\x7e]$/.test(boundary)) {
    throw invalid("body", "has no valid boundary in its Content-Type: let the HTTP client set it");
  }
  return boundary;
}

class Form {
  content: PartHeader | undefined;
  contentKey: ContentKey | null = null;
  readonly #write: WriteContent;
  readonly #texts = new Map<string, Bun.ArrayBufferSink[]>();
  #textBytes = 0;

  constructor(write: WriteContent) {
    this.#write = write;
  }

  open(header: PartHeader): WriteContent {
    const { name, filename } = header;
    const contentKey = CONTENT_NAMES.get(name);
    if (contentKey !== undefined) {
      if (this.content !== undefined) throw invalid("content", "must be sent only once");
      this.content = header;
      this.contentKey = contentKey;
      return this.#write;
    }
    const known = FIELD_NAMES.includes(name);
    if (!known && filename !== undefined) {
      throw unknownName(
        name,
        { noun: "field", before: "", known: FIELD_NAMES },
        "A file belongs into the part `file`.",
      );
    }
    const earlier = this.#texts.get(name) ?? [];
    if (known && name !== "tags" && earlier.length > 0) throw invalid(name, "must be sent only once");
    // There may be any number of these.
    if (!known || earlier.length > 0) this.#count(name.length + PART_BYTES);
    const text = new Bun.ArrayBufferSink();
    earlier.push(text);
    this.#texts.set(name, earlier);
    return async (piece) => {
      this.#count(piece.length);
      text.write(piece);
    };
  }

  #count(bytes: number): void {
    this.#textBytes += bytes;
    if (this.#textBytes > MAX_FIELD_BYTES) throw fieldsTooLarge();
  }

  fields(): Record<string, unknown> {
    const fields = new Map<string, unknown>();
    if (this.content !== undefined && this.contentKey !== null) {
      const { contentType } = this.content;
      fields.set(this.contentKey, "");
      const isTyped = contentType !== undefined && !/^application\/octet-stream\b/i.test(contentType);
      if (isTyped && !this.#texts.has("mime_type")) fields.set("content_type", contentType);
    }
    for (const [name, sinks] of this.#texts) {
      const texts = sinks.map((sink) => decodeText(new Uint8Array(sink.end()), name));
      fields.set(name, parseField(name, texts));
    }
    const { filename = "" } = this.content ?? {};
    const path = fields.get("path");
    // It is that of a file of the client's: a path that names the file counts more.
    const isNamed = fields.has("filename") || (typeof path === "string" && !/(?:^|\/)$/.test(path));
    if (filename !== "" && !isNamed) fields.set("filename", filename);
    return Object.fromEntries(fields);
  }
}

function parseField(name: string, texts: readonly string[]): unknown {
  const [text = ""] = texts;
  if (name === "metadata") return parseMetadata(text);
  if (name !== "tags") return text;
  if (texts.length > 1) return texts;
  return text.trimStart().startsWith("[")
    ? parseJson(withoutMark(text), name, METADATA_ITEMS)
    : splitTags(text);
}
