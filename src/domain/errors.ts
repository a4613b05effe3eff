/**
 * The closed set of error codes. Everything that Coffer refuses has one of them. `http/gate/errors.ts` gives each
 * its HTTP status.
 */
export type ErrorCode =
  | "VALIDATION_ERROR"
  | "UNAUTHORIZED"
  | "FORBIDDEN"
  | "QUOTA_EXCEEDED"
  | "NOT_FOUND"
  | "METHOD_NOT_ALLOWED"
  | "CONFLICT"
  | "IDEMPOTENCY_IN_PROGRESS"
  | "GONE"
  | "PRECONDITION_FAILED"
  | "PAYLOAD_TOO_LARGE"
  | "UNSUPPORTED_MEDIA_TYPE"
  | "RANGE_NOT_SATISFIABLE"
  | "IDEMPOTENCY_KEY_REUSED"
  | "EXTRACTION_FAILED"
  | "RATE_LIMITED"
  | "INTERNAL"
  | "UNAVAILABLE"
  | "STORAGE_FULL";

/**
 * An error for the caller. The message is shown as it is, so it must not hold a secret, a path of this machine,
 * or anything the caller may not see.
 */
export class CofferError extends Error {
  override readonly name = "CofferError";
  readonly code: ErrorCode;
  /** The request field at fault, for VALIDATION_ERROR; dots and brackets lead to nested ones (`tags[2]`). */
  readonly field: string | undefined;

  constructor(code: ErrorCode, message: string, field?: string) {
    super(message);
    this.code = code;
    this.field = field;
  }
}

/**
 * A write refused because the server cannot write at all: its disk is full or has failed. That is logged once,
 * and not again for each refused write.
 */
export class WriteRefused extends CofferError {}

/** A field is missing, malformed or out of range. `problem` completes the sentence "{field} ...". */
export function invalid(field: string, problem: string): CofferError {
  return new CofferError("VALIDATION_ERROR", `${field} ${problem}`, field);
}

/** A file or folder already exists at a path that must be free. */
export function pathTaken(by: "file" | "folder", path: string): CofferError {
  return new CofferError("CONFLICT", `The ${by} "${path}" already exists.`);
}

/** Absent, expired or not the caller's. All three look the same to the caller. */
export function notFound(
  noun: "drive" | "file" | "folder" | "key" | "link" | "route" | "session" | "user",
): CofferError {
  return new CofferError("NOT_FOUND", `No such ${noun}.`);
}
