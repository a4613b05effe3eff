import { CofferError } from "../domain/errors.ts";

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
  // The scheme is left out: a proxy may have taken the TLS off.
  return (
    host !== null && /^https?:\/\//.test(origin) && origin.replace(/^https?:\/\//, "") === host.toLowerCase()
  );
}

/** Refuses what another site's page sent. Programs, which say nothing, may go on. Throws FORBIDDEN. */
export function refuseForeign(request: Request, originOf: OriginOf): void {
  if (originOf(request) === "foreign") throw foreignOrigin();
}

/** The refusal of a request that came with a session but not from a page of ours. */
export function foreignOrigin(): CofferError {
  return new CofferError(
    "FORBIDDEN",
    "Signed in, this can only be asked from the dashboard at the server's own address.",
  );
}
