import { messageOf } from "../domain/errors.ts";
import { PassingFailure, S3Refused } from "./errors.ts";

/** How much of a body is read at once, in bytes. */
const PIECE_BYTES = 64 * 1024;

/** A request that is on its way, or whose answer is being read. */
export class Exchange {
  readonly #controller = new AbortController();
  #timer: NodeJS.Timeout | undefined;
  #ownFailure: Error | null = null;

  get signal(): AbortSignal {
    return this.#controller.signal;
  }

  /**
   * Waits for the store. Throws PassingFailure once nothing has happened for `ms` milliseconds, and where the step
   * fails; what failed here, it throws as it was.
   */
  async step<T>(promise: Promise<T>, ms: number): Promise<T> {
    this.#timer = setTimeout(() => {
      this.#controller.abort(new PassingFailure(`nothing happened for ${ms / 1000} seconds`));
    }, ms);
    try {
      return await promise;
    } catch (error) {
      if (this.#ownFailure !== null) throw this.#ownFailure;
      throw this.signal.aborted ? this.signal.reason : failureOf(error);
    } finally {
      clearTimeout(this.#timer);
      this.#timer = undefined;
    }
  }

  /** A body as it is sent. Each piece that goes is a sign of life. */
  stream(body: Blob): ReadableStream<Uint8Array> {
    let at = 0;
    const pull = async (controller: ReadableStreamDefaultController<Uint8Array>) => {
      this.#timer?.refresh();
      const piece = await this.#read(body, at);
      at += piece.length;
      // These fail if the connection was lost meanwhile.
      if (piece.length > 0) controller.enqueue(piece);
      else controller.close();
    };
    return new ReadableStream({ pull }, { highWaterMark: 0 });
  }

  /** The next bytes; none at the end. What it throws, `step` throws too. */
  async #read(body: Blob, at: number): Promise<Uint8Array> {
    try {
      // The stream of a file gives the event loop to nobody else.
      const piece = await body.slice(at, at + PIECE_BYTES).bytes();
      if (piece.length > 0 || at === body.size) return piece;
      throw new Error("what is sent has become shorter meanwhile");
    } catch (error) {
      this.#ownFailure = error instanceof Error ? error : new Error(String(error));
      throw error;
    }
  }

  /** Closes the connection. */
  end(): void {
    this.#controller.abort(new PassingFailure("the request was ended"));
  }
}

/** What the codes of untrusted certificates have in them. */
const TLS = /CERT|SIGNATURE|ERR_TLS/;

function failureOf(error: unknown): Error {
  const code = error instanceof Error && "code" in error ? String(error.code) : "";
  if (TLS.test(code)) {
    return new S3Refused(`The certificate of the S3 server is not trusted: ${messageOf(error)}`, {
      cause: error,
    });
  }
  return new PassingFailure(`there is no connection: ${messageOf(error)}`, 0, { cause: error });
}
