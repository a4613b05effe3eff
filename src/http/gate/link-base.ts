import { ipVersion } from "../../domain/network/address.ts";
import type { LinkKind } from "../../domain/links/link.ts";

// RFC 1123's letters, digits and hyphens, and underscores, which container networks have in names.
const LABEL = "[a-z0-9_](?:[a-z0-9_-]{0,61}[a-z0-9_])?";
const NAME = new RegExp(`^(?=.{1,253}$)${LABEL}(?:\\.${LABEL})*\\.?$`);
const HOST_AND_PORT = /^(\[[0-9a-f:.]+\]|[^:]+)(?::([1-9][0-9]{0,4}))?$/;

/**
 * The http or https URL, without a trailing slash, that the sender of these headers used. Null for anything except one
 * host name or IP address, perhaps with a port. Of a trusted proxy what it says of the client counts.
 *
 * @param own what the connection is
 */
export function usedAddress(
  headers: Headers,
  isProxy: boolean,
  own: "http" | "https" = "http",
): string | null {
  const scheme = ((isProxy ? headers.get("x-forwarded-proto") : null) ?? own).toLowerCase();
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

/** The start of the links in a response: a URL without a trailing slash. */
export type LinkBase = (context: { readonly usedAddress: string | null }) => string;

export const LINKS_BEGIN =
  "The link starts with the server's configured address or, if none is configured, with the address that the request was sent to.";

/** The configured address or, without one, that which this caller used, and can forge: for a response to it alone. */
export function linkBase(configured: string | null, fallback: () => string): LinkBase {
  return configured === null ? (context) => context.usedAddress ?? fallback() : () => configured;
}

const PATHS: Readonly<Record<LinkKind, string>> = {
  presigned: "/v0/presigned/",
  upload: "/v0/uploads/",
  file: "/s/",
  folder: "/s/",
};

/** Where anybody uses a link; for one that shows something, the page for people. */
export function linkUrl(base: string, { link, token }: { link: { kind: LinkKind }; token: string }): string {
  return base + PATHS[link.kind] + token;
}
