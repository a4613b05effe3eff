/**
 * A body's chunks. The memory of each is released when the next is requested, so keep copies: with the garbage collector
 * alone a few large uploads take twice the memory of everything else. If the reader stops early, the rest can be read.
 */
export async function* releasedChunks(body: ReadableStream<Uint8Array> | null): AsyncGenerator<Uint8Array> {
  if (body === null) return;
  for await (const chunk of body.values({ preventCancel: true })) {
    yield chunk;
    releaseChunk(chunk);
  }
}

function releaseChunk({ buffer, byteLength }: Uint8Array): void {
  // Leaves a view of a larger buffer alone: it has another owner.
  if (buffer instanceof ArrayBuffer && buffer.byteLength === byteLength) buffer.transfer(0);
}

/** How much of an unread body is read and discarded before the response. */
export interface UnreadLimits {
  readonly bytes: number;
  readonly ms: number;
}

/** Enough for most files. A client that sends more, or more slowly, may lose its response. */
const UNREAD_LIMITS: UnreadLimits = { bytes: 64 * 1024 * 1024, ms: 10_000 };

/**
 * Reads and discards the rest of a request's body before the response, if needed. Nothing else may be reading it.
 *
 * That is for a client that announced the end of its connection: the runtime closes it after the response, and the
 * system resets it while the client is still sending, so that it never reads the response (RFC 9112, 9.6). On other
 * connections the runtime discards the body itself. Null if the response may be sent at once; else resolves with
 * whether the body ended within the limits.
 */
export function discardUnread(request: Request, limits: UnreadLimits = UNREAD_LIMITS) {
  if (!hasBody(request) || !closesConnection(request)) return null;
  const { body } = request;
  // A body that was read to its end stays locked.
  if (body === null || body.locked) return null;
  const announced = request.headers.get("content-length");
  if (announced !== null && Number(announced) > limits.bytes) return Promise.resolve(false);
  return discard(body, limits);
}

function hasBody({ method, headers }: Request): boolean {
  // The runtime never passes on the body of these.
  if (method === "GET" || method === "HEAD") return false;
  const length = headers.get("content-length");
  return length === null ? headers.has("transfer-encoding") : length !== "0";
}

/** Whether the client wants the connection closed. HTTP/1.0, where this is the default, cannot be detected. */
function closesConnection({ headers }: Request): boolean {
  const connection = headers.get("connection");
  return connection !== null && /\bclose\b/i.test(connection);
}

async function discard(body: ReadableStream<Uint8Array>, { bytes, ms }: UnreadLimits): Promise<boolean> {
  const reader = body.getReader();
  let isWithin = true;
  const giveUp = () => {
    isWithin = false;
    // Ends the waiting read. If this fails, the read has failed too.
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
    // The client has disconnected: nobody reads the response.
    return false;
  } finally {
    clearTimeout(timer);
  }
}
