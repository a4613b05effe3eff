import type { AllowedOrigins } from "../../domain/network/address.ts";
import { CofferError } from "../../domain/errors.ts";
import { IDEMPOTENCY_KEY } from "../../domain/idempotency.ts";

export type Cors = ReturnType<typeof createCors>;

/**
 * What pages of other origins may use: the API, what says how to use it, and what OAuth clients call, which takes no
 * cookie. Never the dashboard or signing in.
 */
const SHARED_PATHS =
  /^\/(v0|mcp|oauth\/token|oauth\/register|oauth\/revoke|docs\/api|docs\/api\.md|docs\/openapi\.json|openapi\.json|llms\.txt|skill\.md|\.well-known)(\/|$)/;

export function isSharedPath(path: string): boolean {
  return SHARED_PATHS.test(path);
}

const METHODS = "GET, HEAD, POST, PUT, PATCH, DELETE";

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

/** Seconds for which a browser need not ask again; Chromium allows no more. */
const MAX_AGE = "7200";

/**
 * Lets pages of other origins call the API (the CORS protocol of the Fetch standard, section 3.3). They authenticate
 * with a key: no response allows credentials, so browsers send no cookie of this server with such a request.
 */
export function createCors(origins: AllowedOrigins) {
  const allowedOrigin = (request: Request): string | null => {
    if (origins === "*") return "*";
    const origin = request.headers.get("origin");
    return origin !== null && origins.includes(origin) ? origin : null;
  };
  return {
    /**
     * The response to a browser that asks whether a page may send a request; null if this is no such question. Throws
     * CofferError FORBIDDEN if pages of its origin may not.
     */
    preflight: (request: Request, path: string): Response | null => {
      const { headers, method } = request;
      const asks =
        method === "OPTIONS" && headers.has("origin") && headers.has("access-control-request-method");
      if (!asks || !SHARED_PATHS.test(path)) return null;
      if (allowedOrigin(request) === null) throw forbiddenOrigin();
      return new Response(null, {
        status: 204,
        headers: {
          "access-control-allow-methods": METHODS,
          "access-control-allow-headers": REQUEST_HEADERS,
          "access-control-max-age": MAX_AGE,
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

function forbiddenOrigin(): CofferError {
  return new CofferError(
    "FORBIDDEN",
    "Pages of this origin may not call this server. Its administrator can allow it with COFFER_CORS_ORIGINS.",
  );
}
