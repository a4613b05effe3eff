import { invalid } from "../../domain/errors.ts";
import { METADATA_ITEMS } from "../json/body-limits.ts";
import { essenceOf, isTextType, mimeTypeOf } from "../../domain/contents/media-type.ts";
import { requireExactField } from "../json/exact-numbers.ts";
import { decodeText, parseJson, withoutMark } from "../json/json-text.ts";
import { encodingIn, JsonContent, requireEncoding } from "./json-content.ts";
import { JsonScanner } from "./json-scanner.ts";
import { inTurns, type UploadEnvelope, type WriteContent } from "./upload-body.ts";

/**
 * Reads an upload whose body is one JSON object (RFC 8259) with `content`, in base64 or as `encoding` says, or `text`,
 * or `base64`. The content is decoded and written as it arrives, wherever its key is. It needs a few hundred KiB of
 * memory for any size. After an error the caller must discard what was written.
 *
 * @returns the other fields, once the whole body has been checked
 * @throws CofferError VALIDATION_ERROR on `body`, `content`, `text`, `encoding` or a number in `metadata`,
 *   PAYLOAD_TOO_LARGE if the other fields exceed 256 KiB; `body` is then cancelled. Errors of the stream or of `write`
 *   are passed on.
 */
export async function readJsonUpload(
  body: AsyncIterable<Uint8Array>,
  write: WriteContent,
): Promise<UploadEnvelope> {
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
    if (scanner.envelope.length === 0) throw invalid("body", "must be a JSON object, but is empty");
    const text = withoutMark(decodeText(scanner.envelope, "body"));
    const fields = parseJson(
      text,
      "body",
      METADATA_ITEMS,
      content === null ? "" : " (the content is not counted)",
    );
    requireExactField(text, fields, "metadata");
    requireEncoding(fields);
    await content?.finish(encodingIn(fields), () => isTextual(fields));
    return { fields, contentKey: scanner.contentKey };
  } finally {
    content?.[Symbol.dispose]();
  }
}

/** The encoding that stands before the content. */
function encodingSoFar({ envelope }: JsonScanner): ReturnType<typeof encodingIn> {
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
  if (typeof fields !== "object" || fields === null) return false;
  const [type, path, filename] = ["content_type", "path", "filename"].map((name): unknown =>
    Reflect.get(fields, name),
  );
  if (typeof type === "string") return isTextType(essenceOf(type));
  const isPath = typeof path === "string" && path !== "" && !path.endsWith("/");
  const name = isPath ? path : filename;
  return typeof name === "string" && isTextType(mimeTypeOf(name));
}
