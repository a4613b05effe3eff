import type { ErrorCode } from "../../domain/errors.ts";

export const ERROR_MEANINGS: Readonly<Record<ErrorCode, string>> = {
  VALIDATION_ERROR:
    "A field is missing, malformed or out of range, or the JSON is malformed. `field` names the field.",
  UNAUTHORIZED: "There is no valid key or session, or the sign-in failed.",
  FORBIDDEN:
    "The caller may not do this: a write with a read-only key, an operation that needs an account key or a session, a request with a session from another site, or something that this server does not allow.",
  QUOTA_EXCEEDED:
    "The drive or account would exceed its limit of storage, records, kept responses or keys; contents that are arriving count as stored. Or replaced and deleted files still take up too much disk space: then `message` says to try again in a minute.",
  NOT_FOUND: "It does not exist, has expired, or is not the caller's.",
  METHOD_NOT_ALLOWED: "The path does not support this method. `Allow` lists the methods that it supports.",
  REQUEST_TIMEOUT:
    "The content came more slowly than this server allows, and the connection is closed. Nothing was stored.",
  CONFLICT:
    "The current state does not allow this: a path or username is taken, a file is where a folder is needed, or a drive is already claimed.",
  IDEMPOTENCY_IN_PROGRESS: "A request with the same `Idempotency-Key` is still running.",
  GONE: "The link or its token has expired or was already used.",
  PRECONDITION_FAILED: "The condition in `If-Match`, `If-None-Match` or `If-Unmodified-Since` is not met.",
  PAYLOAD_TOO_LARGE:
    "The body, the content to extract, or the response to keep for an `Idempotency-Key` is larger than allowed.",
  UNSUPPORTED_MEDIA_TYPE:
    "The body has a `Content-Encoding` (the response then has `Accept-Encoding: identity`), or the file cannot be read as text: its type has none, or its content is not of its type.",
  RANGE_NOT_SATISFIABLE: "The range is outside the content.",
  IDEMPOTENCY_KEY_REUSED: "The same `Idempotency-Key` was used for a different request.",
  EXTRACTION_FAILED:
    "The content does not match its type, or the document is malformed, has a password, or takes too much time or memory to read.",
  RATE_LIMITED:
    "Too many requests, or too many uploads, archives or searches at once. `Retry-After` says how many seconds to wait.",
  HEADERS_TOO_LARGE: "The address and the headers together are longer than allowed.",
  INTERNAL: "An error in the server. Its log has the details under the request id.",
  UNAVAILABLE:
    "The server cannot do this now. `Retry-After` says how many seconds to wait. If the disk failed during a write, the write may have taken effect.",
  STORAGE_FULL: "The server's disk is full or has reached its reserve.",
};
