import { isIP } from "node:net";

// Beside the letters, digits and hyphens of RFC 1123, the underscores that container networks have in names.
const LABEL = "[a-z0-9_](?:[a-z0-9_-]{0,61}[a-z0-9_])?";
const NAME = new RegExp(`^(?=.{1,253}$)${LABEL}(?:\\.${LABEL})*\\.?$`);
const HOST_AND_PORT = /^(\[[0-9a-f:.]+\]|[^:]+)(?::([1-9][0-9]{0,4}))?$/;

/**
 * The address that the sender of these headers used, as an http or https URL without a trailing slash.
 * Null for anything but a host name or an IP address with at most a port. Headers that came more than
 * once are joined with commas, and so refused.
 *
 * @param isProxy whether a trusted proxy sent them: `X-Forwarded-Host` and `X-Forwarded-Proto` then say
 *   what the proxy was asked for
 */
export function usedAddress(headers: Headers, isProxy: boolean): string | null {
  const scheme = ((isProxy ? headers.get("x-forwarded-proto") : null) ?? "http").toLowerCase();
  if (scheme !== "http" && scheme !== "https") return null;
  const sent = (isProxy ? headers.get("x-forwarded-host") : null) ?? headers.get("host") ?? "";
  const [, host = "", port] = HOST_AND_PORT.exec(sent.toLowerCase()) ?? [];
  if (!(host.startsWith("[") ? isIP(host.slice(1, -1)) === 6 : NAME.test(host))) return null;
  const text = `${scheme}://${host}${port === undefined ? "" : `:${port}`}`;
  if (!URL.canParse(text)) return null;
  const url = new URL(text);
  // The URL parser takes 0x7f.1 and 1.2.3 for IPv4 addresses, which the sender has not written.
  return host.startsWith("[") || url.hostname === host ? url.origin : null;
}
