import type { ErrorCode } from "../../domain/errors.ts";
import { isGuardedPath } from "../gate/guarded-paths.ts";
import type { OperationDetail } from "../operation/describe.ts";
import type { Route } from "../operation/route.ts";
import { isStrictPath } from "../operation/unknown-names.ts";

export interface PlacedOperation {
  /** In upper case. */
  readonly method: string;
  /** With `{name}` for parameters. */
  readonly path: string;
  readonly detail: OperationDetail;
}

/** All operations among the routes, in their order. */
export function operationsIn(routes: readonly Route[]): PlacedOperation[] {
  return routes.flatMap(({ method, path, detail }) =>
    detail === undefined
      ? []
      : [{ method, path: path.replaceAll(/:(\w+)/g, "{$1}"), detail: detail.describe() }],
  );
}

/** All error codes of an operation: its own, and those of all operations like it. */
export function errorsOf({ method, path, detail }: PlacedOperation): ReadonlySet<ErrorCode> {
  const isPublic = !needsKey({ path, detail });
  const isKeyed = detail["x-keyed"];
  const errors = new Set(detail["x-errors"]);
  errors.add("INTERNAL").add("UNAVAILABLE");
  if (isGuardedPath(path)) errors.add("RATE_LIMITED");
  if (!isPublic) errors.add("UNAUTHORIZED");
  if (!isPublic && method !== "GET") errors.add("FORBIDDEN");
  if (isKeyed || isStrictPath(path) || detail.parameters.length > 0 || detail.requestBody !== undefined)
    errors.add("VALIDATION_ERROR");
  if (detail.requestBody !== undefined) errors.add("UNSUPPORTED_MEDIA_TYPE");
  // A long body is refused also where none is read.
  if (method !== "GET") errors.add("PAYLOAD_TOO_LARGE");
  // Responses to callers without a key do not count.
  if (isKeyed && !isPublic) errors.add("QUOTA_EXCEEDED");
  if (isKeyed) errors.add("IDEMPOTENCY_IN_PROGRESS").add("IDEMPOTENCY_KEY_REUSED").add("STORAGE_FULL");
  return errors;
}

/** Whether an operation needs a key or a session. */
export function needsKey({ path, detail }: Omit<PlacedOperation, "method">): boolean {
  return isGuardedPath(path) && !detail["x-public"];
}
