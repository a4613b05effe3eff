import { PassingFailure } from "./errors.ts";
import type { S3Reply } from "./replies.ts";

interface BodyParts {
  readonly first: S3Reply;
  /** How many bytes it must have. */
  readonly size: number;
  /** Asks for the bytes from `at` on, once a connection was lost. Throws S3Refused or S3Unavailable. */
  readonly resume: (at: number) => Promise<S3Reply>;
  /** What is thrown if connections are lost again and again without a byte in between. */
  readonly failure: (cause: Error) => Error;
}

/** How often in a row a connection may be lost before a byte comes. */
const LOSSES = 3;

/**
 * The bytes of an object, read as they are asked for. Goes on where a lost connection ended. Ends after `size` bytes, or
 * with an error.
 */
export function objectBody(parts: BodyParts): ReadableStream<Uint8Array> {
  const body = new ObjectBody(parts);
  return new ReadableStream(
    {
      async pull(controller) {
        const piece = await body.next();
        if (piece === null) controller.close();
        else controller.enqueue(piece);
      },
      cancel: () => body.cancel(),
    },
    { highWaterMark: 0 },
  );
}

class ObjectBody {
  readonly #parts: BodyParts;
  #reply: S3Reply;
  #pieces: AsyncGenerator<Uint8Array>;
  #at = 0;
  #losses = 0;
  #isCancelled = false;

  constructor(parts: BodyParts) {
    this.#parts = parts;
    this.#reply = parts.first;
    this.#pieces = parts.first.pieces();
  }

  /** The next bytes; null at the end. */
  async next(): Promise<Uint8Array | null> {
    const { size } = this.#parts;
    for (;;) {
      try {
        const { done, value } = await this.#pieces.next();
        if (done !== true && this.#at + value.length <= size) {
          this.#at += value.length;
          this.#losses = 0;
          return value;
        }
        if (done === true && this.#at === size) return null;
        throw new PassingFailure("an object is not as long as its head says");
      } catch (error) {
        if (this.#at === size) return null;
        await this.#lost(error);
      }
    }
  }

  /** Nobody wants the rest. */
  cancel(): void {
    this.#isCancelled = true;
    this.#reply.end();
  }

  async #lost(error: unknown): Promise<void> {
    this.#reply.end();
    this.#losses += 1;
    if (this.#isCancelled || !(error instanceof PassingFailure)) throw error;
    if (this.#losses > LOSSES) throw this.#parts.failure(error);
    this.#reply = await this.#parts.resume(this.#at);
    if (this.#isCancelled) this.#reply.end();
    this.#pieces = this.#reply.pieces();
  }
}
