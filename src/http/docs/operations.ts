import type { ErrorCode } from "../../domain/errors.ts";
import { isGuardedPath } from "../gate/guarded-paths.ts";
import type { OperationDetail } from "../operation/describe.ts";

/** Operations by path and lower-case method. */
export type Operations = Readonly<Record<string, Readonly<Record<string, OperationDetail>>>>;

/** All error codes of an operation: its own, and those of all operations like it. */
export function errorsOf(path: string, method: string, detail: OperationDetail): ReadonlySet<ErrorCode> {
  const isPublic = !needsKey(path, detail);
  const isKeyed = detail["x-keyed"];
  const errors = new Set(detail["x-errors"]);
  errors.add("INTERNAL").add("UNAVAILABLE");
  if (isGuardedPath(path)) errors.add("RATE_LIMITED");
  if (!isPublic) errors.add("UNAUTHORIZED");
  if (!isPublic && method !== "get") errors.add("FORBIDDEN");
  if (isKeyed || detail.parameters.length > 0 || detail.requestBody !== undefined)
    errors.add("VALIDATION_ERROR");
  if (detail.requestBody !== undefined) errors.add("UNSUPPORTED_MEDIA_TYPE");
  // A long body is refused also where none is read.
  if (method !== "get") errors.add("PAYLOAD_TOO_LARGE");
  // Responses to callers without a key do not count.
  if (isKeyed && !isPublic) errors.add("QUOTA_EXCEEDED");
  if (isKeyed) errors.add("IDEMPOTENCY_IN_PROGRESS").add("IDEMPOTENCY_KEY_REUSED").add("STORAGE_FULL");
  return errors;
}

/** Whether an operation needs a key or a session. */
export function needsKey(path: string, detail: OperationDetail): boolean {
  return isGuardedPath(path) && !detail["x-public"];
}
