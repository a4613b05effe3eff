import { namedActor } from "../../domain/changes/actor.ts";
import type { DrivePk, SnapshotId, SnapshotPk, UserPk } from "../../domain/id.ts";
import type { Snapshot, SnapshotNumber } from "../../domain/snapshots/snapshot.ts";
import { actorName } from "../changes/actor-names.ts";
import type { Database } from "../engine/database.ts";
import type { Parameters } from "../engine/parameters.ts";
import type { Releaser } from "../contents/released-contents.ts";

export interface NewSnapshot {
  readonly id: SnapshotId;
  readonly drive: DrivePk;
  readonly name: string;
  readonly isAutomatic: boolean;
  readonly fileCount: number;
  /** Bytes. */
  readonly totalSize: number;
  /** Milliseconds since the epoch. */
  readonly createdAt: number;
  /** See `actorText`. */
  readonly createdBy: string | null;
}

/** A snapshot that the server took, and may delete. */
export type AutomaticSnapshot = Pick<Snapshot, "pk" | "id" | "drivePk">;

type Row = Omit<Snapshot, "isAutomatic" | "createdBy"> & {
  readonly isAutomatic: 0 | 1;
  readonly createdBy: string | null;
  readonly createdByName: string | null;
};

type NewRow = Omit<NewSnapshot, "isAutomatic"> & { readonly isAutomatic: 0 | 1; readonly number: number };

const SELECT = `
  SELECT s.pk, s.id, s.drive AS drivePk, d.id AS driveId, s.number, s.name, s.is_automatic AS isAutomatic,
         s.file_count AS fileCount, s.total_size AS totalSize, s.created_at AS createdAt, s.created_by AS createdBy,
         ${actorName("s.created_by")} AS createdByName
    FROM snapshot s JOIN drive d ON d.pk = s.drive WHERE s.deleted_at IS NULL`;
/** No folder is brought back to it, or copied from it. A restore also needs the newest one, which undoes it. */
const IS_UNUSED = `NOT EXISTS (
  SELECT 1 FROM folder_work w
   WHERE w.drive = s.drive AND (
     w.snapshot = s.pk OR w.kind = 'rewind' AND s.number = (SELECT era FROM drive WHERE pk = s.drive)))`;

/**
 * Snapshots. What was in one is in the rows of its drive that have not changed since, and in the held rows: see
 * `HeldRows`.
 */
export class SnapshotsTable {
  readonly #sql;

  constructor({ sql }: Database) {
    this.#sql = {
      byId: sql.prepare<Row, [SnapshotId]>(`${SELECT} AND s.id = ?`),
      byPk: sql.prepare<Row, [SnapshotPk]>(`${SELECT} AND s.pk = ?`),
      isNewest: sql.prepare<object, [SnapshotPk]>(
        "SELECT 1 FROM snapshot s JOIN drive d ON d.pk = s.drive WHERE s.pk = ? AND s.number = d.era",
      ),
      page: sql.prepare<Row, [DrivePk, number, number]>(
        `${SELECT} AND s.drive = ? AND s.number < ? ORDER BY s.number DESC LIMIT ?`,
      ),
      count: sql.prepare<{ all: number; automatic: number }, [DrivePk]>(
        `SELECT count(*) AS "all", ifnull(sum(is_automatic), 0) AS automatic FROM snapshot
        WHERE drive = ? AND deleted_at IS NULL`,
      ),
      tick: sql.prepare<{ era: number }, [DrivePk]>(
        "UPDATE drive SET era = era + 1 WHERE pk = ? RETURNING era",
      ),
      insert: sql.prepare<never, [Parameters<NewRow>]>(
        `INSERT INTO snapshot (id, drive, number, name, is_automatic, file_count, total_size, created_at, created_by)
       VALUES (:id, :drive, :number, :name, :isAutomatic, :fileCount, :totalSize, :createdAt, :createdBy)`,
      ),
      markDeleted: sql.prepare<never, [number, SnapshotPk]>(
        "UPDATE snapshot SET deleted_at = ? WHERE pk = ?",
      ),
      surplus: sql.prepare<AutomaticSnapshot, [{ drive: DrivePk; keep: number; except: SnapshotPk | null }]>(
        `SELECT s.pk, s.id, s.drive AS drivePk FROM snapshot s
        WHERE s.pk IN (SELECT pk FROM snapshot WHERE drive = :drive AND is_automatic = 1 AND deleted_at IS NULL
                        ORDER BY number DESC LIMIT -1 OFFSET :keep)
          AND s.pk IS NOT :except AND ${IS_UNUSED}`,
      ),
      oldestOfDrive: sql.prepare<AutomaticSnapshot, [DrivePk]>(oldestAutomatic("d.pk = ?")),
      oldestOfUser: sql.prepare<AutomaticSnapshot, [UserPk]>(
        oldestAutomatic("d.user = ? AND d.deleted_at IS NULL"),
      ),
      deleted: sql.prepare<
        Pick<Snapshot, "pk" | "id" | "drivePk" | "number"> & {
          readonly before: number;
          readonly after: number | null;
        },
        []
      >(
        `SELECT s.pk, s.id, s.drive AS drivePk, s.number,
              ifnull((SELECT max(number) FROM snapshot o
                       WHERE o.drive = s.drive AND o.number < s.number AND o.deleted_at IS NULL), 0) AS before,
              (SELECT min(number) FROM snapshot o
                WHERE o.drive = s.drive AND o.number > s.number AND o.deleted_at IS NULL) AS after
         FROM snapshot s INDEXED BY snapshot_deleted
        WHERE s.deleted_at IS NOT NULL AND ${IS_UNUSED} ORDER BY s.deleted_at LIMIT 1`,
      ),
      remove: sql.prepare<never, [SnapshotPk]>("DELETE FROM snapshot WHERE pk = ?"),
      removeSome: sql.prepare<never, [DrivePk, number]>(
        "DELETE FROM snapshot WHERE pk IN (SELECT pk FROM snapshot WHERE drive = ? LIMIT ?)",
      ),
    };
  }

  /** The snapshot with this id, unless it is deleted. */
  byId(id: SnapshotId): Snapshot | null {
    return fromRow(this.#sql.byId.get(id));
  }

  /** The snapshot of this row, unless it is deleted. */
  byPk(pk: SnapshotPk): Snapshot | null {
    return fromRow(this.#sql.byPk.get(pk));
  }

  /** The number of a snapshot that a work reads. */
  numberOf(pk: SnapshotPk): SnapshotNumber {
    const snapshot = this.byPk(pk);
    if (snapshot === null) throw new Error("the snapshot of a work is missing");
    return snapshot.number;
  }

  /** Whether none of its drive was taken after it. */
  isNewest(pk: SnapshotPk): boolean {
    return this.#sql.isNewest.get(pk) !== null;
  }

  /** A drive's snapshots before a number, newest first. */
  page(drive: DrivePk, before: number, limit: number): Snapshot[] {
    return this.#sql.page.all(drive, before, limit).flatMap((row) => fromRow(row) ?? []);
  }

  /** How many snapshots a drive has, and how many of these are automatic. */
  count(drive: DrivePk): { readonly all: number; readonly automatic: number } {
    return this.#sql.count.get(drive) ?? { all: 0, automatic: 0 };
  }

  /** Takes a snapshot of what a drive holds now. Inside a write. */
  insert(snapshot: NewSnapshot): void {
    const ticked = this.#sql.tick.get(snapshot.drive);
    if (ticked === null) throw new Error("a snapshot of a drive that is missing");
    this.#sql.insert.run({ ...snapshot, number: ticked.era, isAutomatic: snapshot.isAutomatic ? 1 : 0 });
  }

  /** Hides a snapshot; the sweep removes what only it needs. Inside a write. */
  markDeleted(pk: SnapshotPk, now: number): void {
    this.#sql.markDeleted.run(now, pk);
  }

  /** The automatic snapshots of a drive but the newest, and but those that are in use. */
  surplusAutomatic(drive: DrivePk, keep: number, except: SnapshotPk | null): AutomaticSnapshot[] {
    return this.#sql.surplus.all({ drive, keep, except });
  }

  /** The oldest automatic snapshot of an owner's drives that is not in use; null if there is none. */
  oldestAutomatic(owner: Releaser): AutomaticSnapshot | null {
    return owner.kind === "drive"
      ? this.#sql.oldestOfDrive.get(owner.pk)
      : this.#sql.oldestOfUser.get(owner.pk);
  }

  /** The snapshot that was deleted first, with the numbers of the ones before (0) and after (null) that are left. */
  deleted(): {
    readonly pk: SnapshotPk;
    readonly id: SnapshotId;
    readonly drivePk: DrivePk;
    readonly number: SnapshotNumber;
    readonly before: number;
    readonly after: number | null;
  } | null {
    return this.#sql.deleted.get();
  }

  /** Removes the row of a snapshot that nothing needs. Inside a write. */
  remove(pk: SnapshotPk): void {
    this.#sql.remove.run(pk);
  }

  /** Removes some snapshots of a deleted drive: from then on nothing is held for them. Inside a write. */
  removeSomeOf(drive: DrivePk, limit: number): number {
    return this.#sql.removeSome.run(drive, limit).changes;
  }
}

function oldestAutomatic(ofOwner: string): string {
  return `SELECT s.pk, s.id, s.drive AS drivePk FROM drive d JOIN snapshot s ON s.drive = d.pk
    WHERE ${ofOwner} AND s.is_automatic = 1 AND s.deleted_at IS NULL AND ${IS_UNUSED} ORDER BY s.created_at LIMIT 1`;
}

function fromRow(row: Row | null): Snapshot | null {
  if (row === null) return null;
  const { isAutomatic, createdBy, createdByName, ...snapshot } = row;
  return {
    ...snapshot,
    isAutomatic: isAutomatic === 1,
    createdBy: namedActor(createdBy, createdByName),
  };
}
