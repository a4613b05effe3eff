import {
  earlierAnswer,
  type Fingerprint,
  type IdempotencyRecord,
  type KeptAnswer,
} from "../../domain/idempotency.ts";
import type { Attempt } from "../../services/idempotency.ts";

/** A successful response to a write. */
export interface JsonAnswer {
  /** 200 by default. */
  readonly status?: number;
  readonly json: unknown;
  readonly headers?: Readonly<Record<string, string>>;
}

/** The response to an upload: only at the end of its body is known which request it was. */
export interface ContentAnswer extends JsonAnswer {
  /** All fields of the body, and the SHA-256 of its content. */
  readonly identity: string;
}

/** How a handler sets the response to its write: inside the write, so both are stored in one transaction. */
export interface Reply<A extends JsonAnswer = JsonAnswer> {
  /** What the handler passes to its service as `within`: turns the result into the response. */
  with<T>(answer: (result: T) => A): (result: T) => void;
  /**
   * Checks that a response of this length can be kept; for writes in several transactions, before the first one.
   * Throws PAYLOAD_TOO_LARGE.
   */
  requireRoom(answer: JsonAnswer): void;
}

/** The reply of one write. Keeps the response if the request has an Idempotency-Key. */
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

  /** The response. Read it when the write is durable. */
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

/** Performs a write and returns its response. @param attempt null without an Idempotency-Key */
export async function replied<A extends JsonAnswer>(
  attempt: Attempt | null,
  fingerprintOf: (answer: A) => Fingerprint,
  perform: (reply: Reply<A>) => Promise<unknown>,
): Promise<Response> {
  const reply = new KeptReply(attempt, fingerprintOf);
  await perform(reply);
  return reply.response;
}

/**
 * Returns the response of an earlier request with the same key. Throws IDEMPOTENCY_KEY_REUSED if the requests differ.
 */
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
