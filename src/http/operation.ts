import type { Static, TObject, TSchema } from "@sinclair/typebox";
import { requireAccount } from "../domain/caller.ts";
import type { Caller } from "../domain/caller.ts";
import type { ErrorCode } from "../domain/errors.ts";
import { describeOperation } from "./docs/describe.ts";
import type { OperationDetail } from "./docs/describe.ts";
import { MAX_JSON_BODY, readJsonBody, refuseLongBody } from "./json-body.ts";
import { compileQuery } from "./query.ts";
import { callerOf, contextOf } from "./request-context.ts";
import type { RequestContext } from "./request-context.ts";
import { compileValidator } from "./validate.ts";

/** What one route takes and answers: checked at run time, and shown in the API description. */
export interface Operation<P extends TObject, Q extends TObject, B extends TSchema> {
  /** Unique, in camelCase; client generators name their functions after it. */
  readonly operationId: string;
  readonly tag: string;
  readonly summary: string;
  /** Markdown. */
  readonly description?: string;
  /** Whether it needs an account key: a key limited to one drive is refused before its request is read. */
  readonly account?: boolean;
  readonly params?: P;
  readonly query?: Q;
  /** A JSON body. */
  readonly body?: B;
  /** A body the handler reads from `request.body` by itself; its schemas are only shown. */
  readonly rawBody?: RawBody;
  /** Request headers with a meaning here, such as `If-Match`; only shown. */
  readonly headers?: Readonly<Record<string, string>>;
  /** The successful answers; only shown. */
  readonly answers: readonly Answer[];
  /** Refusals of this route's own; those that any route may give are added. */
  readonly errors?: readonly ErrorCode[];
}

export interface RawBody {
  /** Bytes; a request that announces more is refused before it is read. */
  readonly limit: number;
  /** By media type. */
  readonly content: Readonly<Record<string, TSchema>>;
}

export interface Answer {
  readonly status: number;
  readonly description: string;
  /** A schema for a JSON answer, or schemas by media type; none for an answer without a body. */
  readonly json?: TSchema;
  readonly content?: Readonly<Record<string, TSchema>>;
  /** Response headers, name to description. */
  readonly headers?: Readonly<Record<string, string>>;
  /** An example of the JSON answer. */
  readonly example?: unknown;
}

/** A request, checked against its operation. */
export interface Input<P extends TObject, Q extends TObject, B extends TSchema> {
  readonly request: Request;
  readonly context: RequestContext;
  readonly params: Static<P>;
  readonly query: Static<Q>;
  readonly body: Static<B>;
  /** Who asks; throws UNAUTHORIZED where nobody does, so public routes use `context.caller`. */
  readonly caller: Caller;
}

interface RouteContext {
  readonly request: Request;
  readonly params: Readonly<Record<string, string>>;
}

/** The arguments of Elysia's `.get(path, handler, hooks)`. */
export type Route<Path extends string> = readonly [
  path: Path,
  handler: (context: RouteContext) => Response | Promise<Response>,
  hooks: { readonly detail: OperationDetail },
];

/**
 * Turns an operation and its handler into the arguments of an Elysia route. What the handler gets has
 * been checked in this order: announced length, path, query, body. Elysia is given no schemas: it would
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

  const answer = ({ request, params }: RouteContext) => {
    const context = contextOf(request);
    context.route = path;
    if (spec.account === true) requireAccount(callerOf(request));
    refuseLongBody(request, spec.rawBody?.limit ?? MAX_JSON_BODY);
    const input = {
      request,
      context,
      params: checkParams?.(params) ?? {},
      query: readQuery?.(context.query) ?? {},
      body: undefined,
      get caller() {
        return callerOf(request);
      },
    };
    if (checkBody === undefined) return handle(input);
    return readJsonBody(request).then((body) =>
      handle(Object.defineProperty(input, "body", { value: checkBody(body) })),
    );
  };
  // Bound, because Elysia reads a handler's source to guess whether it awaits or wants the body parsed,
  // and makes every answer wait a turn if it might. A bound function has no source: nothing is parsed, and
  // a promise is passed on as it is.
  return [path, answer.bind(null), { detail: describeOperation(spec) }];
}
