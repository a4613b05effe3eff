import type { Caller } from "../../domain/accounts/caller.ts";
import { CofferError, notFound } from "../../domain/errors.ts";
import type { Log } from "../../process/log.ts";
import type { Tracer } from "../../tracing/tracer.ts";
import type { Cors } from "./origins.ts";
import type { Refusal } from "../../services/upkeep/refusals.ts";
import { errorResponse } from "./errors.ts";
import type { Challenge, Gate } from "./gate.ts";
import { endSpan } from "./request-span.ts";
import { isGuardedPath, isToldByKey } from "./route-table.ts";
import type { Connections, ContextParts, RouteName } from "./request-context.ts";
import { contextOf, RequestContext, setContext } from "./request-context.ts";
import { discardUnread } from "../connection/body.ts";

/** Of an address and headers. The runtime takes longer ones (see `build.ts`), so that these are refused with a body. */
const HEAD_BYTES = 16 * 1024;

/** What administrators are told of refused requests, by status. */
const REFUSED: Readonly<Record<number, Refusal>> = {
  401: "unauthorized",
  403: "forbidden",
  429: "rate_limited",
  500: "failed",
  507: "no_space",
};

/** Answers every request: never throws, never rejects. */
export type Handler = (request: Request, connections: Connections) => Response | Promise<Response>;

export interface PipelineOptions extends ContextParts {
  readonly gate: Gate;
  readonly cors: Cors;
  /** Routes a request that passed the gate; what it throws becomes an error response. */
  readonly route: (request: Request) => Response | Promise<Response>;
  readonly challenge: Challenge;
  /** See `Database.holdSnapshot`. */
  readonly holdSnapshot: () => void;
  /** See `UsageMeter.countRequest`. */
  readonly countRequest: (caller: Caller | null, status: number) => void;
  readonly countRefusal: (refusal: Refusal) => void;
  /** See `auditedRefusals`. */
  readonly auditRefusal: (refusal: Refusal, request: Request, context: RequestContext) => void;
  /** See `RequestMeter.count`. */
  readonly countAnswer: (route: RouteName | null, status: number, seconds: number) => void;
  /** The server's address, which spans name: a URL without a trailing slash, or `/`. */
  readonly baseUrl: string;
  /** See `strictTransport`. */
  readonly strictTransport: string | null;
  readonly log: Log;
  /** Null if no traces are recorded. */
  readonly tracer: Tracer | null;
}

/**
 * Handles every request: its id, preflights, authentication, rate limit, scope, the length of its head, then the route,
 * which reads the body. Logs one line when the response is handed over; its stream may still be running.
 */
export function createPipeline(options: PipelineOptions): Handler {
  const { gate, cors, route, holdSnapshot, countRequest, countRefusal, countAnswer, strictTransport, log } =
    options;
  const { tracer, baseUrl } = options;
  // Without a base URL every caller could name another one.
  const host = baseUrl === "/" ? null : new URL(baseUrl).hostname;
  const links = linksToDescription(options.basePath);
  const watchForUnlistedProxy = unlistedProxyWatch(options.isTrustedPeer, log);
  const handle = (request: Request, connections: Connections, context: RequestContext) => {
    // The request that the routes see, and whose body they read.
    let received = request;
    const finish = (response: Response): Response | Promise<Response> => {
      const discarded = discardUnread(received);
      return discarded === null
        ? answer(response)
        : discarded.then((isWhole) => {
            if (!isWhole) response.headers.set("connection", "close");
            return answer(response);
          });
    };
    const answer = (response: Response) => {
      stamp(response, context);
      if (strictTransport !== null) response.headers.set("strict-transport-security", strictTransport);
      cors.share(response.headers, request, context.path);
      // At the start page, and where a program has lost its way.
      if (context.path === "/" || response.status === 401 || response.status === 404)
        response.headers.set("link", links);
      options.challenge(response, request, context);
      // It has a limit if it passed the gate, or was refused there.
      if (context.rateLimit !== null) countRequest(context.caller, response.status);
      const refusal = REFUSED[context.refusal === null ? response.status : 429];
      if (refusal !== undefined) {
        countRefusal(refusal);
        options.auditRefusal(refusal, request, context);
      }
      const ms = performance.now() - context.startedAt;
      countAnswer(context.route, response.status, ms / 1000);
      record(response, request, context, ms, log);
      // Comes last: the line is told apart by it.
      if (context.span !== null) endSpan(context.span, context, response.status, host);
      return request.method === "HEAD" ? headOnly(response) : response;
    };
    const fail = (error: unknown) => finish(refuse(error, request, log));
    setContext(request, context);
    try {
      watchForUnlistedProxy(request, connections);
      // Before the gate, because a browser asks without a key.
      const preflight = cors.preflight(request, context.path);
      if (preflight !== null) return finish(preflight);
      holdSnapshot();
      const bringsKey = isToldByKey(context.path) && request.headers.has("authorization");
      if (bringsKey || isGuardedPath(context.path)) gate(request, context);
      refuseLongHead(request);
      received = routableRequest(request, context);
      if (received !== request) setContext(received, context);
      const response = route(received);
      return response instanceof Promise ? response.then(finish, fail) : finish(response);
    } catch (error) {
      return fail(error);
    }
  };
  return (request, connections) => {
    const context = new RequestContext(request, connections, options);
    if (tracer === null) return handle(request, connections, context);
    context.span = tracer.begin(request.headers);
    return tracer.run(context.span, () => handle(request, connections, context));
  };
}

export function refuse(error: unknown, request: Request, log: Log): Response {
  const { id, hasOAuthErrors, refusal } = contextOf(request);
  // A client that disconnects while its body is read is not our error; nobody reads this response.
  const hasLeft = error instanceof Error && error.name === "AbortError" && request.signal.aborted;
  return errorResponse(
    hasLeft
      ? new CofferError(
          "VALIDATION_ERROR",
          "The body ended before it was complete. Send the request again.",
          "body",
        )
      : (refusal ?? error),
    id,
    log,
    hasOAuthErrors,
  );
}

function stamp({ headers }: Response, { id, rateLimit, isLenient }: RequestContext): void {
  headers.set("x-request-id", id);
  // Browsers must take nothing of ours for another type than it says.
  headers.set("x-content-type-options", "nosniff");
  if (isLenient) {
    // RFC 7240, sections 2 and 3.
    headers.set("preference-applied", "handling=lenient");
    headers.append("vary", "Prefer");
  }
  if (rateLimit === null) return;
  headers.set("x-ratelimit-limit", String(rateLimit.limit));
  headers.set("x-ratelimit-remaining", String(rateLimit.remaining));
  headers.set("x-ratelimit-reset", String(rateLimit.resetSeconds));
  // Requests with a cookie have no Authorization header, which would keep them out of shared caches.
  if (!headers.has("cache-control")) headers.set("cache-control", "no-store");
}

/** @param ms how long it took, in milliseconds */
function record(response: Response, request: Request, context: RequestContext, ms: number, log: Log): void {
  log.info("request", {
    request_id: context.id,
    method: request.method,
    route: context.route?.path ?? null,
    call: context.call ?? undefined,
    status: response.status,
    ms: Math.round(ms * 100) / 100,
    key_id: context.caller?.keyId ?? null,
  });
}

/**
 * The request as the router needs it: it finds the path after `http://`, which TLS has not, and is missing without a
 * usable Host (HTTP/1.0). The base path is no part of it. And the router would read the whole body of the GET to answer HEAD.
 */
function routableRequest(request: Request, { path, query, hadBasePath }: RequestContext): Request {
  if (path.includes("%")) requireDecodable(path);
  const isOther = hadBasePath || request.url.startsWith("/");
  if (!isOther && path === "") throw notFound("route");
  const init = request.method === "HEAD" ? { method: "GET", headers: request.headers } : request;
  if (!isOther && init === request && request.url.startsWith("http://")) return request;
  try {
    return new Request(
      isOther
        ? `http://localhost${path}${query === "" ? "" : `?${query}`}`
        : request.url.replace(/^https:/, "http:"),
      init,
    );
  } catch (error) {
    if (!(error instanceof TypeError)) throw error;
    throw new CofferError(
      "VALIDATION_ERROR",
      "The request target is malformed. Send a percent-encoded path that starts with /.",
    );
  }
}

/** The response without its body, which is read only if its length is not known. */
async function headOnly(response: Response): Promise<Response> {
  const { status, headers, body } = response;
  if (body !== null && !headers.has("content-length")) {
    headers.set("content-length", String((await response.bytes()).length));
  }
  return new Response(null, { status, headers });
}

/** A malformed path parameter would reach its route as null. */
function requireDecodable(path: string): void {
  try {
    decodeURIComponent(path);
  } catch {
    throw new CofferError("VALIDATION_ERROR", "The path of the URL must be percent-encoded UTF-8.");
  }
}

/** Throws HEADERS_TOO_LARGE. */
function refuseLongHead({ url, headers }: Request): void {
  let bytes = url.length;
  // The runtime has no shorter way to ask how long they are.
  headers.forEach((value, name) => {
    bytes += name.length + value.length;
  });
  if (bytes <= HEAD_BYTES) return;
  throw new CofferError(
    "HEADERS_TOO_LARGE",
    `The address and the headers of a request may have ${HEAD_BYTES} bytes together, not ${bytes}. Send long values in the body.`,
  );
}

/** The `Link` header (RFC 8288 and 8631) for programs that know only the address. */
function linksToDescription(basePath: string): string {
  return [
    `<${basePath}/docs/openapi.json>; rel="service-desc"; type="application/json"`,
    `<${basePath}/llms.txt>; rel="service-doc"; type="text/plain"`,
  ].join(", ");
}

/** Makes what logs, once, that a request came through an untrusted proxy: one client can use up the limits of all. */
function unlistedProxyWatch(isTrustedPeer: ContextParts["isTrustedPeer"], log: Log) {
  let hasWarned = false;
  return (request: Request, connections: Connections): void => {
    if (hasWarned || !request.headers.has("x-forwarded-for")) return;
    const peer = connections.requestIP(request)?.address;
    if (peer === undefined || isTrustedPeer(peer)) return;
    hasWarned = true;
    log.warn(
      "a request came through a proxy that is not trusted, so all its clients count as one address; if it is yours, set COFFER_TRUSTED_PROXIES to its address",
      { peer, setting: `COFFER_TRUSTED_PROXIES=${peer}` },
    );
  };
}
