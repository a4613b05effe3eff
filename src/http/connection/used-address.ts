import { ipVersion } from "../../domain/network/address.ts";

// RFC 1123's letters, digits and hyphens, and underscores, which container networks have in names.
const LABEL = "[a-z0-9_](?:[a-z0-9_-]{0,61}[a-z0-9_])?";
const NAME = new RegExp(`^(?=.{1,253}$)${LABEL}(?:\\.${LABEL})*\\.?$`);
const HOST_AND_PORT = /^(\[[0-9a-f:.]+\]|[^:]+)(?::([1-9][0-9]{0,4}))?$/;

/**
 * The address that the sender of these headers used, as an http or https URL without a trailing slash. Null for
 * anything except a host name or an IP address, with or without a port. Repeated headers are joined with commas, and
 * so give null.
 *
 * @param isProxy whether a trusted proxy sent them: then `X-Forwarded-Host` and `X-Forwarded-Proto` count, which say
 *   what the client sent to the proxy
 */
export function usedAddress(headers: Headers, isProxy: boolean): string | null {
  const scheme = ((isProxy ? headers.get("x-forwarded-proto") : null) ?? "http").toLowerCase();
  if (scheme !== "http" && scheme !== "https") return null;
  const sent = (isProxy ? headers.get("x-forwarded-host") : null) ?? headers.get("host") ?? "";
  const [, host = "", port] = HOST_AND_PORT.exec(sent.toLowerCase()) ?? [];
  if (!(host.startsWith("[") ? ipVersion(host.slice(1, -1)) === 6 : NAME.test(host))) return null;
  const text = `${scheme}://${host}${port === undefined ? "" : `:${port}`}`;
  if (!URL.canParse(text)) return null;
  const url = new URL(text);
  // The URL parser turns 0x7f.1 and 1.2.3 into IPv4 addresses that the sender did not write.
  return host.startsWith("[") || url.hostname === host ? url.origin : null;
}
