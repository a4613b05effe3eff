import type { Digest } from "../../domain/digest.ts";
import { CofferError } from "../../domain/errors.ts";
import { etagMatches } from "../../domain/precondition.ts";

/** What conditional requests are compared with. */
export interface Validators {
  readonly digest: Digest;
  /** Milliseconds since the epoch; compared in whole seconds, like the headers. */
  readonly modifiedAt: number;
}

/**
 * Evaluates a read's conditions in the order of RFC 9110, section 13.2.2. Returns whether the caller's copy is
 * still current (304). Throws PRECONDITION_FAILED.
 */
export function isNotModified({ headers }: Request, file: Validators): boolean {
  const ifMatch = headers.get("if-match");
  const ifUnmodifiedSince = ifMatch === null ? parseDate(headers.get("if-unmodified-since")) : null;
  if (
    (ifMatch !== null && !etagMatches(ifMatch, file.digest, false)) ||
    (ifUnmodifiedSince !== null && seconds(file) > ifUnmodifiedSince)
  ) {
    throw new CofferError("PRECONDITION_FAILED", "The file has changed since you last read it.");
  }
  const ifNoneMatch = headers.get("if-none-match");
  if (ifNoneMatch !== null) return etagMatches(ifNoneMatch, file.digest, true);
  const ifModifiedSince = parseDate(headers.get("if-modified-since"));
  return ifModifiedSince !== null && seconds(file) <= ifModifiedSince;
}

/** Whether If-Range allows a range, or is absent (RFC 9110, section 13.1.5). */
export function rangeAllowed({ headers }: Request, file: Validators): boolean {
  const ifRange = headers.get("if-range");
  if (ifRange === null) return true;
  return ifRange.includes('"')
    ? etagMatches(ifRange, file.digest, false)
    : parseDate(ifRange) === seconds(file);
}

/** A time in the format of Last-Modified. */
export function httpDate(instant: number): string {
  return new Date(instant).toUTCString();
}

function seconds(file: Validators): number {
  return Math.floor(file.modifiedAt / 1000);
}

// Date.parse alone would accept texts that are not HTTP dates, such as "1".
const HTTP_DATE = /^[A-Za-z]{3,9},? .*\d{2}:\d{2}:\d{2}.* GMT$/;
/** The one format without a zone (RFC 9110, section 5.6.7); Date.parse would take the server's own. */
const ASCTIME = /^[A-Za-z]{3} [A-Za-z]{3} [ \d]\d \d{2}:\d{2}:\d{2} \d{4}$/;

/** An HTTP date in whole seconds; null for none or a malformed one, which must be ignored. */
function parseDate(text: string | null): number | null {
  const date = text !== null && ASCTIME.test(text) ? `${text} GMT` : text;
  const instant = date !== null && HTTP_DATE.test(date) ? Date.parse(date) : Number.NaN;
  return Number.isNaN(instant) ? null : Math.floor(instant / 1000);
}
