import { CofferError, invalid } from "../../../domain/errors.ts";
import { BATCH } from "../../../domain/limits.ts";
import type { BatchFields } from "../../../services/contents/batch-upload.ts";
import { readJsonUpload } from "../json.ts";
import { MAX_FIELD_BYTES, type UploadEnvelope } from "../upload-body.ts";
import { brokenEntry, type BatchEntry } from "./entry.ts";
import type { ByteSource } from "./byte-source.ts";

const LINE_FEED = 0x0a;
/** A content in base64 that is not too long, and its fields; or a text, of which few characters are escapes. */
const LINE_BYTES = BATCH.fileBytes * 2 + MAX_FIELD_BYTES;

/** The entries of lines of JSON: each is the body of an upload. @param fieldsOf checks what is beside the content */
export async function* lineEntries(
  source: ByteSource,
  fieldsOf: (sent: UploadEnvelope) => BatchFields,
): AsyncGenerator<BatchEntry, undefined> {
  let blank = 0;
  for (let line = 1; ; line += 1) {
    const bytes = await nextLine(source);
    if (bytes === null) return;
    if (bytes === "long") yield brokenEntry(tooLong(), line);
    else if (isBlank(bytes)) {
      blank += 1;
      if (blank > BATCH.files) return yield brokenEntry(tooManyBlank(), line);
    } else {
      const read: BatchEntry["read"] = async (write) =>
        fieldsOf(await readJsonUpload(chunksOf(bytes), write));
      yield { line, path: null, isFolder: false, read };
    }
  }
}

/** The next line without its end; null after the last. One that is too long is passed over. */
async function nextLine(source: ByteSource): Promise<Uint8Array | "long" | null> {
  const parts: Uint8Array[] = [];
  let length = 0;
  for (let part = await source.before(LINE_FEED); part !== null; part = await source.before(LINE_FEED)) {
    // A copy: what was read is released when more is asked for.
    if (length <= LINE_BYTES) parts.push(new Uint8Array(part.bytes));
    length += part.bytes.length;
    if (part.isWhole) return lineOf(parts, length);
  }
  return length === 0 ? null : lineOf(parts, length);
}

function lineOf(parts: readonly Uint8Array[], length: number): Uint8Array | "long" {
  return length > LINE_BYTES ? "long" : Buffer.concat(parts);
}

/** Whether a line has nothing but white space, as between two that end in `\r\n`. */
function isBlank(line: Uint8Array): boolean {
  return line.every((byte) => byte === 0x20 || byte === 0x09 || byte === 0x0d);
}

async function* chunksOf(line: Uint8Array): AsyncGenerator<Uint8Array> {
  yield line;
}

function tooManyBlank(): CofferError {
  return invalid("body", `has more than ${BATCH.files} blank lines: leave them out`);
}

function tooLong(): CofferError {
  return new CofferError(
    "PAYLOAD_TOO_LARGE",
    `A line may have at most ${LINE_BYTES} bytes: upload the file alone.`,
  );
}
