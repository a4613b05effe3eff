import { actorText, type NamedActor, namedActor, type Stamp } from "../../domain/changes/change.ts";
import type { DrivePk, FolderWorkPk, SnapshotPk, TrashPk, WorkId } from "../../domain/id.ts";
import { newId } from "../../domain/id.ts";
import type { FolderWork, Undoable, WorkPlace } from "../../domain/folders/folder.ts";
import { present } from "../../domain/errors.ts";
import type { RecordName } from "../../domain/idempotency.ts";
import type { FolderPath } from "../../domain/files/path.ts";
import { actorColumns, type ActorRow, type Flagged } from "../expressions.ts";
import type { Database } from "../engine/database.ts";

/** How far a work is, or what takes it back. */
type WorkProgress = {
  readonly phase: number;
  readonly files: number;
};

/** A recorded work, as it was asked for. */
export interface RecordedWork extends Undoable {
  readonly pk: FolderWorkPk;
  readonly id: WorkId;
  /** Who asked for it; null where that is not known. */
  readonly by: NamedActor | null;
  readonly message: string | null;
  /** Milliseconds since the epoch. */
  readonly createdAt: number;
  readonly progress: WorkProgress;
  /** How many files there will be in the end, about; null if nobody has counted. */
  readonly fileTotal: number | null;
  /** The kept response of a work that was answered before its end; null for none. */
  readonly answer: RecordName | null;
}

type NewWork = Pick<RecordedWork, "work" | "progress" | "fileTotal" | "answer">;

type Values = Pick<WorkPlace, "drive" | "path" | "top"> & {
  readonly kind: FolderWork["kind"];
  readonly toDrive: DrivePk | null;
  readonly toPath: FolderPath | null;
  readonly toTop: FolderPath | null;
  readonly trash: TrashPk | null;
  readonly snapshot: SnapshotPk | null;
  readonly ownsSnapshot: 0 | 1;
};

type Row = Values &
  WorkProgress &
  ActorRow &
  Flagged<Omit<RecordedWork, "work" | "by" | "progress">, "isUndone">;
type NewRow = Values &
  WorkProgress &
  Pick<Row, "id" | "actor" | "message" | "fileTotal" | "answer"> & {
    now: number;
    last: FolderWorkPk | 0;
  };

const SELECT = `SELECT pk, kind, drive, path, top, to_drive AS toDrive, to_path AS toPath, to_top AS toTop, trash,
  snapshot, owns_snapshot AS ownsSnapshot, id, undone AS isUndone, ${actorColumns("actor")}, message, created_at AS createdAt, phase, files_done AS files, files_total AS fileTotal, answer
  FROM folder_work`;

/** Copies, moves, removals and restores of folders that are not finished. Usually there are none. */
export function folderWorks({ sql }: Database) {
  /** The last number that was given. A work whose row went with its drive may still be running under its own. */
  let last: FolderWorkPk | 0 = 0;
  const insert = sql.writeOne<FolderWorkPk, [NewRow]>(
    `INSERT INTO folder_work (pk, kind, drive, path, top, to_drive, to_path, to_top, trash, snapshot, owns_snapshot, actor, message,
                              created_at, id, phase, files_done, files_total, answer)
     VALUES (max(:last, (SELECT ifnull(max(pk), 0) FROM folder_work)) + 1, :kind, :drive, :path, :top, :toDrive, :toPath, :toTop, :trash, :snapshot, :ownsSnapshot, :actor, :message,
             :now, :id, :phase, :files, :fileTotal, :answer)
     RETURNING pk`,
  );
  const isUndone = sql.value<0 | 1, [pk: FolderWorkPk]>("SELECT undone FROM folder_work WHERE pk = ?");
  const advance = sql.write<[pk: FolderWorkPk, phase: number, files: number]>(
    "UPDATE folder_work SET phase = ?2, files_done = ?3 WHERE pk = ?1",
  );
  return {
    all: sql.all<Row, [], RecordedWork>(`${SELECT} ORDER BY pk`, fromRow),
    of: sql.all<Row, [drive: DrivePk], RecordedWork>(`${SELECT} WHERE drive = ?1 OR to_drive = ?1`, fromRow),
    byPk: sql.get<Row, [pk: FolderWorkPk], RecordedWork>(`${SELECT} WHERE pk = ?`, fromRow),
    /** Inside a write. */
    insert: ({ work, progress, fileTotal, answer }: NewWork, { now, by, message = null }: Stamp) => {
      const id = newId<WorkId>(now);
      const actor = actorText(by);
      last = insert({ ...valuesOf(work), ...progress, id, actor, message, now, last, fileTotal, answer });
      return last;
    },
    /** Whether a work is to be taken back. False where there is none. */
    isUndone: (pk: FolderWorkPk) => isUndone(pk) === 1,
    /** Has a work taken back, from its start. Doing so again changes nothing. */
    undo: sql.write<[pk: FolderWorkPk]>(
      `UPDATE folder_work SET undone = 1, phase = 0, files_total = files_done, files_done = 0, answer = NULL
        WHERE pk = ? AND undone = 0`,
    ),
    /** Inside a write. */
    advance: (pk: FolderWorkPk, { phase, files }: WorkProgress) => advance(pk, phase, files),
    remove: sql.write<[pk: FolderWorkPk]>("DELETE FROM folder_work WHERE pk = ?"),
    /** Removes the works with the trash and the snapshots of a deleted drive, before these go. */
    removeHistoryOf: sql.write<[drive: DrivePk]>(
      "DELETE FROM folder_work WHERE drive = ? AND (trash IS NOT NULL OR snapshot IS NOT NULL)",
    ),
  };
}

function valuesOf(work: FolderWork): Values {
  const { kind, from, to } = work;
  return {
    kind,
    ...from,
    toDrive: to?.drive ?? null,
    toPath: to?.path ?? null,
    toTop: to?.top ?? null,
    trash: "trash" in work ? work.trash : null,
    snapshot: "snapshot" in work ? work.snapshot : null,
    ownsSnapshot: work.kind === "fork" && work.ownsSnapshot ? 1 : 0,
  };
}

function fromRow(row: Row): RecordedWork {
  const { pk, id, message, createdAt, phase, files, fileTotal, answer } = row;
  return {
    pk,
    id,
    work: workOf(row),
    isUndone: row.isUndone === 1,
    by: namedActor(row.actor, row.actorName),
    message,
    createdAt,
    progress: { phase, files },
    fileTotal,
    answer,
  };
}

function workOf(row: Row): FolderWork {
  const { kind, drive, path, top, toDrive, toPath, toTop, trash, snapshot } = row;
  const from: WorkPlace = { drive, path, top };
  if (kind === "remove") return { kind, from, to: null, trash };
  if (kind === "restore" || kind === "reinstate")
    return { kind, from, to: null, trash: present(trash, "the entry of a work") };
  const taken = () => present(snapshot, "the snapshot of a work");
  if (kind === "rewind")
    return { kind, from, to: null, snapshot: taken(), tally: { removed: 0, restored: 0 } };
  if (toDrive === null || toPath === null || toTop === null) throw new Error("a work has no destination");
  const to: WorkPlace = { drive: toDrive, path: toPath, top: toTop };
  if (kind === "fork") return { kind, from, to, snapshot: taken(), ownsSnapshot: row.ownsSnapshot === 1 };
  return { kind, from, to };
}
