import type { Log } from "../../process/log.ts";
import type { Connections } from "./request-context.ts";

/** Checks a request before it is handled. */
export type ProxyWatch = (request: Request, connections: Connections) => void;

/**
 * Makes the function that logs, once, that a request came through an untrusted proxy: all its clients then count as
 * one address, and one of them can use up the limits of all.
 */
export function watchForUnlistedProxy(
  isTrustedPeer: (peer: string | undefined) => boolean,
  log: Log,
): ProxyWatch {
  let hasWarned = false;
  return (request, connections) => {
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
