import { setImmediate as nextTurn } from "node:timers/promises";
import { CofferError, invalid } from "../../../domain/errors.ts";
import { BATCH, MIB } from "../../../domain/limits.ts";
import type { BatchFields } from "../../../services/contents/batch-upload.ts";
import { inTurns, type UploadEnvelope } from "../upload-body.ts";
import { ByteSource } from "./byte-source.ts";
import { type BatchEntry, brokenEntry } from "./entry.ts";
import { lineEntries } from "./lines.ts";
import { tarEntries } from "./tar.ts";
import { zipEntries } from "./zip.ts";

/** The media types of a batch, by what they are. */
export const BATCH_TYPES = {
  lines: ["application/jsonl", "application/x-ndjson"],
  tar: ["application/x-tar"],
  gzip: ["application/gzip"],
  zip: ["application/zip"],
} as const;

/** What others call the same. */
const ALSO: Readonly<Record<string, keyof typeof BATCH_TYPES>> = {
  "application/ndjson": "lines",
  "application/x-jsonlines": "lines",
  "application/tar": "tar",
  "application/x-gtar": "tar",
  "application/x-gzip": "gzip",
  "application/x-zip-compressed": "zip",
};

/** After so many entries others have their turn: many short ones come at once. */
const TURN = 8;

/** What a body is by its media type. Throws UNSUPPORTED_MEDIA_TYPE. */
export function batchFormat(essence: string): keyof typeof BATCH_TYPES {
  const known = (["lines", "tar", "gzip", "zip"] as const).find((format) =>
    BATCH_TYPES[format].some((type) => type === essence),
  );
  const format = known ?? ALSO[essence];
  if (format !== undefined) return format;
  const types = Object.values(BATCH_TYPES).flat().join(", ");
  throw new CofferError("UNSUPPORTED_MEDIA_TYPE", `The Content-Type of a batch must be one of ${types}.`);
}

/**
 * The files of a body, as they come: one more than there may be, or what cannot be read any further, fails and is the
 * last. The content of each must be read, or left alone, before the next is asked for. Throws what ends the request.
 */
export async function* batchEntries(
  ...of: Parameters<typeof allEntries>
): AsyncGenerator<BatchEntry, undefined> {
  try {
    let count = 0;
    for await (const entry of allEntries(...of)) {
      count += 1;
      if (count % TURN === 0) await nextTurn();
      if (count > BATCH.files) return yield { ...entry, read: () => Promise.reject(tooMany()) };
      yield entry;
    }
  } catch (error) {
    if (!(error instanceof CofferError)) throw error;
    yield brokenEntry(error);
  }
}

function tooMany(): CofferError {
  return new CofferError(
    "PAYLOAD_TOO_LARGE",
    `A batch may have at most ${BATCH.files} files: send this one and those after it in another.`,
  );
}

function allEntries(
  format: keyof typeof BATCH_TYPES,
  body: AsyncIterable<Uint8Array>,
  fieldsOf: (sent: UploadEnvelope) => BatchFields,
): AsyncGenerator<BatchEntry> {
  switch (format) {
    case "lines":
      return lineEntries(new ByteSource(inTurns(body)), fieldsOf);
    case "tar":
      return tarEntries(new ByteSource(inTurns(body)));
    case "gzip":
      return tarEntries(new ByteSource(inTurns(unpacked(body))));
    case "zip":
      return zipEntries(new ByteSource(inTurns(body)));
  }
}

/** What was packed with gzip, up to as much as is read. */
async function* unpacked(body: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array> {
  let total = 0;
  for await (const piece of gunzipped(body)) {
    total += piece.length;
    if (total > BATCH.unpackedBytes) {
      throw new CofferError(
        "PAYLOAD_TOO_LARGE",
        `An archive may have at most ${BATCH.unpackedBytes / MIB} MiB when it is unpacked: send its parts one by one.`,
      );
    }
    yield piece;
  }
}

/** Unpacked beside the main thread. Throws VALIDATION_ERROR where that was not packed with gzip. */
async function* gunzipped(body: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array> {
  const chunks = body[Symbol.asyncIterator]();
  const packed = new ReadableStream<Uint8Array<ArrayBuffer>>({
    pull: async (to) => {
      const next = await chunks.next();
      if (next.done === true) to.close();
      else to.enqueue(new Uint8Array(next.value));
    },
  });
  try {
    yield* packed.pipeThrough(new DecompressionStream("gzip"));
  } catch (error) {
    if (!(error instanceof TypeError)) throw error;
    throw invalid("body", "is malformed: it is not, or not all of it, packed with gzip");
  }
}

/** A body that is hashed while it is read, to its end, also by who needs only its beginning. */
export class HashedBody implements AsyncIterable<Uint8Array> {
  readonly #chunks: AsyncIterator<Uint8Array>;
  readonly #hash = new Bun.CryptoHasher("sha256");

  constructor(body: AsyncIterable<Uint8Array>) {
    this.#chunks = body[Symbol.asyncIterator]();
  }

  /** Whoever stops does not end the body. */
  [Symbol.asyncIterator](): AsyncIterator<Uint8Array> {
    return { next: () => this.#next() };
  }

  /** Reads the rest. Resolves with the SHA-256 of all of it. */
  async digest(): Promise<string> {
    while ((await this.#next()).done !== true);
    return this.#hash.digest("hex");
  }

  async #next(): Promise<IteratorResult<Uint8Array>> {
    const next = await this.#chunks.next();
    if (next.done !== true) this.#hash.update(next.value);
    return next;
  }
}
