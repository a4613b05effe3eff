import type { LinkKind } from "../../domain/links/link.ts";
import type { RequestContext } from "./request-context.ts";

/** The start of the links in a response: a URL without a trailing slash. */
export type LinkBase = (context: RequestContext) => string;

/** For the descriptions of operations that answer with links. */
export const LINKS_BEGIN =
  "The link starts with the server's configured address or, if none is configured, with the address that the request was sent to.";

/**
 * The configured address, whatever the request says. Without one, the address that this caller used: the caller can
 * forge it, so it must not appear in a response to anybody else. `fallback` if that is not an address.
 */
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
