import type { Digest } from "./digest.ts";
import { CofferError } from "./errors.ts";

/** The conditions of a write (RFC 9110, section 13.1), as sent; null where absent. */
export interface Precondition {
  readonly ifMatch: string | null;
  readonly ifNoneMatch: string | null;
}

/**
 * Whether a list of entity tags names this content; `*` names any.
 *
 * @param weak whether `W/"..."` counts, as it does for If-None-Match (RFC 9110, section 8.8.3.2)
 */
export function etagMatches(list: string, digest: Digest, weak: boolean): boolean {
  if (list.trim() === "*") return true;
  for (const [, weakness, tag] of list.matchAll(/(W\/)?"([^"]*)"/g)) {
    if (tag === digest && (weak || weakness === undefined)) return true;
  }
  return false;
}

/** Throws PRECONDITION_FAILED unless the conditions hold for `digest`; null means that there is no file. */
export function requirePrecondition(conditions: Precondition, digest: Digest | null): void {
  if (conditions.ifMatch !== null && (digest === null || !etagMatches(conditions.ifMatch, digest, false))) {
    throw new CofferError(
      "PRECONDITION_FAILED",
      "If-Match does not hold: the file has changed since you last read it.",
    );
  }
  if (
    conditions.ifNoneMatch !== null &&
    digest !== null &&
    etagMatches(conditions.ifNoneMatch, digest, true)
  ) {
    throw new CofferError("PRECONDITION_FAILED", "If-None-Match does not hold: the file is already there.");
  }
}
