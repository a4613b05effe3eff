import type { DrivePk, TrashId } from "../../domain/id.ts";
import type { TrashedPlace, TrashEntry, TrashPosition } from "../../domain/history/history.ts";
import { namedActor } from "../../domain/changes/change.ts";
import { actorName } from "../changes/actor-names.ts";
import { driveIsAlive } from "../alive.ts";
import type { Database } from "../engine/database.ts";

/** Which entries of the trash a list shows. Times are milliseconds since the epoch. */
interface TrashSelection {
  readonly drives: readonly DrivePk[];
  /** Only entries that were deleted after this. */
  readonly since: number;
  readonly now: number;
}

type Row = Omit<TrashEntry, "kind" | "path" | "deletedBy"> &
  TrashedPlace & { readonly deletedBy: string | null; readonly deletedByName: string | null };

const EXPIRING = "FROM trash_file x INDEXED BY trash_file_entry_expiry WHERE x.entry = t.pk";

function columns(now: ":now" | "?3"): string {
  const expired = `${EXPIRING} AND x.expires_at <= ${now}`;
  return `t.pk, t.id, t.drive AS drivePk, d.id AS driveId, t.kind, t.path, t.deleted_at AS deletedAt,
    t.size - (SELECT ifnull(sum(x.size), 0) ${expired}) AS size, t.file_count - (SELECT count(*) ${expired}) AS fileCount,
    iif(t.kind = 'file', (SELECT max(x.expires_at) ${EXPIRING} AND x.expires_at > ${now}), NULL) AS fileExpiresAt,
    t.deleted_by AS deletedBy, ${actorName("t.deleted_by")} AS deletedByName`;
}

/** The keys of a drive's entries after a position, newest first. */
function entriesOf(drive: string): string {
  return `SELECT e.pk FROM trash e INDEXED BY trash_drive
           WHERE e.drive = ${drive} AND e.state = 'kept' AND e.deleted_at > :since AND (e.deleted_at, e.id) < (:at, :id)
           ORDER BY e.deleted_at DESC, e.id DESC`;
}

/** The trash as readers see it: what is to be emptied, and what was deleted too long ago, is not in it. */
export function trashLists({ sql }: Database) {
  const page = sql.all<
    Row,
    [{ drives: string; since: number; now: number; at: number; id: string; limit: number }],
    TrashEntry
  >(
    // First the drives that come into question, by their newest entries, then a page of each: what else the drives
    // hold costs nothing.
    `SELECT ${columns(":now")}
       FROM (SELECT h.drive FROM json_each(:drives) CROSS JOIN trash h
              ON h.pk = (${entriesOf("json_each.value")} LIMIT 1)
              ORDER BY h.deleted_at DESC, h.id DESC LIMIT :limit) page
       CROSS JOIN trash t ON t.pk IN (${entriesOf("page.drive")} LIMIT :limit)
       JOIN drive d ON d.pk = t.drive
      ORDER BY t.deleted_at DESC, t.id DESC LIMIT :limit`,
    fromRow,
  );
  return {
    /** An entry; null if there is none, or its drive is gone. */
    byId: sql.get<Row, [id: TrashId, since: number, now: number], TrashEntry>(
      `SELECT ${columns("?3")} FROM trash t JOIN drive d ON d.pk = t.drive
        WHERE t.id = ?1 AND t.state <> 'gone' AND t.deleted_at > ?2 AND ${driveIsAlive("?3")}`,
      fromRow,
    ),
    /**
     * Up to `limit` entries after a position, newest first, but none that a work still fills. A file that has expired has
     * an entry with no file still.
     */
    page: ({ drives, since, now }: TrashSelection, after: TrashPosition | null, limit: number) => {
      const { deletedAt: at, id } = after ?? { deletedAt: Number.MAX_SAFE_INTEGER, id: "" };
      return page({ drives: JSON.stringify(drives), since, now, at, id, limit });
    },
  };
}

function fromRow({ deletedBy, deletedByName, ...entry }: Row): TrashEntry {
  return { ...entry, deletedBy: namedActor(deletedBy, deletedByName) };
}
