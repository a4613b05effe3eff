import { CofferError } from "../../domain/errors.ts";
import type { SteadyClock } from "../../process/clock.ts";
import type { AnnouncedBytes } from "../../services/contents/arriving.ts";
import { releasedChunks } from "../connection/released-chunks.ts";
import type { RequestContext } from "../gate/request-context.ts";
import { bodyTooLarge } from "../json/json-body.ts";
import type { WriteContent } from "./upload-body.ts";

// A small file in base64, and its other fields. In bytes.
const SHORT_BODY = 32 * 1024;

/** How fast clients must send contents. */
export interface Pace {
  readonly clock: SteadyClock;
  /** Bytes in a second, on average over `PACE_MS`; 0 for no limit. */
  readonly least: number;
}

interface Reading {
  /** The most bytes. */
  readonly limit: number;
  readonly pace: Pace;
  /** Called as chunks come; what it throws ends it. */
  readonly check?: () => void;
}

/**
 * A request's body as it arrives. Each chunk resets the idle timeout; the runtime does not do that itself. A short
 * body is one chunk: a stream costs the runtime twice the time, and 256 KiB of memory for each chunk. Throws
 * PAYLOAD_TOO_LARGE after `limit` bytes, as what a parser ignores counts nowhere else if no length was announced, and
 * REQUEST_TIMEOUT, and what `check` throws.
 */
export async function* chunksOf(
  request: Request,
  context: RequestContext,
  { limit, pace, check }: Reading,
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

/** The time over which a client's speed is measured, in milliseconds. */
const PACE_MS = 60_000;

/**
 * Passes chunks on as long as they come fast enough. Only the time counts in which the client is waited for, not that in
 * which our disk takes what came. Throws REQUEST_TIMEOUT.
 */
export async function* paced(
  chunks: AsyncIterable<Uint8Array>,
  { clock, least }: Pace,
): AsyncGenerator<Uint8Array> {
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

/**
 * Passes on a body that is the content itself (`PUT /v0/files`), chunk by chunk.
 * Errors of the stream or of `write` are passed on unchanged; `body` is cancelled on the latter.
 */
export async function readRawUpload(body: AsyncIterable<Uint8Array>, write: WriteContent): Promise<void> {
  for await (const chunk of body) {
    if (chunk.length > 0) await write(chunk);
  }
}
