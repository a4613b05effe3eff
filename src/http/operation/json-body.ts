import { CofferError, invalid } from "../../domain/errors.ts";
import { HttpRefusal } from "../gate/errors.ts";
import { requireExactField } from "./exact-numbers.ts";
import { decodeText, parseJson } from "./json-text.ts";

/** Bytes. */
export const MAX_JSON_BODY = 1024 * 1024;

/** Refuses, before any of it is read, a body that says it is longer than `limit` bytes. */
export function refuseLongBody(request: Request, limit: number): void {
  const length = request.headers.get("content-length");
  if (length !== null && Number(length) > limit) throw tooLarge(limit);
}

/**
 * Refuses, before any of it is read, a body that was compressed or coded in another way: nobody would undo it.
 *
 * @throws HttpRefusal UNSUPPORTED_MEDIA_TYPE, with the `Accept-Encoding` that RFC 9110 (12.5.3) asks for
 */
export function refuseCodedBody({ headers }: Request): void {
  const codings = (headers.get("content-encoding") ?? "").split(",").map((coding) => coding.trim());
  if (codings.every((coding) => coding === "" || coding.toLowerCase() === "identity")) return;
  throw new HttpRefusal(
    "UNSUPPORTED_MEDIA_TYPE",
    "The body must be sent as it is, without a Content-Encoding.",
    { "accept-encoding": "identity" },
  );
}

/**
 * Refuses, before any of it is read, a body that is only a part of a content (RFC 9110, 14.5): taken for the
 * whole, it would replace the rest. Throws VALIDATION_ERROR.
 */
export function refusePartOfContent({ headers }: Request): void {
  if (headers.get("content-range") === null) return;
  throw invalid("Content-Range", "must not be sent: a content can only be uploaded whole");
}

/** Reads a request's body whole. Throws PAYLOAD_TOO_LARGE past `MAX_JSON_BODY`. */
export function readBody(request: Request): Promise<Uint8Array> {
  const announced = request.headers.get("content-length");
  return announced !== null && Number(announced) <= MAX_JSON_BODY
    ? request.bytes()
    : collect(request.body, MAX_JSON_BODY);
}

/**
 * Parses a body as JSON. Throws VALIDATION_ERROR for field `body` when it is empty or malformed.
 *
 * @param keptField a field of the body that is kept as it was sent: a number in it that would be changed is
 *   refused as well
 */
export function parseJsonBody(bytes: Uint8Array, keptField?: string): unknown {
  if (bytes.length === 0) throw invalid("body", "must be a JSON object, but is empty");
  const text = decodeText(bytes, "body");
  const body = parseJson(text, "body");
  if (keptField !== undefined) requireExactField(text, body, keptField);
  return body;
}

/** A body of unannounced length, held to `limit` while it arrives. */
async function collect(body: ReadableStream<Uint8Array> | null, limit: number): Promise<Uint8Array> {
  const pieces: Uint8Array[] = [];
  let length = 0;
  // Not cancelled on the way out, so that what is left of it can still be read.
  for await (const piece of body?.values({ preventCancel: true }) ?? []) {
    length += piece.length;
    if (length > limit) throw tooLarge(limit);
    pieces.push(piece);
  }
  return Buffer.concat(pieces);
}

function tooLarge(limit: number): CofferError {
  return new CofferError("PAYLOAD_TOO_LARGE", `The body must not be longer than ${limit} bytes.`);
}
