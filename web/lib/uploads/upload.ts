/** `asking` waits for the person to decide about a file that stands there already. */
export type UploadState = "waiting" | "sending" | "asking" | "done" | "skipped" | "cancelled" | "failed";

/** What becomes of a file whose place is taken. */
export type Decision = "replace" | "keep-both" | "skip";

/** Why an upload failed, as an `ApiError` says it. */
export interface UploadError {
  readonly code: string;
  readonly message: string;
  /** Undefined where the server was not asked. */
  readonly requestId: string | undefined;
}

/** A file on its way, or a folder that holds nothing; never changed, but replaced by a newer one. */
export interface Upload {
  readonly id: number;
  readonly driveId: string;
  /** Where it goes, or went; a folder's ends in a slash. */
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
  /** How much of `workOf` is done in a second. */
  readonly pace: number;
  /** Seconds for which it leaves the server alone, because of its limit of requests; null while it does not. */
  readonly rest: number | null;
}

/** Whether an upload is not over yet. */
export function isPending({ state }: Upload): boolean {
  return state === "waiting" || state === "sending" || state === "asking";
}

/** The code of the error of a file that is larger than the server takes. */
export const TOO_LARGE = "PAYLOAD_TOO_LARGE";

/** Whether sending it again may help: somebody cancelled it, or it failed for another reason than its size. */
export function isRetryable({ state, error }: Upload): boolean {
  return state === "cancelled" || (state === "failed" && error?.code !== TOO_LARGE);
}

/** What a request takes beside its content, as bytes: a thousand small files take longer than a large one. */
export const REQUEST_WORK = 32 * 1024;

/** How much there is to do for an upload, comparable between small and large ones. */
export function workOf({ size }: Upload): number {
  return size + REQUEST_WORK;
}

/** How much of `workOf` is done. */
export function workDone({ state, sent }: Upload): number {
  return state === "done" ? sent + REQUEST_WORK : sent;
}
