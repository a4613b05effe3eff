import { releaseChunk } from "./released-chunks.ts";

/** How much of a body that nobody wants is read before its answer. */
export interface UnreadLimits {
  readonly bytes: number;
  readonly ms: number;
}

/** Enough for most files. A client that sends more, or more slowly, may lose its answer. */
export const UNREAD_LIMITS: UnreadLimits = { bytes: 64 * 1024 * 1024, ms: 10_000 };

/**
 * Sees to what is left of a request's body before its answer goes out. Nobody must be reading it any more.
 *
 * A client that announced the end of its connection gets its answer only once the body was read: the
 * runtime closes the connection behind the answer, and the system then resets it under a client that is
 * still sending, who never reads the answer (RFC 9112, 9.6). Other connections stay open, and the runtime
 * itself throws away what comes: there the answer goes out at once, and a client may stop sending.
 *
 * @returns null when the answer may go out at once; else resolves with whether the body came to its end
 *   within the limits
 */
export function discardUnread(
  request: Request,
  limits: UnreadLimits = UNREAD_LIMITS,
): Promise<boolean> | null {
  if (!hasBody(request) || !closesConnection(request)) return null;
  const { body } = request;
  // Locked for good when it was read whole.
  if (body === null || body.locked) return null;
  const announced = request.headers.get("content-length");
  if (announced !== null && Number(announced) > limits.bytes) return Promise.resolve(false);
  return discard(body, limits);
}

function hasBody({ method, headers }: Request): boolean {
  // The runtime gives nobody the body of these.
  if (method === "GET" || method === "HEAD") return false;
  const length = headers.get("content-length");
  return length === null ? headers.has("transfer-encoding") : length !== "0";
}

/** Whether the client wants the connection closed. HTTP/1.0, where that is the rule, is not to be told apart. */
function closesConnection({ headers }: Request): boolean {
  const connection = headers.get("connection");
  return connection !== null && /\bclose\b/i.test(connection);
}

async function discard(body: ReadableStream<Uint8Array>, { bytes, ms }: UnreadLimits): Promise<boolean> {
  const reader = body.getReader();
  let isWithin = true;
  const giveUp = () => {
    isWithin = false;
    // Ends the read that waits. Where this fails, so did the read.
    reader.cancel().catch(() => {});
  };
  const timer = setTimeout(giveUp, ms);
  let left = bytes;
  try {
    for (;;) {
      const { done, value } = await reader.read();
      if (done) return isWithin;
      left -= value.length;
      releaseChunk(value);
      if (left < 0) giveUp();
    }
  } catch {
    // The client has left: nobody reads the answer.
    return false;
  } finally {
    clearTimeout(timer);
  }
}
