import { type Actor, actorText, parseActor, type Stamp } from "../domain/actor.ts";
import type { DrivePk, FolderWorkPk, SnapshotPk, TrashPk } from "../domain/id.ts";
import type { FolderWork, WorkPlace } from "../domain/folders/folder-work.ts";
import type { FolderPath } from "../domain/path.ts";
import type { Database } from "./database.ts";
import type { Parameters } from "./parameters.ts";

/** A recorded work. */
export interface RecordedWork {
  readonly pk: FolderWorkPk;
  readonly work: FolderWork;
  /** Who asked for it; null for the server, which undoes another one. */
  readonly by: Actor | null;
}

interface Values {
  readonly kind: FolderWork["kind"];
  readonly drive: DrivePk;
  readonly path: FolderPath;
  readonly top: FolderPath;
  readonly toDrive: DrivePk | null;
  readonly toPath: FolderPath | null;
  readonly toTop: FolderPath | null;
  readonly trash: TrashPk | null;
  readonly snapshot: SnapshotPk | null;
  readonly ownsSnapshot: 0 | 1;
}

type Row = Values & { readonly pk: FolderWorkPk; readonly actor: string | null };
type NewRow = Parameters<Values> & { actor: string | null; now: number; last: FolderWorkPk | 0 };

const SELECT = `SELECT pk, kind, drive, path, top, to_drive AS toDrive, to_path AS toPath, to_top AS toTop, trash,
  snapshot, owns_snapshot AS ownsSnapshot, actor
  FROM folder_work`;

/** Copies, moves, removals and restores of folders that are not finished. Usually there are none. */
export class FolderWorksTable {
  readonly #all;
  readonly #of;
  readonly #insert;
  readonly #replace;
  readonly #remove;
  readonly #removeHistory;
  /** The last number that was given. A work whose row went with its drive may still be running under its own. */
  #last: FolderWorkPk | 0 = 0;

  constructor({ sql }: Database) {
    this.#all = sql.prepare<Row, []>(`${SELECT} ORDER BY pk`);
    this.#of = sql.prepare<Row, [DrivePk]>(`${SELECT} WHERE drive = ?1 OR to_drive = ?1`);
    this.#insert = sql.prepare<{ pk: FolderWorkPk }, [NewRow]>(
      `INSERT INTO folder_work (pk, kind, drive, path, top, to_drive, to_path, to_top, trash, snapshot, owns_snapshot, actor, created_at)
       VALUES (max(:last, (SELECT ifnull(max(pk), 0) FROM folder_work)) + 1, :kind, :drive, :path, :top, :toDrive, :toPath, :toTop, :trash, :snapshot, :ownsSnapshot, :actor, :now)
       RETURNING pk`,
    );
    this.#replace = sql.prepare<never, [Parameters<Values> & { pk: FolderWorkPk }]>(
      `UPDATE folder_work SET kind = :kind, drive = :drive, path = :path, top = :top, to_drive = :toDrive,
              to_path = :toPath, to_top = :toTop, trash = :trash, snapshot = :snapshot, owns_snapshot = :ownsSnapshot,
              actor = NULL
        WHERE pk = :pk`,
    );
    this.#remove = sql.prepare<never, [FolderWorkPk]>("DELETE FROM folder_work WHERE pk = ?");
    this.#removeHistory = sql.prepare<never, [DrivePk]>(
      "DELETE FROM folder_work WHERE drive = ? AND (trash IS NOT NULL OR snapshot IS NOT NULL)",
    );
  }

  /** Every work, oldest first. */
  all(): RecordedWork[] {
    return this.#all.all().map(fromRow);
  }

  /** The works in, from or to a drive. */
  of(drive: DrivePk): RecordedWork[] {
    return this.#of.all(drive).map(fromRow);
  }

  /** Inside a write. */
  insert(work: FolderWork, { now, by }: Stamp): FolderWorkPk {
    const row = this.#insert.get({ ...valuesOf(work), actor: actorText(by), now, last: this.#last });
    if (row === null) throw new Error("an insert returned no row");
    this.#last = row.pk;
    return row.pk;
  }

  /** Replaces a work by the one that undoes it. Inside a write. */
  replace(pk: FolderWorkPk, work: FolderWork): void {
    this.#replace.run({ ...valuesOf(work), pk });
  }

  /** Inside a write. */
  remove(pk: FolderWorkPk): void {
    this.#remove.run(pk);
  }

  /** Removes the works with the trash and the snapshots of a deleted drive, before these go. Inside a write. */
  removeHistoryOf(drive: DrivePk): void {
    this.#removeHistory.run(drive);
  }
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
  const { pk, kind, drive, path, top, toDrive, toPath, toTop, trash, snapshot } = row;
  const by = parseActor(row.actor);
  const from: WorkPlace = { drive, path, top };
  if (kind === "remove") return { pk, by, work: { kind, from, to: null, trash } };
  if (kind === "restore") {
    if (trash === null) throw new Error("a work has no entry of the trash");
    return { pk, by, work: { kind, from, to: null, trash } };
  }
  if (kind === "rewind") {
    if (snapshot === null) throw new Error("a work has no snapshot");
    return { pk, by, work: { kind, from, to: null, snapshot, tally: { removed: 0, restored: 0 } } };
  }
  if (toDrive === null || toPath === null || toTop === null) throw new Error("a work has no destination");
  const to: WorkPlace = { drive: toDrive, path: toPath, top: toTop };
  if (kind === "fork") {
    if (snapshot === null) throw new Error("a work has no snapshot");
    return { pk, by, work: { kind, from, to, snapshot, ownsSnapshot: row.ownsSnapshot === 1 } };
  }
  return { pk, by, work: { kind, from, to } };
}
