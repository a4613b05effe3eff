import { call } from "./api/api.ts";
import { formatCount } from "./words/format.ts";
import type { Work } from "./api/types.ts";

/** Has a large change of a folder given up. */
export async function cancelWork(drive: string, { id }: Work): Promise<void> {
  await call("POST", `/v0/drives/${drive}/works/${id}/cancel`);
}

/** A kind of work in words. */
interface Words {
  /** What is done; the folder follows. */
  readonly doing: string;
  /** What is left when it is stopped. */
  readonly stopped: string;
}

const WORDS: Readonly<Record<Work["kind"], Words>> = {
  copy: { doing: "Copying", stopped: "What was copied so far is removed." },
  move: { doing: "Moving", stopped: "What was moved so far goes back." },
  delete: { doing: "Deleting", stopped: "What was deleted so far comes back." },
  restore: { doing: "Restoring", stopped: "What was restored so far goes into the trash again." },
  restore_snapshot: {
    doing: "Restoring a snapshot",
    stopped:
      "What was restored so far stays. The newest snapshot was taken right before: it brings back what was there.",
  },
  fork: { doing: "Making a new drive", stopped: "The new drive is removed." },
};

/** What a work does, in words; its folder follows. */
export function doingOf({ kind, state }: Work): string {
  const { doing } = WORDS[kind];
  return state === "undoing" ? `Stopping: ${doing.toLowerCase()}` : doing;
}

/** What stopping a work leaves, in words. */
export function stoppedOf({ kind, if_cancelled: left }: Work): string {
  if (kind === "delete" && left === "left") return "What was deleted so far is gone for good.";
  return WORDS[kind].stopped;
}

/** How far a work is, in words; empty while there is nothing to say. */
export function farOf({ files_done: done, files_total: total }: Work): string {
  if (total !== null) return total === 0 ? "" : `${done.toLocaleString()} of ${formatCount(total, "file")}`;
  return done === 0 ? "" : formatCount(done, "file");
}
