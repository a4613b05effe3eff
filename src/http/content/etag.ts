import type { Digest } from "../../domain/digest.ts";
import type { Precondition } from "../../domain/precondition.ts";

/** The conditions in a write's headers (RFC 9110, section 13.1). */
export function preconditionOf({ headers }: Request): Precondition {
  return { ifMatch: headers.get("if-match"), ifNoneMatch: headers.get("if-none-match") };
}

/** The strong entity tag of a content (RFC 9110, section 8.8.3). */
export function etagOf(digest: Digest): string {
  return `"${digest}"`;
}

/** How the API description explains the headers. */
export const ETAG = { ETag: "The SHA-256 of the content in hex, in quotes." };
/** The header that guards a change of a file. */
export const IF_MATCH = {
  "If-Match": "The ETag that the file must still have, in quotes; else 412 is returned.",
};
/** The header that keeps an upload from replacing a file. */
export const IF_NONE_MATCH = {
  "If-None-Match": "`*`: return 412 if there is already a file at the path.",
};
