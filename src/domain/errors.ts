/**
 * The closed set of refusals. Everything Coffer says no to is one of these codes;
 * `http/errors.ts` is the one place that gives each its HTTP status.
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
 * A refusal meant for the caller. The message is shown to them as it stands, so it never holds a
 * secret, a path of this machine, or anything the caller may not see.
 */
export class CofferError extends Error {
  override readonly name = "CofferError";
  readonly code: ErrorCode;
  /** The request field at fault, for VALIDATION_ERROR; dots and brackets reach into it (`tags[2]`). */
  readonly field: string | undefined;

  constructor(code: ErrorCode, message: string, field?: string) {
    super(message);
    this.code = code;
    this.field = field;
  }
}

/**
 * A write that was refused for the state that the whole server is in: its disk is full or has failed. Whoever
 * watches that state logs it once, so it is not logged again for each write that meets it.
 */
export class WriteRefused extends CofferError {}

/** A field is missing, malformed or out of range. `problem` completes the sentence "{field} ...". */
export function invalid(field: string, problem: string): CofferError {
  return new CofferError("VALIDATION_ERROR", `${field} ${problem}`, field);
}

/** Something stands at a path that has to be free. */
export function pathTaken(by: "file" | "folder", path: string): CofferError {
  return new CofferError("CONFLICT", `The ${by} "${path}" already exists.`);
}

/** Absent, expired or not the caller's: one answer for all three, so that none can be told apart. */
export function notFound(
  noun: "drive" | "file" | "folder" | "key" | "link" | "route" | "session" | "user",
): CofferError {
  return new CofferError("NOT_FOUND", `No such ${noun}.`);
}
