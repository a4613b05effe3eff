import { setImmediate as nextTurn } from "node:timers/promises";
import { CofferError } from "../../domain/errors.ts";
import { bodyTooLarge, METADATA_BODY, METADATA_ITEMS } from "../json/json-body.ts";
import { parseJson, requireExactNumbers, withoutMark } from "../json/json-text.ts";
import type { SteadyClock } from "../../process/clock.ts";
import type { AnnouncedBytes } from "../../services/contents/uploads.ts";
import { releasedChunks } from "../connection/body.ts";
import type { RequestContext } from "../gate/request-context.ts";

/**
 * Takes the next piece, in order, never an empty one. Its memory may be reused once the promise has resolved. A
 * rejection ends the upload and is passed on.
 */
export type WriteContent = (piece: Uint8Array) => Promise<void>;

/** The most bytes of all fields other than the content in one upload, before parsing. */
export const MAX_FIELD_BYTES = METADATA_BODY.bytes;

/** The fields that may be the content: bytes, in JSON as base64; or text; or `content` by the name that MCP gives it. */
export const CONTENT_KEYS = ["content", "text", "base64"] as const;

export type ContentKey = (typeof CONTENT_KEYS)[number];

/** The fields of an upload other than the content, not yet validated. */
export interface UploadEnvelope {
  /** An object. The content's field is `""` if it was streamed; one that is no string is there as sent, to be refused. */
  readonly fields: unknown;
  /** The name under which the content was streamed, even an empty one; null if there was none. */
  readonly contentKey: ContentKey | null;
}

export function fieldsTooLarge(): CofferError {
  return new CofferError(
    "PAYLOAD_TOO_LARGE",
    `The fields other than the content exceed ${MAX_FIELD_BYTES} bytes. Shorten them.`,
  );
}

/** Metadata that is sent as text, where a request has no JSON around it. Throws VALIDATION_ERROR. */
export function parseMetadata(sent: string): unknown {
  const text = withoutMark(sent);
  const metadata = parseJson(text, "metadata", METADATA_ITEMS);
  requireExactNumbers(text, metadata, "metadata");
  return metadata;
}

/** How much is parsed in one turn: each escape of JSON, and each line of a form, takes as long as many other bytes. */
const TURN_BYTES = 128 * 1024;

/** A body in short chunks, between which others have their turn: what has arrived already comes without a wait. */
export async function* inTurns(body: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array> {
  let parsed = 0;
  for await (const chunk of body) {
    for (let at = 0; at < chunk.length; at += TURN_BYTES) {
      const piece = chunk.subarray(at, at + TURN_BYTES);
      yield piece;
      parsed += piece.length;
      if (parsed < TURN_BYTES) continue;
      parsed = 0;
      await nextTurn();
    }
  }
}

// A small file in base64, and its other fields. In bytes.
const SHORT_BODY = 32 * 1024;
/** The time over which a client's speed is measured, in milliseconds. */
const PACE_MS = 60_000;

export interface Pace {
  readonly clock: SteadyClock;
  /** Bytes in a second, on average over `PACE_MS`; 0 for no limit. */
  readonly least: number;
}

/**
 * A request's body as it arrives. Each chunk resets the idle timeout; the runtime does not do that itself. A short body
 * is one chunk: a stream takes twice the time, and 256 KiB for each. Throws PAYLOAD_TOO_LARGE, REQUEST_TIMEOUT.
 */
export async function* chunksOf(
  request: Request,
  context: RequestContext,
  { limit, pace, check }: { readonly limit: number; readonly pace: Pace; readonly check?: () => void },
): AsyncGenerator<Uint8Array> {
  let length = 0;
  const chunks = isShort(request)
    ? wholeBody(request, context, pace)
    : paced(releasedChunks(request.body), pace);
  for await (const chunk of chunks) {
    context.keepAlive();
    check?.();
    length += chunk.length;
    if (length > limit) throw bodyTooLarge(limit);
    yield chunk;
  }
}

async function* wholeBody(request: Request, context: RequestContext, pace: Pace): AsyncGenerator<Uint8Array> {
  context.allowSlowWriter();
  yield await inTime(request.bytes(), pace);
}

/** What a request says of its body before it is read; null for a short one, which is in memory at once. */
export function announcedBy(request: Request, context: RequestContext): AnnouncedBytes | null {
  if (isShort(request)) return null;
  const length = request.headers.get("content-length");
  return { client: context.client, bytes: length === null ? null : Number(length) };
}

function isShort({ headers }: Request): boolean {
  const announced = headers.get("content-length");
  return announced !== null && Number(announced) <= SHORT_BODY;
}

/** Throws REQUEST_TIMEOUT if chunks come too slowly. The time does not count in which our disk takes what came. */
export async function* paced(chunks: AsyncIterable<Uint8Array>, { clock, least }: Pace) {
  let [bytes, waited] = [0, 0];
  let since = clock.elapsed();
  for await (const chunk of chunks) {
    waited += clock.elapsed() - since;
    bytes += chunk.length;
    if (waited >= PACE_MS) {
      if (bytes < (least * waited) / 1000) throw tooSlow(least);
      [bytes, waited] = [0, 0];
    }
    yield chunk;
    since = clock.elapsed();
  }
}

/** What is read at once must be there in that time. Throws REQUEST_TIMEOUT. */
export async function inTime<T>(body: Promise<T>, { least }: Pace, ms: number = PACE_MS): Promise<T> {
  if (least === 0) return body;
  const late = Promise.withResolvers<never>();
  const timer = setTimeout(() => late.reject(tooSlow(least)), ms);
  try {
    return await Promise.race([body, late.promise]);
  } finally {
    clearTimeout(timer);
  }
}

function tooSlow(least: number): CofferError {
  return new CofferError(
    "REQUEST_TIMEOUT",
    `The content came too slowly: send at least ${least} bytes in a second, on average over ${PACE_MS / 1000} seconds. Nothing was stored.`,
  );
}

/** Passes on a body that is the content itself. Errors of `write` cancel it, and are passed on, as those of the body. */
export async function readRawUpload(body: AsyncIterable<Uint8Array>, write: WriteContent): Promise<void> {
  for await (const chunk of body) {
    if (chunk.length > 0) await write(chunk);
  }
}
