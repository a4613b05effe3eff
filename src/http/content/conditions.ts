import type { FileFacts } from "../../domain/files/file.ts";
import {
  etagMatches,
  modifiedSecond,
  recordTag,
  requirePrecondition,
} from "../../domain/files/precondition.ts";
import { conditionsOf } from "./etag.ts";
import { parseHttpDate } from "./http-date.ts";

/**
 * Evaluates the conditions of a read of content in the order of RFC 9110, section 13.2.2. Returns whether the
 * caller's copy is still current (304). Throws PRECONDITION_FAILED.
 */
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
