import type { Database } from "../engine/database.ts";
import { byOwner, type Releaser } from "../contents/released-contents.ts";

/** What is kept of replaced and deleted files, in bytes. */
interface Kept {
  /** Of contents that no file of the drive has; each counts once for a drive. */
  readonly size: number;
  /** Of those among them that snapshots need. */
  readonly held: number;
  /** Of records, without the feed, which has a limit of its own. */
  readonly records: number;
}

/** Of a drive. A change of the feed is counted with 512 bytes. */
const RECORDS = "kept_records - 512 * change_count";

/** How much owners keep. Triggers count it, so each figure costs the same whatever is kept. */
export function keptContents({ sql }: Database) {
  return {
    /** What the drives of an account keep, or an unclaimed drive. */
    of: byOwner((isOwned) =>
      sql.one<Kept, [pk: Releaser["pk"]]>(
        `SELECT ifnull(sum(kept_size), 0) AS size, ifnull(sum(held_size), 0) AS held,
                ifnull(sum(${RECORDS}), 0) AS records
           FROM drive d WHERE ${isOwned}`,
      ),
    ),
    /** Whether there are snapshots that go when room is needed: those that the server took, and deleted ones. */
    hasDroppableSnapshots: byOwner((isOwned) =>
      sql.has<[pk: Releaser["pk"]]>(
        `SELECT 1 FROM drive d JOIN snapshot s ON s.drive = d.pk
          WHERE ${isOwned} AND (s.is_automatic = 1 OR s.deleted_at IS NOT NULL) LIMIT 1`,
      ),
    ),
  };
}
