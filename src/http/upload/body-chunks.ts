import { releasedChunks } from "../gate/released-chunks.ts";
import type { RequestContext } from "../gate/request-context.ts";
import { bodyTooLarge } from "../operation/json-body.ts";

// A small content in base64, and its other fields. In bytes.
const SHORT_BODY = 32 * 1024;

/**
 * A request's body as it arrives. Each chunk resets the idle timeout; the runtime does not do that itself. A short
 * body is one chunk: a stream costs the runtime twice the time, and 256 KiB of memory for each chunk. Throws
 * PAYLOAD_TOO_LARGE after `limit` bytes: what a parser ignores counts nowhere else if no length was announced.
 */
export async function* chunksOf(
  request: Request,
  context: RequestContext,
  limit: number,
): AsyncGenerator<Uint8Array> {
  let length = 0;
  for await (const chunk of isShort(request) ? wholeBody(request, context) : releasedChunks(request.body)) {
    context.keepAlive();
    length += chunk.length;
    if (length > limit) throw bodyTooLarge(limit);
    yield chunk;
  }
}

async function* wholeBody(request: Request, context: RequestContext): AsyncGenerator<Uint8Array> {
  context.allowSlowWriter();
  yield await request.bytes();
}

/** Whether a body's announced length is at most `SHORT_BODY`. */
function isShort({ headers }: Request): boolean {
  const announced = headers.get("content-length");
  return announced !== null && Number(announced) <= SHORT_BODY;
}
