/** Who is told when a body ends before its end; of the rest nothing more is made. */
export interface EarlyEnds {
  /** Something failed, of which no answer can tell any more. */
  readonly onFailure?: (error: unknown) => void;
  /** The client has gone away. */
  readonly onLeave?: () => void;
  /** The client has asked for nothing for so many milliseconds. Whoever is told closes the connection. */
  readonly stall?: { readonly ms: number; readonly onStall: () => void };
}

/**
 * A body that is made as the client takes it: each piece is asked for when the one before it has gone. When
 * the client goes away or stops reading, or at the end, the pieces are let go of. The first is made before
 * there is a body, so that what fails until then can be answered like any other refusal: it is thrown.
 */
export async function piecewise(
  pieces: AsyncGenerator<Uint8Array>,
  ends: EarlyEnds = {},
): Promise<ReadableStream<Uint8Array>> {
  const first = pieces.next();
  await first;
  // Nothing more is made before it is asked for.
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

  /** Of a body whose client had gone before it was there, the runtime may never ask for anything. */
  start(controller: ReadableStreamDefaultController<Uint8Array>): void {
    this.#waitForClient(controller);
  }

  async pull(controller: ReadableStreamDefaultController<Uint8Array>): Promise<void> {
    clearTimeout(this.#stall);
    try {
      const { done, value } = await (this.#ahead ?? this.#pieces.next());
      this.#ahead = null;
      // The client went away while this was made: there is nobody to hand it to.
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
      // The runtime sees this only when the client reads on, and breaks the connection then.
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
