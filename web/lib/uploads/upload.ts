import type { ApiError } from "../api.ts";

/** `asking` waits for the person to decide about a file that stands there already. */
export type UploadState = "waiting" | "sending" | "asking" | "done" | "skipped" | "cancelled" | "failed";

/** What becomes of a file whose place is taken. */
export type Decision = "replace" | "keep-both" | "skip";

/** One file on its way; never changed, but replaced by a newer one. */
export interface Upload {
  readonly id: number;
  readonly driveId: string;
  /** Where it goes, or went. */
  readonly path: string;
  readonly file: File;
  readonly state: UploadState;
  /** Bytes. */
  readonly sent: number;
  readonly error: ApiError | null;
  readonly decision: Decision | null;
}

/** The queue at one moment. */
export interface QueueView {
  readonly uploads: readonly Upload[];
  /** Bytes a second. */
  readonly speed: number;
  /** Whether it leaves the server alone for a while, because of its limit of requests. */
  readonly isPaused: boolean;
}

/** Whether an upload is not over yet. */
export function isPending({ state }: Upload): boolean {
  return state === "waiting" || state === "sending" || state === "asking";
}
