/** Called when a body ends early; no further piece is requested then. */
interface EarlyEnds {
  /** An error, too late for an error response. */
  readonly onFailure?: (error: unknown) => void;
  /** The client has disconnected. */
  readonly onLeave?: () => void;
  /** The client has read nothing for `ms` milliseconds. `onStall` must close the connection. */
  readonly stall?: { readonly ms: number; readonly onStall: () => void };
}

/**
 * A body that is made while the client reads it. At its end, or when the client leaves or stops reading, the generator
 * is closed. An error in the first piece is thrown, so that it can still become an error response.
 */
export async function piecewise(
  pieces: AsyncGenerator<Uint8Array>,
  { onFailure, onLeave, stall }: EarlyEnds = {},
): Promise<ReadableStream<Uint8Array>> {
  let ahead: Promise<IteratorResult<Uint8Array>> | null = pieces.next();
  await ahead;
  let hasEnded = false;
  let stalled: NodeJS.Timeout | undefined;

  async function end(): Promise<void> {
    hasEnded = true;
    clearTimeout(stalled);
    await pieces.return(undefined);
  }

  function waitForClient(controller: ReadableStreamDefaultController<Uint8Array>): void {
    if (stall === undefined) return;
    stalled = setTimeout(() => {
      end().catch((error: unknown) => onFailure?.(error));
      // The runtime notices this only if the client reads again; it then breaks the connection.
      controller.error(new Error("the client has stopped reading"));
      stall.onStall();
    }, stall.ms);
    stalled.unref();
  }

  const source = {
    // If the client disconnected before there was a body, the runtime may never call `pull`.
    start: waitForClient,
    pull: async (controller: ReadableStreamDefaultController<Uint8Array>) => {
      clearTimeout(stalled);
      try {
        const { done, value } = await (ahead ?? pieces.next());
        ahead = null;
        // The client disconnected while this piece was created.
        if (hasEnded) return;
        if (done === true) return controller.close();
        controller.enqueue(value);
        waitForClient(controller);
      } catch (error) {
        onFailure?.(error);
        throw error;
      }
    },
    cancel: async () => {
      onLeave?.();
      await end();
    },
  };
  // No piece is created before it is requested.
  return new ReadableStream(source, { highWaterMark: 0 });
}

const PIECE_BYTES = 256 * 1024;
/** How many bytes at the end are held back, at most. */
const LAST_BYTES = 64 * 1024;

/** The bytes of a blob, whose end is sent only after `release`. Throws what that throws, or if the blob is shorter. */
export async function* heldBack(content: Blob, release: () => Promise<void>): AsyncGenerator<Uint8Array> {
  const last = Math.max(0, content.size - LAST_BYTES);
  for (let at = 0; at < last; at += PIECE_BYTES) yield read(content, at, Math.min(at + PIECE_BYTES, last));
  // What is read before is in memory: it cannot change any more.
  const end = await read(content, last, content.size);
  await release();
  yield end;
}

async function read(content: Blob, start: number, end: number): Promise<Uint8Array> {
  const piece = await content.slice(start, end).bytes();
  if (piece.length !== end - start) throw new Error("the content has become shorter while it was sent");
  return piece;
}
