/** Called when a body ends early; no further piece is requested then. */
export interface EarlyEnds {
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
  ends: EarlyEnds = {},
): Promise<ReadableStream<Uint8Array>> {
  const first = pieces.next();
  await first;
  // No piece is created before it is requested.
  return new ReadableStream(new PiecewiseSource(pieces, first, ends), { highWaterMark: 0 });
}

class PiecewiseSource {
  readonly #pieces: AsyncGenerator<Uint8Array>;
  readonly #ends: EarlyEnds;
  #ahead: Promise<IteratorResult<Uint8Array>> | null;
  #hasEnded = false;
  #stall: NodeJS.Timeout | undefined;

  constructor(
    pieces: AsyncGenerator<Uint8Array>,
    first: Promise<IteratorResult<Uint8Array>>,
    ends: EarlyEnds,
  ) {
    this.#pieces = pieces;
    this.#ahead = first;
    this.#ends = ends;
  }

  /** Starts the timer: if the client disconnected before there was a body, the runtime may never call `pull`. */
  start(controller: ReadableStreamDefaultController<Uint8Array>): void {
    this.#waitForClient(controller);
  }

  async pull(controller: ReadableStreamDefaultController<Uint8Array>): Promise<void> {
    clearTimeout(this.#stall);
    try {
      const { done, value } = await (this.#ahead ?? this.#pieces.next());
      this.#ahead = null;
      // The client disconnected while this piece was created.
      if (this.#hasEnded) return;
      if (done === true) return controller.close();
      controller.enqueue(value);
      this.#waitForClient(controller);
    } catch (error) {
      this.#ends.onFailure?.(error);
      throw error;
    }
  }

  async cancel(): Promise<void> {
    this.#ends.onLeave?.();
    await this.#end();
  }

  #waitForClient(controller: ReadableStreamDefaultController<Uint8Array>): void {
    const { stall } = this.#ends;
    if (stall === undefined) return;
    this.#stall = setTimeout(() => {
      this.#end().catch((error: unknown) => this.#ends.onFailure?.(error));
      // The runtime notices this only if the client reads again; it then breaks the connection.
      controller.error(new Error("the client has stopped reading"));
      stall.onStall();
    }, stall.ms);
    this.#stall.unref();
  }

  async #end(): Promise<void> {
    this.#hasEnded = true;
    clearTimeout(this.#stall);
    await this.#pieces.return(undefined);
  }
}
