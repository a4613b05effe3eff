import type { AnnouncedBytes } from "../../services/contents/arriving.ts";
import { releasedChunks } from "../connection/released-chunks.ts";
import type { RequestContext } from "../gate/request-context.ts";
import { bodyTooLarge } from "../json/json-body.ts";
import { inTime, type Pace, paced } from "./pace.ts";

// A small content in base64, and its other fields. In bytes.
const SHORT_BODY = 32 * 1024;

/** How a body is read. */
export interface Reading {
  /** The most bytes. */
  readonly limit: number;
  readonly pace: Pace;
  /** Called as chunks come; what it throws ends it. */
  readonly look?: () => void;
}

/**
 * A request's body as it arrives. Each chunk resets the idle timeout; the runtime does not do that itself. A short
 * body is one chunk: a stream costs the runtime twice the time, and 256 KiB of memory for each chunk. Throws
 * PAYLOAD_TOO_LARGE after `limit` bytes, as what a parser ignores counts nowhere else if no length was announced, and
 * REQUEST_TIMEOUT, and what `look` throws.
 */
export async function* chunksOf(
  request: Request,
  context: RequestContext,
  { limit, pace, look }: Reading,
): AsyncGenerator<Uint8Array> {
  let length = 0;
  const chunks = isShort(request)
    ? wholeBody(request, context, pace)
    : paced(releasedChunks(request.body), pace);
  for await (const chunk of chunks) {
    context.keepAlive();
    look?.();
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

/** Whether a body's announced length is at most `SHORT_BODY`. */
function isShort({ headers }: Request): boolean {
  const announced = headers.get("content-length");
  return announced !== null && Number(announced) <= SHORT_BODY;
}
