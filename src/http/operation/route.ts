import type { Static, TObject, TSchema } from "@sinclair/typebox";
import { type Caller, requireAccount, requireSession } from "../../domain/caller.ts";
import { invalid } from "../../domain/errors.ts";
import { callerOf, contextOf, type RequestContext } from "../gate/request-context.ts";
import { detailOf, type RouteDetail } from "./describe.ts";
import {
  MAX_JSON_BODY,
  parseJsonBody,
  refuseCodedBody,
  refuseLongBody,
  refusePartOfContent,
} from "./json-body.ts";
import { compileQuery } from "./query.ts";
import type { AnyOperation } from "./spec.ts";
import { compileBodyValidator, compileValidator } from "./validate.ts";

/** A request, checked against its operation. */
export interface Input<P extends TObject, Q extends TObject, B extends TSchema> {
  readonly request: Request;
  readonly context: RequestContext;
  readonly params: Static<P>;
  readonly query: Static<Q>;
  readonly body: Static<B>;
  /** The caller. Throws UNAUTHORIZED if there is none, so public routes use `context.caller`. */
  readonly caller: Caller;
}

/** What Elysia passes to a route. */
export interface RouteContext {
  readonly request: Request;
  readonly params: Readonly<Record<string, string>>;
}

type Answered = Response | Promise<Response>;

/** The arguments of Elysia's `.get(path, handler, hooks)`. */
export type Route<Path extends string> = readonly [
  path: Path,
  handler: (context: RouteContext) => Answered,
  hooks: { readonly detail: RouteDetail },
];

/** The route of an operation. Refuses callers that may not use it before it reads the request. */
export function routeOf(
  path: string,
  spec: AnyOperation,
  isKeyed: boolean,
  process: (route: RouteContext, context: RequestContext) => Answered,
): Route<string> {
  const answer = (route: RouteContext) => {
    const context = contextOf(route.request);
    context.route = path;
    if (spec.account === true) requireAccount(callerOf(route.request));
    if (spec.signedIn === true) requireSession(callerOf(route.request));
    return process(route, context);
  };
  // Bound, because Elysia reads a handler's source to guess whether it awaits or needs a parsed body, and if so delays
  // every response by a turn. A bound function has no source: nothing is parsed, and promises are passed on.
  return [path, answer.bind(null), { detail: detailOf(spec, isKeyed) }];
}

/** How requests are checked against an operation. */
export interface Checks {
  /** Checks the headers about the body, the path and the query, in this order. */
  readonly begin: (route: RouteContext) => (body: unknown) => Input<TObject, TObject, TSchema>;
  readonly hasJsonBody: boolean;
  /** Parses and checks a JSON body. Returns undefined if the operation has none. */
  readonly parseBody: (bytes: Uint8Array) => unknown;
}

/** The checks of an operation. Not done by Elysia, which coerces (`0x10` becomes an integer), strips and defaults. */
export function checksOf(spec: AnyOperation): Checks {
  const checkParams = spec.params && compileValidator(spec.params, "path");
  const readQuery = spec.query && compileQuery(spec.query);
  const takesSnapshot = spec.query !== undefined && "snapshot_id" in spec.query.properties;
  const [rawBody, json] = "rawBody" in spec ? [spec.rawBody, null] : [null, spec];
  const checkBody = json?.body && compileBodyValidator(json.body);
  const hasJsonBody = checkBody !== undefined;
  const begin: Checks["begin"] = ({ request, params }) => {
    const context = contextOf(request);
    refuseLongBody(request, rawBody?.limit ?? MAX_JSON_BODY);
    if (rawBody !== null || hasJsonBody) refuseCodedBody(request);
    if (rawBody !== null) refusePartOfContent(request);
    const checked = { params: checkParams?.(params) ?? {}, query: readQuery?.(context.query) ?? {} };
    if (!takesSnapshot) refuseSnapshot(context);
    return (body) => ({
      request,
      context,
      ...checked,
      body,
      get caller() {
        return callerOf(request);
      },
    });
  };
  const parseBody = (bytes: Uint8Array) => {
    const isOmitted = json?.bodyOptional === true && bytes.length === 0;
    return checkBody?.(isOmitted ? {} : parseJsonBody(bytes, json?.keptField));
  };
  return { begin, hasJsonBody, parseBody };
}

/** Whoever reads in a snapshot may mean it here, too: then what is now would be shown, or changed. */
function refuseSnapshot({ method, query }: RequestContext): void {
  if (!query.includes("snapshot_id=") || !new URLSearchParams(query).has("snapshot_id")) return;
  const isRead = method === "GET" || method === "HEAD";
  throw invalid(
    "snapshot_id",
    isRead
      ? "is not taken here: this knows only what the drive holds now. List and read files with it instead"
      : "is for reading: a snapshot cannot be written",
  );
}
