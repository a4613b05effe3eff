import { type AllowedOrigins, ipVersion } from "../../domain/network/address.ts";
import { CofferError } from "../../domain/errors.ts";
import { IDEMPOTENCY_KEY } from "../../domain/idempotency.ts";

/** Whether a page of this server sent a request: `unknown` if the request does not say, as from programs. */
export type OriginOf = (request: Request) => "own" | "foreign" | "unknown";

/**
 * Makes what decides by headers that pages cannot change: `Origin`, else `Sec-Fetch-Site`. Without a base URL the own
 * origin is the address that the request was sent to.
 *
 * @param isTls whether the server speaks TLS itself
 */
export function ownOrigin(baseUrl: string | null, isTls = false): OriginOf {
  const own = baseUrl === null ? null : new URL(baseUrl).origin;
  return ({ headers }) => {
    const origin = headers.get("origin");
    if (origin !== null) {
      // Anybody on the way can send a page of plain HTTP.
      const isPlain = isTls && !origin.startsWith("https:");
      return !isPlain && isOwn(origin, own, headers.get("host")) ? "own" : "foreign";
    }
    const site = headers.get("sec-fetch-site");
    if (site === null || site === "none") return "unknown";
    return site === "same-origin" ? "own" : "foreign";
  };
}

/**
 * Like `ownOrigin`, for requests that need no key: without a configured base URL, only pages at an IP address or at
 * `localhost` are our own. Any other name can be made to lead to this server by whoever owns it (DNS rebinding).
 */
export function surelyOwnOrigin(baseUrl: string | null, isTls = false): OriginOf {
  const originOf = ownOrigin(baseUrl, isTls);
  return (request) => {
    const origin = originOf(request);
    return origin === "own" && baseUrl === null && isForeignName(request) ? "foreign" : origin;
  };
}

function isForeignName({ headers }: Request): boolean {
  const url = `http://${headers.get("host") ?? ""}`;
  const name = URL.canParse(url) ? new URL(url).hostname : "";
  return (
    name !== "localhost" && !name.endsWith(".localhost") && ipVersion(name.replace(/^\[|\]$/g, "")) === 0
  );
}

function isOwn(origin: string, own: string | null, host: string | null): boolean {
  if (own !== null) return origin === own;
  // Takes the scheme from the origin, because a proxy may have terminated TLS. A Host may include the default port.
  const target = `${origin.startsWith("https:") ? "https" : "http"}://${host ?? ""}`;
  return URL.canParse(target) && new URL(target).origin === origin;
}

/** Throws FORBIDDEN for a request from another site's page. Programs, which send no origin, may continue. */
export function refuseForeign(request: Request, originOf: OriginOf): void {
  if (originOf(request) === "foreign") throw foreignOrigin();
}

export function foreignOrigin(): CofferError {
  return new CofferError(
    "FORBIDDEN",
    "Only pages of this server may send this request. If this is one, set COFFER_BASE_URL to the server's address. Pages elsewhere need an API key, sent as `Authorization: Bearer <key>`.",
  );
}

export type Cors = ReturnType<typeof createCors>;

/** What pages of other origins may use: what needs no cookie, so never the dashboard or signing in. */
const SHARED_PATHS =
  /^\/(v0|mcp|oauth\/token|oauth\/register|oauth\/revoke|docs\/api|docs\/api\.md|docs\/openapi\.json|openapi\.json|llms\.txt|skill\.md|\.well-known)(\/|$)/;

export function isSharedPath(path: string): boolean {
  return SHARED_PATHS.test(path);
}

/** `*` stands for all others, but not for Authorization. Those that are named help readers, and older browsers. */
const REQUEST_HEADERS = [
  "Authorization",
  "Content-Type",
  "Accept",
  "Range",
  "If-Match",
  "If-None-Match",
  "If-Modified-Since",
  "If-Unmodified-Since",
  "If-Range",
  IDEMPOTENCY_KEY,
  "Prefer",
  "X-Request-Id",
  "Mcp-Session-Id",
  "Mcp-Protocol-Version",
  "Mcp-Method",
  "Mcp-Name",
  "Last-Event-ID",
  "*",
].join(", ");

/** Every header of a response that a client may need. Browsers always show the safe ones, such as Content-Type. */
const RESPONSE_HEADERS = [
  "ETag",
  "X-Request-Id",
  "X-RateLimit-Limit",
  "X-RateLimit-Remaining",
  "X-RateLimit-Reset",
  "Retry-After",
  "Location",
  "Link",
  "Allow",
  "Idempotency-Replayed",
  "Preference-Applied",
  "Accept-Ranges",
  "Content-Range",
  "Content-Length",
  "Content-Disposition",
  "Repr-Digest",
  "Last-Modified",
  "WWW-Authenticate",
  "Accept-Encoding",
  "Mcp-Session-Id",
  "Mcp-Protocol-Version",
].join(", ");

/** Lets pages of other origins call the API (Fetch standard, 3.3), with a key: no response allows cookies. */
export function createCors(origins: AllowedOrigins) {
  const allowedOrigin = (request: Request): string | null => {
    if (origins === "*") return "*";
    const origin = request.headers.get("origin");
    return origin !== null && origins.includes(origin) ? origin : null;
  };
  return {
    /** The response to a browser that asks whether a page may send a request; else null. Throws FORBIDDEN. */
    preflight: (request: Request, path: string): Response | null => {
      const { headers, method } = request;
      const asks =
        method === "OPTIONS" && headers.has("origin") && headers.has("access-control-request-method");
      if (!asks || !SHARED_PATHS.test(path)) return null;
      if (allowedOrigin(request) === null) {
        throw new CofferError(
          "FORBIDDEN",
          "Pages of this origin may not call this server. Its administrator can allow it with COFFER_CORS_ORIGINS.",
        );
      }
      return new Response(null, {
        status: 204,
        headers: {
          "access-control-allow-methods": "GET, HEAD, POST, PUT, PATCH, DELETE",
          "access-control-allow-headers": REQUEST_HEADERS,
          // Seconds for which a browser need not ask again; Chromium allows no more.
          "access-control-max-age": "7200",
        },
      });
    },
    /** Adds what a browser must know before it shows the response to the page. */
    share: (headers: Headers, request: Request, path: string): void => {
      if (!SHARED_PATHS.test(path)) return;
      headers.append("vary", "Origin");
      const allowed = request.headers.has("origin") ? allowedOrigin(request) : null;
      if (allowed === null) return;
      headers.set("access-control-allow-origin", allowed);
      headers.set("access-control-expose-headers", RESPONSE_HEADERS);
    },
  };
}

/** Whether a browser shows the response as a page; programs get JSON. */
export function isNavigation({ headers }: Request): boolean {
  return headers.get("sec-fetch-mode") === "navigate" || (headers.get("accept") ?? "").includes("text/html");
}
