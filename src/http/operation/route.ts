import { setImmediate as nextTurn } from "node:timers/promises";
import { type Static, type TObject, type TSchema, Type } from "@sinclair/typebox";
import { type Caller, requireAccount, requirePerson, requireSession } from "../../domain/accounts/caller.ts";
import { packed } from "../content/packed.ts";
import { once } from "../../domain/once.ts";
import { callerOf, contextOf, type RequestContext } from "../gate/request-context.ts";
import {
  ANONYMOUS_BYTES,
  parseJsonBody,
  PLAIN_BODY,
  readBody,
  refuseCodedBody,
  refuseLongBody,
  refusePartOfContent,
} from "../json/json-body.ts";
import { compileBodyValidator, compileValidator } from "./validate.ts";
import { compileQuery } from "./query.ts";
import type { AnyOperation, Operation } from "./spec.ts";
import { MESSAGE_HEADER, takeMessageHeader } from "./change-message.ts";
import { isStrictPath, type TakeUnknown, unknownNamesOf } from "./names.ts";

/** A request, checked against its operation. */
export interface Input<P extends TObject, Q extends TObject, B extends TSchema> {
  readonly request: Request;
  readonly context: RequestContext;
  readonly params: Static<P>;
  readonly query: Static<Q>;
  readonly body: Static<B>;
  /** For the names in a body that the handler reads itself. */
  readonly takeUnknown: TakeUnknown;
  /** The caller, with what the request says of its changes so far. Throws UNAUTHORIZED if there is none, so public routes use `context.caller`. */
  readonly caller: Caller;
}

export type Method = "GET" | "POST" | "PUT" | "PATCH" | "DELETE";

/** A request as the router passes it on. */
export interface Routed {
  readonly request: Request;
  readonly params: Readonly<Record<string, string>>;
}

export type Answered = Response | Promise<Response>;

export interface Route {
  readonly method: Method;
  /** A template in which `:name` is a parameter. */
  readonly path: string;
  readonly answer: (routed: Routed, context: RequestContext) => Answered;
  /** Absent for a route that is not in the API description. */
  readonly spec?: AnyOperation;
  /** Whether it takes an Idempotency-Key. */
  readonly isKeyed?: boolean;
}

/** Thrown by a route that takes any path, for a request to be answered as if no route took it. */
export class Unrouted extends Error {}

/** Calls a route, which the context of the request then has. */
export function answeredBy(route: Route, routed: Routed): Answered {
  const context = contextOf(routed.request);
  context.route = route;
  return route.answer(routed, context);
}

/** The route of an operation. Refuses callers that may not use it before it reads the request. */
export function routeOf(
  method: Method,
  path: string,
  spec: AnyOperation,
  isKeyed: boolean,
  process: Route["answer"],
): Route {
  const answer: Route["answer"] = (routed, context) => {
    if (spec.audited === true) context.noteOrigin();
    if (spec.account === true) requireAccount(callerOf(routed.request));
    if (spec.person === true) requirePerson(callerOf(routed.request));
    if (spec.signedIn === true) requireSession(callerOf(routed.request));
    return process(routed, context);
  };
  return { method, path, answer, spec, isKeyed };
}

/** Routes that the API description shows in one group. */
export function tagged(tag: string, routes: readonly (Route | readonly Route[])[]): Route[] {
  return routes.flat().map((route) => (route.spec ? { ...route, spec: { ...route.spec, tag } } : route));
}

/** The response with a page as `pageOf` of `schema.ts` describes it. */
export function pageAnswer(data: readonly unknown[], total: number, next_cursor: string | null): Response {
  return Response.json({ data, total, next_cursor });
}

/** After more bytes than this others have their turn: five thousand names take milliseconds. */
const LONG_BODY = 16 * 1024;

const NOTHING = Type.Object({});

/** The checks of an operation. Not done by Elysia, which coerces (`0x10` becomes an integer), strips and defaults. */
export function checksOf(path: string, spec: AnyOperation) {
  const checkParams = spec.params && compileValidator(spec.params, "path");
  const readQuery = compileQuery(spec.query ?? NOTHING);
  const queryOf: typeof readQuery = (query, take) =>
    query === "" && spec.query === undefined ? {} : readQuery(query, take);
  const unknownNames = unknownNamesOf(path, spec);
  const { headers = {} } = spec;
  const [rawBody, json] = "rawBody" in spec ? [spec.rawBody, null] : [null, spec];
  const hasJsonBody = json?.body !== undefined;
  const checkBody = compileBodyValidator(json?.body ?? NOTHING);
  const limits = json?.bodyLimits ?? PLAIN_BODY;
  const mostBytes = ({ caller, refusal }: RequestContext) =>
    caller === null || refusal !== null ? Math.min(ANONYMOUS_BYTES, limits.bytes) : limits.bytes;
  const adviceOn = ({ caller }: RequestContext) =>
    caller === null && spec.readsKey === true
      ? "send less at once, or send a key in the Authorization header, with which it may be longer"
      : undefined;
  /** Checks the headers about the body, the path and the query, in this order. */
  const begin = ({ request, params }: Routed, context: RequestContext) => {
    refuseLongBody(request, rawBody?.limit ?? mostBytes(context), adviceOn(context));
    if (rawBody !== null || hasJsonBody) refuseCodedBody(request);
    if (rawBody !== null) refusePartOfContent(request);
    if (MESSAGE_HEADER in headers) takeMessageHeader(request, context);
    const take = unknownNames(request, context);
    const checked = { params: checkParams?.(params) ?? {}, query: queryOf(context.query, take) };
    /** Resolves with undefined if the operation has no JSON body. */
    const parseBody = async (bytes: Uint8Array) => {
      if (!hasJsonBody && !isLikeObject(bytes)) return undefined;
      const isOmitted = json?.bodyOptional === true && bytes.length === 0;
      const parsed = isOmitted ? {} : parseJsonBody(bytes, limits.items, json?.keptField);
      await othersTurn(bytes);
      const body = checkBody(parsed, take);
      await othersTurn(bytes);
      return hasJsonBody ? body : undefined;
    };
    const inputWith = (body: unknown): Input<TObject, TObject, TSchema> => ({
      request,
      context,
      ...checked,
      body,
      takeUnknown: take,
      get caller() {
        const caller = callerOf(request);
        return context.message === undefined ? caller : { ...caller, message: context.message };
      },
    });
    // `body` last: asked for it, the runtime makes a stream, which costs a short body as much as all else here.
    const mayHaveFields = () =>
      rawBody === null && isStrictPath(path) && request.method !== "GET" && request.body !== null;
    // Whether there is a body that must be read, if only to see that nothing is in it.
    const hasBody = hasJsonBody || mayHaveFields();
    return { hasBody, parseBody, inputWith };
  };
  /** Reads a JSON body. Throws PAYLOAD_TOO_LARGE. */
  const readWhole = (request: Request, context: RequestContext) =>
    readBody(request, mostBytes(context), adviceOn(context));
  return { begin, hasJsonBody, readWhole };
}

/** Whether bytes begin like a JSON object. Nothing else can have fields. */
function isLikeObject(bytes: Uint8Array): boolean {
  return /^\ufeff?\s*\{/.test(
    Buffer.from(bytes.buffer, bytes.byteOffset, Math.min(bytes.length, 256)).toString(),
  );
}

/** Lets others go first between two things that are done with a body, if it is long. */
async function othersTurn({ length }: Uint8Array): Promise<void> {
  if (length > LONG_BODY) await nextTurn();
}

interface Handled<P extends TObject, Q extends TObject, B extends TSchema> extends Operation<P, Q, B> {
  readonly handle: (input: Input<P, Q, B>) => Answered;
}

/**
 * The route of an operation: for reads, and for writes that take no Idempotency-Key. For other writes see `write`.
 * Without a body, the handler is called at once, so a read needs no turn of the event loop.
 */
export function operation<P extends TObject, Q extends TObject, B extends TSchema>(
  method: Method,
  path: string,
  spec: Handled<P, Q, B>,
): Route;
export function operation(method: Method, path: string, spec: Handled<TObject, TObject, TSchema>): Route {
  const checks = once(() => checksOf(path, spec));
  return routeOf(method, path, spec, false, (routed, context) => {
    const { begin, readWhole } = checks();
    const { hasBody, parseBody, inputWith } = begin(routed, context);
    if (!hasBody) {
      const answer = spec.handle(inputWith(undefined));
      return spec.isList === true ? packed(answer, routed.request, context.caller) : answer;
    }
    return readWhole(routed.request, context)
      .then(parseBody)
      .then((body) => spec.handle(inputWith(body)));
  });
}
