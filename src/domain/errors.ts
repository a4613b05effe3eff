/** The closed set of error codes. `http/gate/errors.ts` gives each its HTTP status. */
export type ErrorCode =
  | "VALIDATION_ERROR"
  | "UNAUTHORIZED"
  | "FORBIDDEN"
  | "QUOTA_EXCEEDED"
  | "NOT_FOUND"
  | "METHOD_NOT_ALLOWED"
  | "REQUEST_TIMEOUT"
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
  | "HEADERS_TOO_LARGE"
  | "INTERNAL"
  | "UNAVAILABLE"
  | "STORAGE_FULL";

/** Its message is shown: it must not hold a secret, a path of this machine, or anything the caller may not see. */
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

/** What an error says. */
export function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}

/** The code of a failed system call, such as `ENOENT`; undefined for other errors. */
export function codeOf(error: unknown): unknown {
  return error instanceof Error && "code" in error ? error.code : undefined;
}

/** A write refused because the disk is full or has failed. That is logged once, and not for each refused write. */
export class WriteRefused extends CofferError {}

/** A field is missing, malformed or out of range. `problem` completes the sentence "{field} ...". */
export function invalid(field: string, problem: string): CofferError {
  return new CofferError("VALIDATION_ERROR", `${field} ${problem}`, field);
}

/** A file or folder already exists at a path that must be free. `orElse` completes "Choose another path, or ...". */
export function pathTaken(by: "file" | "folder", path: string, orElse = "delete it first"): CofferError {
  return new CofferError(
    "CONFLICT",
    `The ${by} "${path}" already exists. Choose another path, or ${orElse}.`,
  );
}

const WHERE_TO_LOOK = {
  batch: "List the changes of the drive to see the ids of its batches. Old ones go after a while.",
  change: "List the changes of the drive to see their ids. Old ones go after a while.",
  comment: "List the comments of the file to see their ids. It may be deleted already.",
  drive: "List your drives to see their ids and slugs.",
  file: "List or search the drive to see what is there.",
  folder:
    'List the folders of the drive to see what is there. A path is compared exactly, and ends with "/".',
  key: "List the keys to see their ids. It may be revoked already.",
  link: "Check that it is complete, or ask for a new one.",
  member: "List the members of the drive to see their ids.",
  request: "It may have expired: start again from the application.",
  route: "/docs/api.md lists all routes.",
  session: "List the sessions to see their ids. It may have ended already.",
  snapshot: "List the drive's snapshots to see their ids. It may be deleted already.",
  "trash entry": "List the trash to see what is in it. It may be restored, or deleted for good, already.",
  delivery: "List the deliveries of the webhook to see their ids.",
  user: "List the users to see their ids.",
  version: "List the versions of the file to see their numbers. Old ones go after a while.",
  work: "List the works of the drive to see which are under way. It may have ended already.",
  webhook: "List the webhooks to see their ids.",
} as const;

/** Absent, expired or not the caller's. All three look the same to the caller. */
export function notFound(noun: keyof typeof WHERE_TO_LOOK): CofferError {
  return new CofferError("NOT_FOUND", `No such ${noun}. ${WHERE_TO_LOOK[noun]}`);
}

/** What was looked for. Throws as `notFound` where there is nothing. */
export function orNotFound<T>(value: T | null | undefined, noun: Parameters<typeof notFound>[0]): T {
  if (value === null || value === undefined) throw notFound(noun);
  return value;
}

/** What must be there, such as a row right after its write. Throws Error where it is not. @param what "a webhook" */
export function present<T>(value: T | null, what: string): T {
  if (value === null) throw new Error(`${what} is missing`);
  return value;
}

/** Who sends a request may not act any more, although it could when the request began. */
export function endedMeanwhile(): CofferError {
  return new CofferError(
    "UNAUTHORIZED",
    "The key was revoked or expired, or the session ended, before the request was complete. Nothing was changed: send it again with a valid key.",
  );
}
