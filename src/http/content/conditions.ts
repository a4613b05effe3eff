import type { Digest } from "../../domain/contents/content.ts";
import type { FileFacts } from "../../domain/files/file.ts";
import {
  etagMatches,
  modifiedSecond,
  type Precondition,
  recordTag,
  requirePrecondition,
} from "../../domain/files/precondition.ts";
import { contextOf } from "../gate/request-context.ts";

export function httpDate(instant: number): string {
  return new Date(instant).toUTCString();
}

// Date.parse alone would accept texts that are not HTTP dates, such as "1".
const HTTP_DATE = /^[A-Za-z]{3,9},? .*\d{2}:\d{2}:\d{2}.* GMT$/;
/** The one format without a zone (RFC 9110, section 5.6.7); Date.parse would take the server's own. */
const ASCTIME = /^[A-Za-z]{3} [A-Za-z]{3} [ \d]\d \d{2}:\d{2}:\d{2} \d{4}$/;

/** An HTTP date in whole seconds since the epoch; null for none or a malformed one, which must be ignored. */
function parseHttpDate(text: string | null): number | null {
  const date = text !== null && ASCTIME.test(text) ? `${text} GMT` : text;
  const instant = date !== null && HTTP_DATE.test(date) ? Date.parse(date) : Number.NaN;
  return Number.isNaN(instant) ? null : Math.floor(instant / 1000);
}

/** The conditions in the headers of a request (RFC 9110, section 13.1). */
function conditionsOf({ headers }: Request): Precondition {
  return {
    ifMatch: headers.get("if-match"),
    ifUnmodifiedSince: parseHttpDate(headers.get("if-unmodified-since")),
    ifNoneMatch: headers.get("if-none-match"),
  };
}

/** The conditions in a write's headers, or in the parameters or fields in their place. */
export function preconditionOf(request: Request): Precondition {
  const { sentConditions } = contextOf(request);
  const conditions = conditionsOf(request);
  return {
    ...conditions,
    ifMatch: conditions.ifMatch ?? sentConditions.ifMatch,
    ifNoneMatch: conditions.ifNoneMatch ?? sentConditions.ifNoneMatch,
  };
}

/** The strong entity tag of a blob (RFC 9110, section 8.8.3). */
export function etagOf(digest: Digest): string {
  return `"${digest}"`;
}

export function recordEtagOf(file: FileFacts): string {
  return `"${recordTag(file)}"`;
}

export const ETAG = { ETag: "The SHA-256 of the content in hex, in quotes." };
export const RECORD_ETAG = {
  ETag: "Identifies the record with the content: changes when either does. `If-Match` takes it, or the ETag of the content alone.",
};
export const IF_MATCH = {
  "If-Match":
    "The ETag that the file must still have, in quotes, of its content or of its record; else 412 is returned. `if_match` in the JSON body or in the query means the same.",
  "If-Unmodified-Since":
    "Return 412 if the file has changed since this time, which is compared in whole seconds. Ignored with `If-Match`.",
};
export const IF_NONE_MATCH = {
  "If-None-Match":
    "`*`: return 412 if there is already a file at the path. `only_create=true` in the query, or in the fields, means the same.",
};

/** Whether the caller's copy of a content is still current (RFC 9110, 13.2.2). Throws PRECONDITION_FAILED. */
export function isNotModified(request: Request, file: FileFacts): boolean {
  requirePrecondition({ ...conditionsOf(request), ifNoneMatch: null }, file);
  const { headers } = request;
  const ifNoneMatch = headers.get("if-none-match");
  if (ifNoneMatch !== null) return etagMatches(ifNoneMatch, [file.digest], true);
  const ifModifiedSince = parseHttpDate(headers.get("if-modified-since"));
  return ifModifiedSince !== null && modifiedSecond(file) <= ifModifiedSince;
}

/** The same for a read of a record, whose own ETag alone says that a copy of it is current. */
export function isRecordNotModified(request: Request, file: FileFacts): boolean {
  requirePrecondition({ ...conditionsOf(request), ifNoneMatch: null }, file);
  const ifNoneMatch = request.headers.get("if-none-match");
  return ifNoneMatch !== null && etagMatches(ifNoneMatch, [recordTag(file)], true);
}

/** Whether If-Range allows a range, or is absent (RFC 9110, section 13.1.5). */
export function rangeAllowed({ headers }: Request, file: FileFacts): boolean {
  const ifRange = headers.get("if-range");
  if (ifRange === null) return true;
  return ifRange.includes('"')
    ? etagMatches(ifRange, [file.digest], false)
    : parseHttpDate(ifRange) === modifiedSecond(file);
}
