import { tooManyOpen } from "../../process/descriptors.ts";
import { codeOf, CofferError, type ErrorCode } from "../../domain/errors.ts";
import { OAuthError } from "../../domain/oauth/oauth-client.ts";
import type { Log } from "../../process/log.ts";
import { DamagedFile } from "../../services/contents/blob-checks.ts";

export const ERROR_STATUS: Readonly<Record<ErrorCode, number>> = {
  VALIDATION_ERROR: 400,
  UNAUTHORIZED: 401,
  FORBIDDEN: 403,
  QUOTA_EXCEEDED: 403,
  NOT_FOUND: 404,
  METHOD_NOT_ALLOWED: 405,
  REQUEST_TIMEOUT: 408,
  CONFLICT: 409,
  IDEMPOTENCY_IN_PROGRESS: 409,
  GONE: 410,
  PRECONDITION_FAILED: 412,
  PAYLOAD_TOO_LARGE: 413,
  UNSUPPORTED_MEDIA_TYPE: 415,
  RANGE_NOT_SATISFIABLE: 416,
  IDEMPOTENCY_KEY_REUSED: 422,
  EXTRACTION_FAILED: 422,
  RATE_LIMITED: 429,
  HEADERS_TOO_LARGE: 431,
  INTERNAL: 500,
  UNAVAILABLE: 503,
  STORAGE_FULL: 507,
};

const ERROR_HEADERS: Partial<Record<ErrorCode, Readonly<Record<string, string>>>> = {
  UNAUTHORIZED: { "www-authenticate": "Bearer" },
  IDEMPOTENCY_IN_PROGRESS: { "retry-after": "1" },
  // What is still to come of the body is not waited for (RFC 9110, 15.5.9).
  REQUEST_TIMEOUT: { connection: "close" },
  // The default, for when the wait is not known.
  RATE_LIMITED: { "retry-after": "1" },
  UNAVAILABLE: { "retry-after": "5" },
};

/** An error whose response needs its own headers: `Allow`, `Retry-After`, `Content-Range`. */
export class HttpRefusal extends CofferError {
  readonly headers: Readonly<Record<string, string>>;

  constructor(code: ErrorCode, message: string, headers: Readonly<Record<string, string>>) {
    super(code, message);
    this.headers = headers;
  }
}

/** 429 for a caller who may retry in `retryAfter` whole seconds. */
export function rateLimited(message: string, retryAfter: number): HttpRefusal {
  return new HttpRefusal("RATE_LIMITED", message, { "retry-after": String(retryAfter) });
}

/** The codes of errors when no file can be opened, mostly for lack of descriptors: until connections close. */
const CANNOT_OPEN: ReadonlySet<unknown> = new Set(["EMFILE", "ENFILE", "SQLITE_CANTOPEN"]);

const UNEXPECTED =
  "Something went wrong on the server. Try again; if it stays so, tell its administrator the request id, under which its log has the details.";
const DAMAGED =
  "This file's content is damaged on the server's disk. Upload it again, or restore it from a backup.";

/** What a caller is told of anything thrown: of what is not expected only that it happened; the log has the details. */
export function shownError(error: unknown, requestId: string, log: Log): CofferError {
  if (error instanceof CofferError) return error;
  if (CANNOT_OPEN.has(codeOf(error))) {
    log.warn("no file can be opened", { request_id: requestId, error });
    return tooManyOpen();
  }
  log.error("request failed", { request_id: requestId, error });
  return new CofferError("INTERNAL", error instanceof DamagedFile ? DAMAGED : UNEXPECTED);
}

/** The headers of an error's response. */
export function headersOf(error: CofferError): Readonly<Record<string, string>> {
  return { ...ERROR_HEADERS[error.code], ...(error instanceof HttpRefusal ? error.headers : {}) };
}

export function errorResponse(error: unknown, requestId: string, log: Log, isOAuth = false): Response {
  const shown = shownError(error, requestId, log);
  const { code, message, field } = shown;
  const headers = headersOf(shown);
  const status = ERROR_STATUS[code];
  if (!isOAuth)
    return Response.json({ error: { code, message, field, request_id: requestId } }, { status, headers });
  // RFC 6749, section 5.2. Quotes and backslashes are not allowed in a description.
  const error_description = message.replaceAll(/["\\]/g, "'");
  return Response.json(
    { error: oauthCodeOf(shown), error_description, request_id: requestId },
    { status, headers: { "cache-control": "no-store", ...headers } },
  );
}

function oauthCodeOf(error: CofferError): string {
  if (error instanceof OAuthError) return error.oauthCode;
  const status = ERROR_STATUS[error.code];
  if (status === 403) return "access_denied";
  if (status === 500) return "server_error";
  return status === 429 || status > 500 ? "temporarily_unavailable" : "invalid_request";
}
