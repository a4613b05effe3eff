import { ipVersion } from "../../domain/network/address.ts";
import { basePathOf } from "../../domain/network/base-path.ts";
import { isLoopback } from "../../domain/network/loopback.ts";

/** Half a year: so long a browser uses https for the host without asking. */
const SECONDS = 180 * 24 * 60 * 60;

/**
 * The value of `Strict-Transport-Security` (RFC 6797) for a server that speaks TLS itself; null if it must not be sent.
 * It holds for all ports of a host name, so it is sent only where the server has that name for itself: not under a path.
 *
 * @param baseUrl the address that is configured; null if none is
 */
export function strictTransport(baseUrl: string | null): string | null {
  if (baseUrl === null) return null;
  const { port, hostname } = new URL(baseUrl);
  const isName = ipVersion(hostname.replaceAll(/^\[|\]$/g, "")) === 0 && !isLoopback(hostname);
  return port === "" && isName && basePathOf(baseUrl) === "" ? `max-age=${SECONDS}` : null;
}
