import { CofferError } from "../errors.ts";
import { etagMatches, modifiedSecond, recordTag } from "./etag.ts";
import type { FileFacts } from "./file.ts";

/** The conditions of a write (RFC 9110, section 13.1), as sent; null where absent. */
export interface Precondition {
  readonly ifMatch: string | null;
  /** Whole seconds since the epoch; null also for a malformed date, which must be ignored. */
  readonly ifUnmodifiedSince: number | null;
  readonly ifNoneMatch: string | null;
}

/** Why a condition does not hold: there is a file, there is none, or it is not as it was. */
export type FailedCondition = "exists" | "absent" | "changed";

/** What a failed condition throws. Its message is about headers. */
export class PreconditionFailed extends CofferError {
  readonly why: FailedCondition;

  constructor(why: FailedCondition, message: string) {
    super("PRECONDITION_FAILED", message);
    this.why = why;
  }
}

/**
 * Throws PRECONDITION_FAILED unless the conditions hold; `file` is null if there is none. Tags of its content and of
 * its record count. `If-Unmodified-Since` counts only without `If-Match`, and for a file that is there (RFC 9110,
 * section 13.1.4).
 */
export function requirePrecondition(conditions: Precondition, file: FileFacts | null): void {
  const { ifMatch, ifUnmodifiedSince, ifNoneMatch } = conditions;
  const isNamed = (list: string, weak: boolean) =>
    file !== null && etagMatches(list, [file.digest, recordTag(file)], weak);
  if (ifMatch !== null) {
    if (file === null) throw absent();
    if (!isNamed(ifMatch, false)) throw changed("If-Match");
  } else if (ifUnmodifiedSince !== null && file !== null && modifiedSecond(file) > ifUnmodifiedSince) {
    throw changed("If-Unmodified-Since");
  }
  if (ifNoneMatch !== null && isNamed(ifNoneMatch, true))
    throw new PreconditionFailed(
      "exists",
      "If-None-Match does not hold: the file is already there. Choose another path, or leave the header out to replace it.",
    );
}

function absent(): PreconditionFailed {
  return new PreconditionFailed(
    "absent",
    "If-Match does not hold: there is no file at this path. Leave the header out to create one.",
  );
}

function changed(header: string): PreconditionFailed {
  return new PreconditionFailed(
    "changed",
    `${header} does not hold: the file has changed since you last read it. Read it again, and send its new ETag.`,
  );
}
