import type { TObject, TSchema } from "@sinclair/typebox";
import type { Fingerprint, IdempotencyRecord, KeptAnswer } from "../../domain/idempotency.ts";
import { earlierAnswer, fingerprintOf } from "../../domain/idempotency.ts";
import type { Attempt } from "../../services/idempotency.ts";
import { MESSAGE_HEADER } from "./change-message.ts";
import { once } from "../../domain/once.ts";
import type { RequestContext } from "../gate/request-context.ts";
import { checksOf, type Input, type Method, type Route, routeOf } from "./route.ts";
import { answersOf, type ContentOperation, JSON_TYPE, type Operation } from "./spec.ts";

/** A successful response to a write. */
export interface JsonAnswer {
  /** By default, that of the first of the operation's `answers`. */
  readonly status?: number;
  readonly json: unknown;
  readonly headers?: Readonly<Record<string, string>>;
}

/** The response to an upload: only at the end of its body is known which request it was. */
export interface ContentAnswer extends JsonAnswer {
  /** All fields of the body, and the SHA-256 of its content. */
  readonly identity: string;
}

/**
 * The response of one write. It is made inside the write and, if the request has an Idempotency-Key, stored with it: in
 * one transaction, so that no retry can do it again.
 */
export class Reply<A extends JsonAnswer = JsonAnswer> {
  readonly #parts;
  #response: Response | null = null;

  constructor(parts: {
    /** Null without an Idempotency-Key. */
    attempt: Attempt | null;
    /** Which request it is the response to. */
    identify: (answer: A) => Fingerprint;
    /** Of an answer without one. */
    status: number | undefined;
  }) {
    this.#parts = parts;
  }

  /** What a handler passes to its service as `within`. @param answer turns what happened into the response */
  with<T>(answer: (happened: T) => A): (happened: T) => void {
    return (happened) => {
      const given = answer(happened);
      const { attempt, identify, status } = this.#parts;
      const kept = keptFrom(given, status);
      attempt?.keep(identify(given), kept);
      this.#response = responseOf(kept, {});
    };
  }

  /** For writes in several transactions, before the first: throws PAYLOAD_TOO_LARGE if this is too long to be kept. */
  requireRoom(answer: JsonAnswer): void {
    this.#parts.attempt?.requireRoom(keptFrom(answer, this.#parts.status));
  }

  /** The response. Read it once the write is durable. */
  get response(): Response {
    if (this.#response === null) throw new Error("a service did not call its `within`");
    return this.#response;
  }
}

interface Write<P extends TObject, Q extends TObject, B extends TSchema> extends Operation<P, Q, B> {
  readonly perform: (input: Input<P, Q, B>, reply: Reply) => Promise<unknown>;
}

/**
 * Like `operation`, for a write: with an Idempotency-Key it takes effect once, and a retry gets the same response. So
 * `perform` sets the response with `reply`, inside the write.
 */
export function write<P extends TObject, Q extends TObject, B extends TSchema>(
  method: Method,
  path: string,
  spec: Write<P, Q, B>,
): Route;
export function write(method: Method, path: string, spec: Write<TObject, TObject, TSchema>): Route {
  const checks = once(() => checksOf(path, spec));
  const status = answersOf(spec)[0]?.status;
  return routeOf(method, path, spec, true, (route, context) =>
    underKey(context, async (attempt) => {
      const { begin, hasJsonBody, readWhole } = checks();
      const { hasBody, parseBody, inputWith } = begin(route, context);
      const bytes = hasBody ? await readWhole(route.request, context) : null;
      // A write may wait for a large change of a folder, or be one.
      context.suspendIdleTimeout();
      const identity =
        attempt === null || bytes === null || !hasJsonBody ? "" : Bun.SHA256.hash(bytes, "hex");
      const identify = () => fingerprintOfRequest(route.request, context, identity);
      if (attempt?.earlier) return replayed(attempt.earlier, identify());
      const input = inputWith(bytes === null ? undefined : await parseBody(bytes));
      const reply = new Reply({ attempt, identify, status });
      await spec.perform(input, reply);
      return reply.response;
    }),
  );
}

/** An operation whose body is read while it arrives. */
interface ContentWrite<P extends TObject, Q extends TObject> extends ContentOperation<P, Q> {
  /** Stores the content. */
  readonly perform: (input: Input<P, Q, TSchema>, reply: Reply<ContentAnswer>) => Promise<unknown>;
  /** Reads the body of a request whose key was used before, and returns its `ContentAnswer.identity`. No effect. */
  readonly identify: (input: Input<P, Q, TSchema>) => Promise<string>;
}

/** Like `write`, for a body that the handlers read from `request.body`. */
export function writeContent<P extends TObject, Q extends TObject>(
  method: Method,
  path: string,
  spec: ContentWrite<P, Q>,
): Route;
export function writeContent(method: Method, path: string, spec: ContentWrite<TObject, TObject>): Route {
  const checks = once(() => checksOf(path, spec));
  const status = answersOf(spec)[0]?.status;
  return routeOf(method, path, spec, true, (route, context) =>
    underKey(context, async (attempt) => {
      const input = checks().begin(route, context).inputWith(undefined);
      const fingerprintOfContent = (identity: string) =>
        fingerprintOfRequest(route.request, context, identity + conditionsSent(context));
      if (attempt?.earlier)
        return replayed(attempt.earlier, fingerprintOfContent(await spec.identify(input)));
      const identify = ({ identity }: ContentAnswer) => fingerprintOfContent(identity);
      const reply = new Reply({ attempt, identify, status });
      await spec.perform(input, reply);
      return reply.response;
    }),
  );
}

/** Processes a write with its Idempotency-Key, then allows the next request with this key. */
async function underKey(
  context: RequestContext,
  process: (attempt: Attempt | null) => Promise<Response>,
): Promise<Response> {
  const attempt = context.beginAttempt();
  try {
    return await process(attempt);
  } finally {
    attempt?.end();
  }
}

/** The conditions that came as parameters or fields: what an upload's body is compared by has only its other fields. */
function conditionsSent({ sentConditions }: RequestContext): string {
  const { ifMatch, ifNoneMatch } = sentConditions;
  return ifMatch === null && ifNoneMatch === null ? "" : JSON.stringify([ifMatch, ifNoneMatch]);
}

/** @param content the SHA-256 of a JSON body, empty without one; the identity of any other body */
function fingerprintOfRequest(
  { headers }: Request,
  { method, path, query }: RequestContext,
  content: string,
): Fingerprint {
  const unmodifiedSince = headers.get("if-unmodified-since");
  const message = headers.get(MESSAGE_HEADER);
  const conditions = [
    headers.get("if-match"),
    headers.get("if-none-match"),
    // Left out where they are absent, so that records from before they counted stay valid.
    ...(unmodifiedSince === null ? [] : [unmodifiedSince]),
    ...(message === null ? [] : [`${MESSAGE_HEADER}: ${message}`]),
  ];
  return fingerprintOf([method, path, query, ...conditions, content]);
}

/** The response again. Throws IDEMPOTENCY_KEY_REUSED if the requests differ. */
function replayed(earlier: IdempotencyRecord, fingerprint: Fingerprint): Response {
  return responseOf(earlierAnswer(earlier, fingerprint), { "idempotency-replayed": "true" });
}

function keptFrom({ status, json, headers = {} }: JsonAnswer, otherwise = 200): KeptAnswer {
  return { status: status ?? otherwise, headers, body: JSON.stringify(json) };
}

function responseOf({ status, headers, body }: KeptAnswer, more: Record<string, string>): Response {
  return new Response(body, { status, headers: { ...JSON_TYPE, ...headers, ...more } });
}

// What handlers pass to `Reply.with`, put together of functions that make records.

/** The response with a record of the result. */
export function asJson<T>(record: (result: T) => unknown) {
  return (result: T) => ({ json: record(result) });
}

/** The response with a record of the result in `data`. */
export function asData<T>(record: (result: T) => unknown) {
  return (result: T) => ({ json: { data: record(result) } });
}

/** A record of what is gone. */
export function deletedRecord(id: string) {
  return { id, deleted: true };
}
