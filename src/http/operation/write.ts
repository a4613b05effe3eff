import type { TObject, TSchema } from "@sinclair/typebox";
import { type Fingerprint, fingerprintOf } from "../../domain/idempotency.ts";
import type { Attempt } from "../../services/idempotency.ts";
import type { RequestContext } from "../gate/request-context.ts";
import { type ContentAnswer, type Reply, replayed, replied } from "./reply.ts";
import { checksOf, type Input, type Method, type Route, routeOf } from "./route.ts";
import type { ContentOperation, Operation } from "./spec.ts";

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
  const { begin, hasJsonBody, readBody } = checksOf(path, spec);
  return routeOf(method, path, spec, true, (route, context) =>
    underKey(context, async (attempt) => {
      const { hasBody, parseBody, inputWith } = begin(route, context);
      const bytes = hasBody ? await readBody(route.request, context) : null;
      // A write may wait for a large change of a folder, or be one.
      context.suspendIdleTimeout();
      const identity =
        attempt === null || bytes === null || !hasJsonBody ? "" : Bun.SHA256.hash(bytes, "hex");
      const fingerprint = () => fingerprintOfRequest(route.request, context, identity);
      if (attempt?.earlier) return replayed(attempt.earlier, fingerprint());
      const input = inputWith(bytes === null ? undefined : await parseBody(bytes));
      return replied(attempt, fingerprint, (reply) => spec.perform(input, reply));
    }),
  );
}

/** An operation whose body is read while it arrives. */
interface ContentWrite<P extends TObject, Q extends TObject> extends ContentOperation<P, Q> {
  /** Stores the content. */
  readonly perform: (input: Input<P, Q, TSchema>, reply: Reply<ContentAnswer>) => Promise<unknown>;
  /**
   * Reads the body of a request whose key was used before, without any effect. Returns its `ContentAnswer.identity`.
   */
  readonly identify: (input: Input<P, Q, TSchema>) => Promise<string>;
}

/** Like `write`, for a body that the handlers read from `request.body`. */
export function writeContent<P extends TObject, Q extends TObject>(
  method: Method,
  path: string,
  spec: ContentWrite<P, Q>,
): Route;
export function writeContent(method: Method, path: string, spec: ContentWrite<TObject, TObject>): Route {
  const { begin } = checksOf(path, spec);
  return routeOf(method, path, spec, true, (route, context) =>
    underKey(context, async (attempt) => {
      const input = begin(route, context).inputWith(undefined);
      const fingerprintOfContent = (identity: string) =>
        fingerprintOfRequest(route.request, context, identity + conditionsSent(context));
      if (attempt?.earlier)
        return replayed(attempt.earlier, fingerprintOfContent(await spec.identify(input)));
      return replied<ContentAnswer>(
        attempt,
        ({ identity }) => fingerprintOfContent(identity),
        (reply) => spec.perform(input, reply),
      );
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
  const conditions = [
    headers.get("if-match"),
    headers.get("if-none-match"),
    // Left out where it is absent, so that records from before it counted stay valid.
    ...(unmodifiedSince === null ? [] : [unmodifiedSince]),
  ];
  return fingerprintOf([method, path, query, ...conditions, content]);
}
