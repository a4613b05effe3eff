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
 * A body that is created while the client reads it: each piece is requested when the previous one has been sent. At
 * the end, or when the client disconnects or stops reading, the generator is closed. The first piece is created
 * before the body, so that an error in it is thrown and can still become an error response.
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
