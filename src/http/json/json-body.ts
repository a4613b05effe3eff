import { CofferError, invalid } from "../../domain/errors.ts";
import { HttpRefusal } from "../gate/errors.ts";
import { decodeText, parseJson, requireExactField, withoutMark } from "./json-text.ts";

/** How much a JSON body may be: what it costs is done in one turn, in which everybody else waits. */
export interface BodyLimits {
  readonly bytes: number;
  /** Values and names of fields. */
  readonly items: number;
}

const KIB = 1024;

/** From a caller without a key or session, whatever the route: anybody can send as many. */
export const ANONYMOUS_BYTES = 16 * KIB;

/** A thousand ids fit. */
const FEW_ITEMS = 2500;

/** Any metadata that is not too long fits, with all else: each item takes two bytes of it at least. */
export const METADATA_ITEMS = 10_000;

/** Of a route that says nothing else. */
export const PLAIN_BODY: BodyLimits = { bytes: 64 * KIB, items: FEW_ITEMS };
/** With the metadata of a file, which may be written with escapes and much white space. */
export const METADATA_BODY: BodyLimits = { bytes: 256 * KIB, items: METADATA_ITEMS };
/** With long texts. */
export const TEXT_BODY: BodyLimits = { bytes: 1024 * KIB, items: FEW_ITEMS };
/** With long texts and metadata. */
export const MESSAGE_BODY: BodyLimits = { bytes: 1024 * KIB, items: METADATA_ITEMS };

/** Refuses a body whose Content-Length is more than `limit` bytes, before it is read. @param advice see `bodyTooLarge` */
export function refuseLongBody(request: Request, limit: number, advice?: string): void {
  const length = request.headers.get("content-length");
  if (length !== null && Number(length) > limit) throw bodyTooLarge(limit, advice);
}

/** A Content-Encoding would not be decoded: throws UNSUPPORTED_MEDIA_TYPE with `Accept-Encoding` (RFC 9110, 12.5.3). */
export function refuseCodedBody({ headers }: Request): void {
  const codings = (headers.get("content-encoding") ?? "").split(",").map((coding) => coding.trim());
  if (codings.every((coding) => coding === "" || coding.toLowerCase() === "identity")) return;
  throw new HttpRefusal("UNSUPPORTED_MEDIA_TYPE", "The body must be sent without a Content-Encoding.", {
    "accept-encoding": "identity",
  });
}

/** A part of the content (RFC 9110, 14.5) would replace the rest. Throws VALIDATION_ERROR. */
export function refusePartOfContent({ headers }: Request): void {
  if (headers.get("content-range") === null) return;
  throw invalid("Content-Range", "must not be sent: upload the whole content");
}

/** Reads a whole body. Throws PAYLOAD_TOO_LARGE if it has more than `limit` bytes. @param advice see `bodyTooLarge` */
export function readBody(request: Request, limit: number, advice?: string): Promise<Uint8Array> {
  const announced = request.headers.get("content-length");
  return announced !== null && Number(announced) <= limit
    ? request.bytes()
    : collect(request.body, limit, advice);
}

/**
 * Parses a body as JSON. Throws VALIDATION_ERROR for field `body` if it is empty or malformed, or holds too much.
 *
 * @param keptField is stored as it was sent: numbers in it that would change are refused
 * @param note see `parseJson`
 */
export function parseJsonBody(bytes: Uint8Array, items: number, keptField?: string, note?: string): unknown {
  const text = withoutMark(decodeText(bytes, "body"));
  if (text === "") throw invalid("body", "must be a JSON object, but is empty");
  const body = parseJson(text, "body", items, note);
  if (keptField !== undefined) requireExactField(text, body, keptField);
  return body;
}

/** Reads a body of unknown length, and stops at `limit`. */
async function collect(body: ReadableStream<Uint8Array> | null, limit: number, advice?: string) {
  // Not a list of pieces: there may be one for each byte.
  const read = new Bun.ArrayBufferSink();
  let length = 0;
  // Not cancelled after an error, so the rest can still be read.
  for await (const piece of body?.values({ preventCancel: true }) ?? []) {
    length += piece.length;
    if (length > limit) throw bodyTooLarge(limit, advice);
    read.write(piece);
  }
  return new Uint8Array(read.end());
}

/** @param limit bytes. @param advice what to do instead */
export function bodyTooLarge(limit: number, advice = "send less at once"): CofferError {
  return new CofferError("PAYLOAD_TOO_LARGE", `The body must not be longer than ${limit} bytes: ${advice}.`);
}
