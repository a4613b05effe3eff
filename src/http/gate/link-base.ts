import type { RequestContext } from "./request-context.ts";

/** Tells what the links in the answer to a request begin with: a URL without a trailing slash. */
export type LinkBase = (context: RequestContext) => string;

/** For the descriptions of operations that answer with links. */
export const LINKS_BEGIN =
  "The link begins with the server's configured address; where none is configured, with the address that the request was sent to.";

/**
 * The configured address, whatever a request says. Without one, the address that this very caller used,
 * which is theirs to forge and so stands in no answer to anybody else; `fallback` where that is no address.
 */
export function linkBase(configured: string | null, fallback: () => string): LinkBase {
  return configured === null ? (context) => context.usedAddress ?? fallback() : () => configured;
}
