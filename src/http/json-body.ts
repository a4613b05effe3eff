import { CofferError, invalid } from "../domain/errors.ts";
import { decodeText, parseJson } from "./json-text.ts";

/** Bytes. */
export const MAX_JSON_BODY = 1024 * 1024;

/** Refuses, before any of it is read, a body that says it is longer than `limit` bytes. */
export function refuseLongBody(request: Request, limit: number): void {
  const length = request.headers.get("content-length");
  if (length !== null && Number(length) > limit) throw tooLarge(limit);
}

/** Reads a request's body whole. Throws PAYLOAD_TOO_LARGE past `MAX_JSON_BODY`. */
export function readBody(request: Request): Promise<Uint8Array> {
  const announced = request.headers.get("content-length");
  return announced !== null && Number(announced) <= MAX_JSON_BODY
    ? request.bytes()
    : collect(request.body, MAX_JSON_BODY);
}

/** Parses a body as JSON. Throws VALIDATION_ERROR for field `body` when it is empty or malformed. */
export function parseJsonBody(bytes: Uint8Array): unknown {
  if (bytes.length === 0) throw invalid("body", "must be a JSON object, but is empty");
  return parseJson(decodeText(bytes, "body"), "body");
}

/** A body of unannounced length, held to `limit` while it arrives. */
async function collect(body: ReadableStream<Uint8Array> | null, limit: number): Promise<Uint8Array> {
  const pieces: Uint8Array[] = [];
  let length = 0;
  for await (const piece of body ?? []) {
    length += piece.length;
    if (length > limit) throw tooLarge(limit);
    pieces.push(piece);
  }
  return Buffer.concat(pieces);
}

function tooLarge(limit: number): CofferError {
  return new CofferError("PAYLOAD_TOO_LARGE", `The body must not be longer than ${limit} bytes.`);
}
