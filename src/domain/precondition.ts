import type { Digest } from "./digest.ts";
import { CofferError } from "./errors.ts";

/** What a writer demands of the file as it stands (RFC 9110, section 13.1), as sent; null where absent. */
export interface Precondition {
  readonly ifMatch: string | null;
  readonly ifNoneMatch: string | null;
}

/** A write without demands. */
export const UNCONDITIONAL: Precondition = { ifMatch: null, ifNoneMatch: null };

/**
 * Whether a field's list of entity tags names this content; `*` names any.
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

/** Throws PRECONDITION_FAILED unless the demands hold for `digest`, null where there is no file. */
export function requirePrecondition(demand: Precondition, digest: Digest | null): void {
  if (demand.ifMatch !== null && (digest === null || !etagMatches(demand.ifMatch, digest, false))) {
    throw new CofferError(
      "PRECONDITION_FAILED",
      "If-Match does not hold: the file has changed since you last read it.",
    );
  }
  if (demand.ifNoneMatch !== null && digest !== null && etagMatches(demand.ifNoneMatch, digest, true)) {
    throw new CofferError("PRECONDITION_FAILED", "If-None-Match does not hold: the file is already there.");
  }
}
