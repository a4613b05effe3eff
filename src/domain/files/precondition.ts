import type { FileFacts } from "./file.ts";
import { CofferError } from "../errors.ts";

const ATTRIBUTES_CHARACTERS = 16;

/** The entity tag of a file's record, without quotes: the content's, and a hash of all else that the record shows. */
export function recordTag(file: FileFacts): string {
  const { driveId, path, filename, mimeType, tags, metadata, expiresAt, createdAt, updatedAt } = file;
  const shown = [driveId, path, filename, mimeType, tags, metadata, expiresAt, createdAt, updatedAt];
  const hash = Bun.SHA256.hash(JSON.stringify(shown), "hex");
  return `${file.digest}.${hash.slice(0, ATTRIBUTES_CHARACTERS)}`;
}

/** An entity tag for If-Match that may have come without its quotes, with them. */
export function quotedTag(tag: string): string {
  return tag === "*" || tag.includes('"') ? tag : `"${tag}"`;
}

/** When a file last changed, in whole seconds since the epoch, as HTTP shows and compares it. */
export function modifiedSecond({ updatedAt }: FileFacts): number {
  return Math.floor(updatedAt / 1000);
}

/** `*` stands for any tag. @param weak whether `W/"..."` counts, as for If-None-Match (RFC 9110, section 8.8.3.2) */
export function etagMatches(list: string, tags: readonly string[], weak: boolean): boolean {
  if (list.trim() === "*") return true;
  for (const [, weakness, tag = ""] of list.matchAll(/(W\/)?"([^"]*)"/g)) {
    if (tags.includes(tag) && (weak || weakness === undefined)) return true;
  }
  return false;
}

/** The conditions of a write (RFC 9110, section 13.1), as sent; null where absent. */
export interface Precondition {
  readonly ifMatch: string | null;
  /** Whole seconds since the epoch; null also for a malformed date, which must be ignored. */
  readonly ifUnmodifiedSince: number | null;
  readonly ifNoneMatch: string | null;
}

/** No condition. */
export const UNCONDITIONAL: Precondition = { ifMatch: null, ifUnmodifiedSince: null, ifNoneMatch: null };

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
    if (file === null)
      throw new PreconditionFailed(
        "absent",
        "If-Match does not hold: there is no file at this path. Leave the header out to create one.",
      );
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

function changed(header: string): PreconditionFailed {
  return new PreconditionFailed(
    "changed",
    `${header} does not hold: the file has changed since you last read it. Read it again, and send its new ETag.`,
  );
}
