import { ipVersion } from "../../domain/network/address.ts";
import { CofferError } from "../../domain/errors.ts";

/** Whether a page of this server sent a request: `unknown` if the request does not say, as from programs. */
export type OriginOf = (request: Request) => "own" | "foreign" | "unknown";

/**
 * Makes the function that decides by headers that browsers set and pages cannot change: `Origin` or, if absent,
 * `Sec-Fetch-Site`. The own origin is that of the configured base URL or, without one, the address that the request
 * was sent to.
 */
export function ownOrigin(baseUrl: string | null): OriginOf {
  const own = baseUrl === null ? null : new URL(baseUrl).origin;
  return ({ headers }) => {
    const origin = headers.get("origin");
    if (origin !== null) return isOwn(origin, own, headers.get("host")) ? "own" : "foreign";
    const site = headers.get("sec-fetch-site");
    if (site === null || site === "none") return "unknown";
    return site === "same-origin" ? "own" : "foreign";
  };
}

/**
 * Like `ownOrigin`, for requests that need no key: without a configured base URL, only pages at an IP address or at
 * `localhost` are our own. Any other name can be made to lead to this server by whoever owns it (DNS rebinding).
 */
export function surelyOwnOrigin(baseUrl: string | null): OriginOf {
  const originOf = ownOrigin(baseUrl);
  return (request) => {
    const origin = originOf(request);
    return origin === "own" && baseUrl === null && isForeignName(request) ? "foreign" : origin;
  };
}

/** Whether a request was sent to a name that may be somebody else's. */
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

/** The error for a request that only this server's pages may send. */
export function foreignOrigin(): CofferError {
  return new CofferError(
    "FORBIDDEN",
    "Only pages of this server may send this request. If this is one, set COFFER_BASE_URL to the server's address. Pages elsewhere need an API key, sent as `Authorization: Bearer <key>`.",
  );
}
