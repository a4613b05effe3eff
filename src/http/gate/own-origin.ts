import { CofferError } from "../../domain/errors.ts";

/** Whether a request was sent by a page of ours: `unknown` for one that says nothing, as programs do. */
export type OriginOf = (request: Request) => "own" | "foreign" | "unknown";

/**
 * Makes the function that tells, by what browsers say and pages cannot change: `Origin`, and
 * `Sec-Fetch-Site` where that is absent. Ours is the origin of the configured base URL; where none is
 * configured, whatever the request says it was sent to.
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

function isOwn(origin: string, own: string | null, host: string | null): boolean {
  if (own !== null) return origin === own;
  // The scheme is taken from the origin, since a proxy may have taken the TLS off; a Host may name even
  // the port that goes without saying.
  const target = `${origin.startsWith("https:") ? "https" : "http"}://${host ?? ""}`;
  return URL.canParse(target) && new URL(target).origin === origin;
}

/** Refuses what another site's page sent. Programs, which say nothing, may go on. Throws FORBIDDEN. */
export function refuseForeign(request: Request, originOf: OriginOf): void {
  if (originOf(request) === "foreign") throw foreignOrigin();
}

/** The refusal of what only a page of ours may ask. */
export function foreignOrigin(): CofferError {
  return new CofferError(
    "FORBIDDEN",
    "In a browser, only a page at the server's own address can ask this. If this is one, the server has to be told its address: COFFER_BASE_URL.",
  );
}
