import {
  isPending,
  isRetryable,
  type QueueView,
  type Upload,
  type UploadState,
  workDone,
  workOf,
} from "./upload.ts";

/** How the queue as a whole is getting on. What was cancelled or skipped counts nowhere else. */
export interface Summary {
  readonly count: number;
  /** What the counted are; `item` where there are both. */
  readonly noun: "file" | "folder" | "item";
  readonly done: number;
  readonly cancelled: number;
  readonly failed: number;
  /** Of those that failed, how many may be tried again. */
  readonly retryable: number;
  /** Bytes, of all that did not fail. */
  readonly size: number;
  /** Bytes. */
  readonly sent: number;
  /** From 0 to 1: small files count by their number as well, so that this grows steadily. */
  readonly share: number;
  readonly isBusy: boolean;
  /** Null while nobody can tell. */
  readonly secondsLeft: number | null;
}

export function summarise({ uploads, pace }: QueueView): Summary {
  let [count, folders, done, cancelled, failed, retryable] = [0, 0, 0, 0, 0, 0];
  let [size, sent, work, worked, isBusy] = [0, 0, 0, 0, false];
  for (const upload of uploads) {
    if (isPending(upload)) isBusy = true;
    if (upload.state === "cancelled") cancelled += 1;
    if (upload.state === "cancelled" || upload.state === "skipped") continue;
    count += 1;
    if (upload.file === null) folders += 1;
    if (upload.state === "done") done += 1;
    if (upload.state === "failed") {
      failed += 1;
      if (isRetryable(upload)) retryable += 1;
    } else {
      size += upload.size;
      sent += upload.sent;
      work += workOf(upload);
      worked += workDone(upload);
    }
  }
  const share = work === 0 ? 0 : worked / work;
  const secondsLeft = isBusy && pace > 0 ? (work - worked) / pace : null;
  const noun = folders === 0 ? "file" : folders === count ? "folder" : "item";
  return { count, noun, done, cancelled, failed, retryable, size, sent, share, isBusy, secondsLeft };
}

const URGENCY: readonly UploadState[] = [
  "asking",
  "failed",
  "sending",
  "waiting",
  "cancelled",
  "skipped",
  "done",
];

/** The first `most` uploads, those that need somebody or are moving before the others. */
export function mostUrgent(uploads: readonly Upload[], most: number): Upload[] {
  const chosen: Upload[] = [];
  for (const state of URGENCY) {
    for (const upload of uploads) {
      if (upload.state !== state) continue;
      chosen.push(upload);
      if (chosen.length === most) return chosen;
    }
  }
  return chosen;
}
