import { fingerprintOf, type Fingerprint, type KeptAnswer } from "../../domain/idempotency.ts";
import type { Attempt } from "../../services/idempotency.ts";
import type { RequestContext } from "../gate/request-context.ts";

/** A successful answer to a write. */
export interface JsonAnswer {
  /** 200 by default. */
  readonly status?: number;
  readonly json: unknown;
  readonly headers?: Readonly<Record<string, string>>;
}

/**
 * The answer to a write. It is made inside the write, by handing `reply.with(...)` to the service as its
 * `within`, so that under an Idempotency-Key it is kept in the transaction that has the effect.
 */
export class Reply {
  readonly #request: Request;
  readonly #context: RequestContext;
  readonly #attempt: Attempt | null;
  #fingerprint: Fingerprint | null = null;
  #response: Response | null = null;

  /** @param attempt null without an Idempotency-Key */
  constructor(request: Request, context: RequestContext, attempt: Attempt | null) {
    this.#request = request;
    this.#context = context;
    this.#attempt = attempt;
  }

  /** Whether a request under this key was answered before: then `repeat` answers or refuses it. */
  get isRepeat(): boolean {
    return this.#attempt?.isRepeat === true;
  }

  /**
   * The answer that this request got before; null when it is to be processed. To be asked before
   * any effect. `operation` does it for all bodies it reads itself.
   *
   * @param content the body's SHA-256 or, for an upload, all that it says, the content's SHA-256 included
   * @throws CofferError IDEMPOTENCY_KEY_REUSED
   */
  replay(content: string): Response | null {
    if (this.#attempt === null) return null;
    this.#fingerprint = this.#fingerprintOf(content);
    const earlier = this.#attempt.earlierAnswer(this.#fingerprint);
    return earlier && responseOf(earlier, { "idempotency-replayed": "true" });
  }

  /** Like `replay`, for a request that `isRepeat`. */
  repeat(content: string): Response {
    const response = this.replay(content);
    if (response === null) throw new Error("a request that repeats none has no earlier answer");
    return response;
  }

  /** Like `replay`, for a body that was read whole. */
  replayBytes(body: Uint8Array): Response | null {
    return this.#attempt && this.replay(Bun.SHA256.hash(body, "hex"));
  }

  /** Says what the request asks, in the words of `replay`, where that is known only inside the write. */
  identify(content: string): void {
    if (this.#attempt !== null) this.#fingerprint = this.#fingerprintOf(content);
  }

  /** Whether the answer of a request with a key is in its record. */
  get isKept(): boolean {
    return this.isRepeat || this.#response !== null;
  }

  /** What a service is to call inside its write, to turn its result into the answer. */
  with<T>(answer: (result: T) => JsonAnswer): (result: T) => void {
    return (result) => this.set(answer(result));
  }

  /**
   * Makes sure that an answer of this length can be given, for work of which some is done before the answer is.
   * Throws PAYLOAD_TOO_LARGE.
   */
  requireRoom(answer: JsonAnswer): void {
    this.#attempt?.requireRoom(keptFrom(answer));
  }

  /** Gives the answer. Inside the write. */
  set(given: JsonAnswer): void {
    const answer = keptFrom(given);
    if (this.#attempt !== null) {
      if (this.#fingerprint === null)
        throw new Error("a write was answered before its request was identified");
      this.#attempt.keep(this.#fingerprint, answer);
    }
    this.#response = responseOf(answer, {});
  }

  /** The answer, once the write is durable. Throws when the write has not given it. */
  response(): Response {
    if (this.#response === null) throw new Error("a write was not given `reply.with(...)`");
    return this.#response;
  }

  #fingerprintOf(content: string): Fingerprint {
    const { method, path, query } = this.#context;
    const { headers } = this.#request;
    const conditions = [headers.get("if-match"), headers.get("if-none-match")];
    return fingerprintOf([method, path, query, ...conditions, content]);
  }
}

function keptFrom({ status = 200, json, headers = {} }: JsonAnswer): KeptAnswer {
  return { status, headers, body: JSON.stringify(json) };
}

function responseOf({ status, headers, body }: KeptAnswer, more: Record<string, string>): Response {
  const type = { "content-type": "application/json;charset=utf-8" };
  return new Response(body, { status, headers: { ...type, ...headers, ...more } });
}
