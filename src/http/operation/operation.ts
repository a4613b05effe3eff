import type { Static, TObject, TSchema } from "@sinclair/typebox";
import { requireAccount, requireSession } from "../../domain/caller.ts";
import type { Caller } from "../../domain/caller.ts";
import type { Attempt } from "../../services/idempotency.ts";
import { describeOperation } from "./describe.ts";
import type { OperationDetail } from "./describe.ts";
import {
  MAX_JSON_BODY,
  parseJsonBody,
  readBody,
  refuseCodedBody,
  refuseLongBody,
  refusePartOfContent,
} from "./json-body.ts";
import { compileQuery } from "./query.ts";
import { Reply } from "./reply.ts";
import type { Operation } from "./spec.ts";
import { callerOf, contextOf } from "../gate/request-context.ts";
import type { RequestContext } from "../gate/request-context.ts";
import { compileValidator } from "./validate.ts";

/** A request, checked against its operation. */
export interface Input<P extends TObject, Q extends TObject, B extends TSchema> {
  readonly request: Request;
  readonly context: RequestContext;
  readonly params: Static<P>;
  readonly query: Static<Q>;
  readonly body: Static<B>;
  /** Who asks; throws UNAUTHORIZED where nobody does, so public routes use `context.caller`. */
  readonly caller: Caller;
  /** Makes the answer to a write. */
  readonly reply: Reply;
}

interface RouteContext {
  readonly request: Request;
  readonly params: Readonly<Record<string, string>>;
}

const READS: ReadonlySet<string> = new Set(["GET", "HEAD"]);

/** The arguments of Elysia's `.get(path, handler, hooks)`. */
export type Route<Path extends string> = readonly [
  path: Path,
  handler: (context: RouteContext) => Response | Promise<Response>,
  hooks: { readonly detail: OperationDetail },
];

/**
 * Turns an operation and its handler into the arguments of an Elysia route. What the handler gets has
 * been checked in this order: what the headers say of the body, path, query, body. Elysia is given no schemas: it would
 * coerce (`0x10` is an integer to it), strip and default on its own terms.
 */
export function operation<Path extends string, P extends TObject, Q extends TObject, B extends TSchema>(
  path: Path,
  spec: Operation<P, Q, B>,
  handle: (input: Input<P, Q, B>) => Response | Promise<Response>,
): Route<Path>;
export function operation(
  path: string,
  spec: Operation<TObject, TObject, TSchema>,
  handle: (input: Input<TObject, TObject, TSchema>) => Response | Promise<Response>,
): Route<string> {
  const checkParams = spec.params && compileValidator(spec.params, "path");
  const readQuery = spec.query && compileQuery(spec.query);
  const checkBody = spec.body && compileValidator(spec.body, "body");
  const readsBody = spec.rawBody !== undefined || spec.body !== undefined;
  const isKeyed = path.startsWith("/v0/") && spec.changesNothing !== true;

  const process = ({ request, params }: RouteContext, reply: Reply) => {
    const context = contextOf(request);
    refuseLongBody(request, spec.rawBody?.limit ?? MAX_JSON_BODY);
    if (readsBody) refuseCodedBody(request);
    if (spec.rawBody !== undefined) refusePartOfContent(request);
    const checked = { params: checkParams?.(params) ?? {}, query: readQuery?.(context.query) ?? {} };
    const inputWith = (body: unknown) => ({
      request,
      context,
      ...checked,
      body,
      get caller() {
        return callerOf(request);
      },
      reply,
    });
    // A write may have to wait for a large change of a folder to end, or be one.
    const waitForFolders = () => isKeyed && context.suspendIdleTimeout();
    if (spec.rawBody !== undefined) return handle(inputWith(undefined));
    if (checkBody === undefined && !READS.has(context.method)) waitForFolders();
    if (checkBody === undefined) return reply.replay("") ?? handle(inputWith(undefined));
    const bodyOf = (bytes: Uint8Array) =>
      checkBody(spec.bodyOptional === true && bytes.length === 0 ? {} : parseJsonBody(bytes, spec.keptField));
    return readBody(request).then((bytes) => {
      waitForFolders();
      return reply.replayBytes(bytes) ?? handle(inputWith(bodyOf(bytes)));
    });
  };

  const answer = (route: RouteContext) => {
    const context = contextOf(route.request);
    context.route = path;
    if (spec.account === true) requireAccount(callerOf(route.request));
    if (spec.signedIn === true) requireSession(callerOf(route.request));
    const attempt = isKeyed && !READS.has(context.method) ? context.beginAttempt() : null;
    const reply = new Reply(route.request, context, attempt);
    return attempt === null ? process(route, reply) : attempted(attempt, reply, () => process(route, reply));
  };
  // Bound, because Elysia reads a handler's source to guess whether it awaits or wants the body parsed,
  // and makes every answer wait a turn if it might. A bound function has no source: nothing is parsed, and
  // a promise is passed on as it is.
  return [path, answer.bind(null), { detail: describeOperation(spec) }];
}

/** Processes a write under its Idempotency-Key, and lets the next one with this key begin. */
async function attempted(
  attempt: Attempt,
  reply: Reply,
  process: () => Response | Promise<Response>,
): Promise<Response> {
  try {
    const response = await process();
    if (!reply.isKept) throw new Error("a write was answered without keeping the answer under its key");
    return response;
  } finally {
    attempt.end();
  }
}
