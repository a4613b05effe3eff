import { namedActor } from "../../domain/changes/change.ts";
import { present } from "../../domain/errors.ts";
import type { DrivePk, SnapshotId, SnapshotPk } from "../../domain/id.ts";
import type { Snapshot } from "../../domain/snapshots/snapshot.ts";
import { actorColumns, type ActorRow, type Flagged } from "../expressions.ts";
import type { Database } from "../engine/database.ts";
import { byOwner, type Releaser } from "../contents/blobs.ts";
import type { Connection } from "../engine/connection.ts";

type NewSnapshot = Pick<Snapshot, "id" | "name" | "isAutomatic" | "fileCount" | "totalSize" | "createdAt"> & {
  readonly drive: DrivePk;
  readonly createdBy: string | null;
};

type AutomaticSnapshot = Pick<Snapshot, "pk" | "id" | "drivePk">;

type Row = Flagged<Omit<Snapshot, "createdBy">, "isAutomatic"> & ActorRow;

interface DeletedSnapshot extends Pick<Snapshot, "pk" | "id" | "drivePk" | "number"> {
  readonly before: number;
  readonly after: number | null;
}

const SELECT = `
  SELECT s.pk, s.id, s.drive AS drivePk, d.id AS driveId, s.number, s.name, s.is_automatic AS isAutomatic,
         s.file_count AS fileCount, s.total_size AS totalSize, s.created_at AS createdAt,
         ${actorColumns("s.created_by")}
    FROM snapshot s JOIN drive d ON d.pk = s.drive WHERE s.deleted_at IS NULL`;
/** No folder is brought back to it, or copied from it. A restore also needs the newest one, which undoes it. */
const IS_UNUSED = `NOT EXISTS (
  SELECT 1 FROM folder_work w
   WHERE w.drive = s.drive AND (
     w.snapshot = s.pk OR w.kind = 'rewind' AND s.number = (SELECT era FROM drive WHERE pk = s.drive)))`;

/** What was in a snapshot is in its drive's rows that have not changed since, and in held rows: see `heldRows`. */
export function snapshots({ sql }: Database) {
  const byPk = sql.get<Row, [pk: SnapshotPk], Snapshot>(`${SELECT} AND s.pk = ?`, fromRow);
  const tick = sql.writeOne<number, [drive: DrivePk]>(
    "UPDATE drive SET era = era + 1 WHERE pk = ? RETURNING era",
  );
  const insert = sql.write<[NewSnapshot & { number: number }]>(
    `INSERT INTO snapshot (id, drive, number, name, is_automatic, file_count, total_size, created_at, created_by)
     VALUES (:id, :drive, :number, :name, :isAutomatic, :fileCount, :totalSize, :createdAt, :createdBy)`,
  );
  return {
    byId: sql.get<Row, [id: SnapshotId], Snapshot>(`${SELECT} AND s.id = ?`, fromRow),
    byPk,
    /** The number of a snapshot that a work reads. */
    numberOf: (pk: SnapshotPk) => present(byPk(pk), "the snapshot of a work").number,
    /** Whether none of its drive was taken after it. */
    isNewest: sql.has<[pk: SnapshotPk]>(
      "SELECT 1 FROM snapshot s JOIN drive d ON d.pk = s.drive WHERE s.pk = ? AND s.number = d.era",
    ),
    page: sql.all<Row, [drive: DrivePk, before: number, limit: number], Snapshot>(
      `${SELECT} AND s.drive = ? AND s.number < ? ORDER BY s.number DESC LIMIT ?`,
      fromRow,
    ),
    count: sql.one<{ all: number; automatic: number }, [drive: DrivePk]>(
      `SELECT count(*) AS "all", ifnull(sum(is_automatic), 0) AS automatic FROM snapshot
        WHERE drive = ? AND deleted_at IS NULL`,
    ),
    /** Takes a snapshot of what a drive holds now. Inside a write. */
    insert: (snapshot: NewSnapshot) => insert({ ...snapshot, number: tick(snapshot.drive) }),
    /** Hides a snapshot; the sweep removes what only it needs. */
    markDeleted: sql.write<[pk: SnapshotPk, now: number]>(
      "UPDATE snapshot SET deleted_at = ?2 WHERE pk = ?1",
    ),
    /** The automatic snapshots of a drive but the newest, and but those that are in use. */
    surplusAutomatic: sql.all<AutomaticSnapshot, [drive: DrivePk, keep: number, except: SnapshotPk | null]>(
      `SELECT s.pk, s.id, s.drive AS drivePk FROM snapshot s
        WHERE s.pk IN (SELECT pk FROM snapshot WHERE drive = ? AND is_automatic = 1 AND deleted_at IS NULL
                        ORDER BY number DESC LIMIT -1 OFFSET ?)
          AND s.pk IS NOT ? AND ${IS_UNUSED}`,
    ),
    /** The oldest automatic snapshot of an owner's drives that is not in use; null if there is none. */
    oldestAutomatic: byOwner((isOwned) =>
      sql.get<AutomaticSnapshot, [pk: Releaser["pk"]]>(
        `SELECT s.pk, s.id, s.drive AS drivePk FROM drive d JOIN snapshot s ON s.drive = d.pk
          WHERE ${isOwned} AND s.is_automatic = 1 AND s.deleted_at IS NULL AND ${IS_UNUSED}
          ORDER BY s.created_at LIMIT 1`,
      ),
    ),
    /** The snapshot that was deleted first, with the numbers of the ones before (0) and after (null) that are left. */
    deleted: sql.get<DeletedSnapshot, []>(
      `SELECT s.pk, s.id, s.drive AS drivePk, s.number,
              ifnull((SELECT max(number) FROM snapshot o
                       WHERE o.drive = s.drive AND o.number < s.number AND o.deleted_at IS NULL), 0) AS before,
              (SELECT min(number) FROM snapshot o
                WHERE o.drive = s.drive AND o.number > s.number AND o.deleted_at IS NULL) AS after
         FROM snapshot s INDEXED BY snapshot_deleted
        WHERE s.deleted_at IS NOT NULL AND ${IS_UNUSED} ORDER BY s.deleted_at LIMIT 1`,
    ),
    remove: sql.write<[pk: SnapshotPk]>("DELETE FROM snapshot WHERE pk = ?"),
    /** Removes some snapshots of a deleted drive: from then on nothing is held for them. */
    removeSomeOf: sql.removeSome<[drive: DrivePk]>("snapshot", "drive = ?"),
  };
}

function fromRow({ isAutomatic, actor, actorName, ...snapshot }: Row): Snapshot {
  return { ...snapshot, isAutomatic: isAutomatic === 1, createdBy: namedActor(actor, actorName) };
}

export const HELD = ["held_file", "held_folder"] as const;
export type Held = (typeof HELD)[number];

/** A held row: it is in the snapshots after `era`, up to `until`. */
interface HeldRow {
  readonly pk: number;
  readonly era: number;
  readonly until: number;
}

export type HeldPosition = Pick<HeldRow, "pk" | "until">;

/** What files and folders were when a snapshot was taken, if they changed since: triggers insert these rows. */
export function heldRows({ sql }: Database) {
  return { held_file: statementsOf(sql, "held_file"), held_folder: statementsOf(sql, "held_folder") };
}

function statementsOf(sql: Connection, held: Held) {
  return {
    /** Some rows of a drive after a position, in order; only those before an `until`, unless that is null. */
    some: sql.all<
      HeldRow,
      [drive: DrivePk, afterUntil: number, afterPk: number, before: number | null, limit: number]
    >(
      `SELECT pk, era, until FROM ${held} INDEXED BY ${held}_until
        WHERE drive = ? AND (until, pk) > (?, ?) AND until < ifnull(?, ${Number.MAX_SAFE_INTEGER}) ORDER BY until, pk LIMIT ?`,
    ),
    remove: sql.write<[pk: number]>(`DELETE FROM ${held} WHERE pk = ?`),
    removeSomeOf: sql.removeSome<[drive: DrivePk]>(held, "drive = ?"),
  };
}
