import { type FolderWork, leavesHalf } from "../../domain/folders/folder.ts";
import { formatInstant } from "../../domain/time.ts";
import type { ShownWork, ToldWork } from "../../services/folders/works-under-way.ts";
import { actorRecord } from "./records.ts";
import type { ToldWorkRecord, WorkRecord } from "./change-schemas.ts";

const KINDS: Readonly<Record<FolderWork["kind"], WorkRecord["kind"]>> = {
  copy: "copy",
  move: "move",
  return: "move",
  remove: "delete",
  reinstate: "delete",
  restore: "restore",
  rewind: "restore_snapshot",
  fork: "fork",
};

export function workRecord({ from, to, progress, fileTotal, ...shown }: ShownWork): WorkRecord {
  return {
    id: shown.id,
    kind: KINDS[shown.work.kind],
    state: shown.isUndone ? "undoing" : "running",
    drive_id: from?.driveId ?? null,
    path: from?.path ?? null,
    destination_drive_id: to?.driveId ?? null,
    destination_path: to?.path ?? null,
    step: Math.min(progress.phase + 1, shown.phases),
    steps: shown.phases,
    files_done: progress.files,
    // Files that expired since it was counted are removed, too.
    files_total: fileTotal === null ? null : Math.max(fileTotal, progress.files),
    if_cancelled: leavesHalf(shown.work) ? "left" : "undone",
    created_at: formatInstant(shown.createdAt),
    created_by: actorRecord(shown.by),
  };
}

/** The same, for a stream: it also tells the end. */
export function toldWorkRecord({ work, hasEnded }: ToldWork): ToldWorkRecord {
  const record = workRecord(work);
  if (!hasEnded) return record;
  return { ...record, state: work.isUndone ? "undone" : "done", step: record.steps };
}
