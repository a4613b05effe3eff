import type { ErrorCode } from "../../domain/errors.ts";

/** The meaning of each code, for the API description. */
export const ERROR_MEANINGS: Readonly<Record<ErrorCode, string>> = {
  VALIDATION_ERROR:
    "A field is missing, malformed or out of range, or the JSON is malformed; `field` names it.",
  UNAUTHORIZED: "No key, or one that is unknown or revoked; where people sign in, a sign-in that failed.",
  FORBIDDEN:
    "A write with a read-only key, an account operation with a key limited to one drive, a page of another site that uses a session, or what this server does not allow.",
  QUOTA_EXCEEDED:
    "The drive or account would pass its storage limit, or has as many keys as it may have; or what was replaced and deleted in it still takes too much room on the disk, which is over in a minute, as `message` says.",
  NOT_FOUND: "Absent, expired, or not the caller's.",
  METHOD_NOT_ALLOWED: "The path does not take this method; `Allow` lists those it takes.",
  CONFLICT:
    "The present state is in the way: a path or a username is taken, a file stands where a folder is needed, a drive is already claimed.",
  IDEMPOTENCY_IN_PROGRESS: "The same `Idempotency-Key` is being processed now.",
  GONE: "A claim token or link that has expired or was used up.",
  PRECONDITION_FAILED: "`If-Match` or `If-None-Match` did not hold.",
  PAYLOAD_TOO_LARGE: "The body, or the content to be extracted, is over its limit.",
  UNSUPPORTED_MEDIA_TYPE:
    "The body has a `Content-Encoding` (`Accept-Encoding: identity` comes with it then), or the file is of a type that this cannot read.",
  RANGE_NOT_SATISFIABLE: "The range lies outside the content.",
  IDEMPOTENCY_KEY_REUSED: "The same `Idempotency-Key` came with a different request before.",
  EXTRACTION_FAILED: "The content is not what its type says.",
  RATE_LIMITED: "Too many requests; `Retry-After` says for how many seconds to wait.",
  INTERNAL: "A fault of the server; its log has the detail under the request id.",
  UNAVAILABLE:
    "The server cannot do this at the moment; `Retry-After` says for how many seconds to wait. A write during which its disk failed may have happened.",
  STORAGE_FULL: "The server's disk is at its reserve, or full.",
};
