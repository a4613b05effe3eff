import { isPending, type QueueView, type Upload, type UploadState } from "./upload.ts";

/** How the queue as a whole is getting on. Bytes and counts leave out what was cancelled or skipped. */
export interface Summary {
  readonly count: number;
  readonly done: number;
  readonly failed: number;
  readonly size: number;
  readonly sent: number;
  readonly isBusy: boolean;
  /** Seconds; null while nobody can tell. */
  readonly secondsLeft: number | null;
}

export function summarise({ uploads, speed }: QueueView): Summary {
  let [count, done, failed, size, sent, isBusy] = [0, 0, 0, 0, 0, false];
  for (const upload of uploads) {
    if (isPending(upload)) isBusy = true;
    if (upload.state === "cancelled" || upload.state === "skipped") continue;
    count += 1;
    if (upload.state === "done") done += 1;
    if (upload.state === "failed") failed += 1;
    else {
      size += upload.file.size;
      sent += upload.sent;
    }
  }
  const secondsLeft = isBusy && speed > 0 ? (size - sent) / speed : null;
  return { count, done, failed, size, sent, isBusy, secondsLeft };
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
