import type { Digest } from "../../domain/contents/content.ts";
import type { FileFacts } from "../../domain/files/file.ts";
import { type Precondition, recordTag } from "../../domain/files/precondition.ts";
import { contextOf } from "../gate/request-context.ts";
import { parseHttpDate } from "./http-date.ts";

/** The conditions in the headers of a request (RFC 9110, section 13.1). */
export function conditionsOf({ headers }: Request): Precondition {
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

/** The strong entity tag of a file's record. */
export function recordEtagOf(file: FileFacts): string {
  return `"${recordTag(file)}"`;
}

/** How the API description explains the headers. */
export const ETAG = { ETag: "The SHA-256 of the content in hex, in quotes." };
/** The same for a record. */
export const RECORD_ETAG = {
  ETag: "Identifies the record with the content: changes when either does. `If-Match` takes it, or the ETag of the content alone.",
};
/** The headers that guard a change of a file. */
export const IF_MATCH = {
  "If-Match":
    "The ETag that the file must still have, in quotes, of its content or of its record; else 412 is returned. `if_match` in the JSON body or in the query means the same.",
  "If-Unmodified-Since":
    "Return 412 if the file has changed since this time, which is compared in whole seconds. Ignored with `If-Match`.",
};
/** The header that keeps an upload from replacing a file. */
export const IF_NONE_MATCH = {
  "If-None-Match":
    "`*`: return 412 if there is already a file at the path. `only_create=true` in the query, or in the fields, means the same.",
};
