import { call } from "./api/api.ts";
import type { Work } from "./api/types.ts";
import { mark, type PlainMessage, plural, t } from "./words/text.ts";

/** Has a large change of a folder given up. */
export async function cancelWork(drive: string, { id }: Work): Promise<void> {
  await call("POST", `/v0/drives/${drive}/works/${id}/cancel`, { untilAnswered: true });
}

const STOPPED: Readonly<Record<Work["kind"], PlainMessage>> = {
  copy: mark("What was copied so far is removed."),
  move: mark("What was moved so far goes back."),
  delete: mark("What was deleted so far comes back."),
  restore: mark("What was restored so far goes into the trash again."),
  restore_snapshot: mark(
    "What was restored so far stays. The newest snapshot was taken right before: it brings back what was there.",
  ),
  fork: mark("The new drive is removed."),
};

/** What stopping a work leaves, in words. */
export function stoppedOf({ kind, if_cancelled: left }: Work): string {
  if (kind === "delete" && left === "left") return t("What was deleted so far is gone for good.");
  return t(STOPPED[kind]);
}

/** How far a work is, in words; empty while there is nothing to say. */
export function farOf({ files_done: done, files_total: total }: Work): string {
  if (total === null) return done === 0 ? "" : plural(done, "{count} file", "{count} files");
  return total === 0 ? "" : plural(total, "{done} of {count} file", "{done} of {count} files", { done });
}
