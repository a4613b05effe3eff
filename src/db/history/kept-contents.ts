import type { DrivePk, UserPk } from "../../domain/id.ts";
import type { Database } from "../engine/database.ts";
import type { Releaser } from "../contents/released-contents.ts";

/** What is kept of replaced and deleted files, in bytes. */
export interface Kept {
  /** Of contents that no file of the drive has; each counts once for a drive. */
  readonly size: number;
  /** Of those among them that snapshots need. */
  readonly held: number;
  /** Of records, without the feed, which has a limit of its own. */
  readonly records: number;
}

/** Of a drive. A change of the feed is counted with 512 bytes. */
const RECORDS = "kept_records - 512 * change_count";
/** Of a snapshot. */
const IS_DROPPABLE = "(s.is_automatic = 1 OR s.deleted_at IS NOT NULL)";
const NOTHING: Kept = { size: 0, held: 0, records: 0 };

/** How much owners keep. Triggers count it, so each figure costs the same whatever is kept. */
export function keptContents({ sql }: Database) {
  const ofDrive = sql.get<Kept, [drive: DrivePk]>(
    `SELECT kept_size AS size, held_size AS held, ${RECORDS} AS records FROM drive WHERE pk = ?`,
  );
  const ofUser = sql.get<Kept, [user: UserPk]>(
    `SELECT ifnull(sum(kept_size), 0) AS size, ifnull(sum(held_size), 0) AS held,
            ifnull(sum(${RECORDS}), 0) AS records
       FROM drive WHERE user = ? AND deleted_at IS NULL`,
  );
  const hasDroppableOfDrive = sql.has<[drive: DrivePk]>(
    `SELECT 1 FROM snapshot s WHERE s.drive = ? AND ${IS_DROPPABLE} LIMIT 1`,
  );
  const hasDroppableOfUser = sql.has<[user: UserPk]>(
    `SELECT 1 FROM drive d JOIN snapshot s ON s.drive = d.pk
      WHERE d.user = ? AND d.deleted_at IS NULL AND ${IS_DROPPABLE} LIMIT 1`,
  );
  return {
    /** What the drives of an account keep, or an unclaimed drive. */
    of: (owner: Releaser) => (owner.kind === "drive" ? ofDrive(owner.pk) : ofUser(owner.pk)) ?? NOTHING,
    /** Whether there are snapshots that go when room is needed: those that the server took, and deleted ones. */
    hasDroppableSnapshots: (owner: Releaser) =>
      owner.kind === "drive" ? hasDroppableOfDrive(owner.pk) : hasDroppableOfUser(owner.pk),
  };
}
