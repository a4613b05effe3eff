import { invalid } from "../../domain/errors.ts";
import { Base64Writer } from "./base64.ts";
import { ContentString } from "./content-string.ts";
import { JsonScanner } from "./json-scanner.ts";
import type { UploadEnvelope } from "./fields.ts";
import { requireExactField } from "../operation/exact-numbers.ts";
import { decodeText, parseJson, withoutMark } from "../operation/json-text.ts";
import type { WriteContent } from "./write-content.ts";

/**
 * Reads an upload whose body is one JSON object (RFC 8259) with `content` in base64. The
 * content is decoded and written as it arrives, wherever its key is. It needs a few hundred KiB of memory for any
 * size. After an error the caller must discard what was written.
 *
 * @returns the other fields, once the whole body has been checked
 * @throws CofferError VALIDATION_ERROR on `body`, `content` or a number in `metadata`, PAYLOAD_TOO_LARGE if the other
 *   fields exceed 256 KiB; `body` is then cancelled. Errors of the stream or of `write` are passed on.
 */
export async function readJsonUpload(
  body: AsyncIterable<Uint8Array>,
  write: WriteContent,
): Promise<UploadEnvelope> {
  const scanner = new JsonScanner();
  using decoder = new Base64Writer(write);
  const content = new ContentString(decoder);
  for await (const bytes of body) {
    const chunk = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
    let at = 0;
    while (at < chunk.length) {
      if (!scanner.inContent) {
        at = scanner.scanFields(chunk, at);
        continue;
      }
      at = content.scan(chunk, at);
      if (content.ended) {
        scanner.endContent();
        await decoder.finish();
      } else if (decoder.room === 0) {
        await decoder.drain();
      }
    }
  }
  if (scanner.inContent)
    throw invalid("body", "is malformed JSON: it ends within content, so send the whole of it");
  if (scanner.envelope.length === 0) throw invalid("body", "must be a JSON object, but is empty");
  const text = withoutMark(decodeText(scanner.envelope, "body"));
  const fields = parseJson(text, "body", scanner.hasContent ? " (the content is not counted)" : "");
  requireExactField(text, fields, "metadata");
  return { fields, hasContent: scanner.hasContent };
}
