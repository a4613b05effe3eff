import {
  earlierAnswer,
  type Fingerprint,
  type IdempotencyRecord,
  type KeptAnswer,
} from "../../domain/idempotency.ts";
import type { Attempt } from "../../services/idempotency.ts";

/** A successful answer to a write. */
export interface JsonAnswer {
  /** 200 by default. */
  readonly status?: number;
  readonly json: unknown;
  readonly headers?: Readonly<Record<string, string>>;
}

/** The answer to a write whose body says only at its end which request it was. */
export interface ContentAnswer extends JsonAnswer {
  /** All that the body says, the SHA-256 of its content included. */
  readonly identity: string;
}

/** How a handler gives the answer to its write: inside it, so that both are kept in one transaction. */
export interface Reply<A extends JsonAnswer = JsonAnswer> {
  /** What the handler hands to its service as `within`, to turn the result into the answer. */
  with<T>(answer: (result: T) => A): (result: T) => void;
  /**
   * Makes sure that an answer of this length can be given, for work of which some is done before the answer is.
   * Throws PAYLOAD_TOO_LARGE.
   */
  requireRoom(answer: JsonAnswer): void;
}

/** One write's reply, which keeps the answer under the request's key where it has one. */
class KeptReply<A extends JsonAnswer> implements Reply<A> {
  readonly #attempt: Attempt | null;
  readonly #fingerprintOf: (answer: A) => Fingerprint;
  #response: Response | null = null;

  constructor(attempt: Attempt | null, fingerprintOf: (answer: A) => Fingerprint) {
    this.#attempt = attempt;
    this.#fingerprintOf = fingerprintOf;
  }

  with<T>(answer: (result: T) => A): (result: T) => void {
    return (result) => this.#give(answer(result));
  }

  requireRoom(answer: JsonAnswer): void {
    this.#attempt?.requireRoom(keptFrom(answer));
  }

  /** The answer, once the write is durable. */
  get response(): Response {
    if (this.#response === null) throw new Error("a service did not call its `within`");
    return this.#response;
  }

  #give(given: A): void {
    const answer = keptFrom(given);
    this.#attempt?.keep(this.#fingerprintOf(given), answer);
    this.#response = responseOf(answer, {});
  }
}

/** Performs a write, and answers with what its reply was given. @param attempt null without an Idempotency-Key */
export async function replied<A extends JsonAnswer>(
  attempt: Attempt | null,
  fingerprintOf: (answer: A) => Fingerprint,
  perform: (reply: Reply<A>) => Promise<unknown>,
): Promise<Response> {
  const reply = new KeptReply(attempt, fingerprintOf);
  await perform(reply);
  return reply.response;
}

/** Answers a request like the earlier one under its key. Throws IDEMPOTENCY_KEY_REUSED where it is another. */
export function replayed(earlier: IdempotencyRecord, fingerprint: Fingerprint): Response {
  return responseOf(earlierAnswer(earlier, fingerprint), { "idempotency-replayed": "true" });
}

function keptFrom({ status = 200, json, headers = {} }: JsonAnswer): KeptAnswer {
  return { status, headers, body: JSON.stringify(json) };
}

function responseOf({ status, headers, body }: KeptAnswer, more: Record<string, string>): Response {
  const type = { "content-type": "application/json;charset=utf-8" };
  return new Response(body, { status, headers: { ...type, ...headers, ...more } });
}
