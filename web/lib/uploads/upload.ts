import type { Decision } from "../files/taken.ts";

/** `asking` waits for a decision about a file that exists already. */
export type UploadState = "waiting" | "sending" | "asking" | "done" | "skipped" | "cancelled" | "failed";

/** Why an upload failed, as an `ApiError` says it. */
export interface UploadError {
  readonly code: string;
  readonly message: string;
  /** Undefined where the server was not asked. */
  readonly requestId: string | undefined;
}

/** The upload of a file or an empty folder. Immutable: a change replaces it. */
export interface Upload {
  readonly id: number;
  readonly driveId: string;
  /** Its path in the drive; a folder's ends in a slash. */
  readonly path: string;
  /** Null for a folder. */
  readonly file: File | null;
  /** Bytes. */
  readonly size: number;
  readonly state: UploadState;
  /** Bytes. */
  readonly sent: number;
  readonly error: UploadError | null;
  readonly decision: Decision | null;
}

/** The queue at one moment. */
export interface QueueView {
  readonly uploads: readonly Upload[];
  /** Bytes a second. */
  readonly speed: number;
  /** In units of `workOf`, a second. */
  readonly pace: number;
  /** Whether the queue waits until the server can be reached again. */
  readonly isAway: boolean;
  /** Seconds that the queue pauses because of the rate limit; null if it does not. */
  readonly rest: number | null;
}

/** Whether an upload is unfinished. */
export function isPending({ state }: Upload): boolean {
  return state === "waiting" || state === "sending" || state === "asking";
}

/** The code of the error of a file that is larger than the server takes. */
export const TOO_LARGE = "PAYLOAD_TOO_LARGE";

/** Whether it can be tried again: it was cancelled, or failed for a reason other than its size. */
export function isRetryable({ state, error }: Upload): boolean {
  return state === "cancelled" || (state === "failed" && error?.code !== TOO_LARGE);
}

/** The cost of a request beside its content, in bytes: a thousand small files take longer than a large one. */
export const REQUEST_WORK = 32 * 1024;

/** The work of an upload, comparable between small and large files. */
export function workOf({ size }: Upload): number {
  return size + REQUEST_WORK;
}

/** How much of `workOf` is done. */
export function workDone({ state, sent }: Upload): number {
  return state === "done" ? sent + REQUEST_WORK : sent;
}
