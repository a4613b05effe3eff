import type { Database } from "../engine/database.ts";
import { byOwner, type Releaser } from "../contents/blobs.ts";
import type { DrivePk, FileVersionPk, TrashPk } from "../../domain/id.ts";

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

/** How much owners keep. Triggers count it, so each figure costs the same whatever is kept. */
export function keptContents({ sql }: Database) {
  return {
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

/** The oldest of what is kept of one kind: in a drive, or anywhere if that is null. */
export interface OldestKept {
  readonly kind: "version" | "entry";
  readonly drive: DrivePk | null;
  /** When it was replaced or deleted, in milliseconds since the epoch. */
  readonly at: number;
}

export interface KeptThing<Pk> {
  readonly pk: Pk;
  /** Bytes. */
  readonly size: number;
}

/** Some versions, or entries of the trash, in the order of their keys. */
export interface KeptPage {
  readonly count: number;
  /** Bytes; equal contents count each time. */
  readonly bytes: number;
  /** Null if there is none. */
  readonly last: number | null;
}

/** How much is kept in all drives, a page at a time: nobody counts it. */
export function keptPages({ sql }: Database) {
  const page = (table: string, bytes: string) =>
    sql.one<KeptPage, [after: number, limit: number]>(
      `SELECT count(*) AS count, ifnull(sum(bytes), 0) AS bytes, max(pk) AS last
         FROM (SELECT pk, ${bytes} AS bytes FROM ${table} WHERE pk > ? ORDER BY pk LIMIT ?) page`,
    );
  return {
    versions: page("file_version", "size"),
    /** What is gone counts no bytes. */
    trash: page("trash", "iif(state = 'gone', 0, size)"),
  };
}

interface DriveRow {
  /** Null for all drives together. */
  readonly drive: DrivePk | null;
  readonly version: number | null;
  readonly entry: number | null;
}

const OF_DRIVES = `
  SELECT d.pk AS drive, (SELECT min(v.replaced_at) FROM file_version v WHERE v.drive = d.pk) AS version,
         (SELECT t.deleted_at FROM trash t INDEXED BY trash_drive WHERE t.drive = d.pk AND t.state = 'kept'
           ORDER BY t.deleted_at LIMIT 1) AS entry
    FROM drive d WHERE d.kept_records > 0`;

export function keptAges({ sql }: Database) {
  const ofOwner = byOwner((isOwned) =>
    sql.all<DriveRow, [pk: Releaser["pk"]]>(`${OF_DRIVES} AND ${isOwned}`),
  );
  const ofAll = sql.all<DriveRow, []>(
    `SELECT NULL AS drive, (SELECT min(replaced_at) FROM file_version) AS version,
            (SELECT deleted_at FROM trash INDEXED BY trash_age WHERE state = 'kept' ORDER BY deleted_at LIMIT 1) AS entry`,
  );
  const versions = sql.all<KeptThing<FileVersionPk>, [drive: DrivePk, until: number, limit: number]>(
    "SELECT pk, size FROM file_version WHERE drive = ? AND replaced_at <= ? ORDER BY replaced_at LIMIT +?",
  );
  const anyVersions = sql.all<KeptThing<FileVersionPk>, [until: number, limit: number]>(
    "SELECT pk, size FROM file_version WHERE replaced_at <= ? ORDER BY replaced_at LIMIT +?",
  );
  const entry = sql.get<KeptThing<TrashPk>, [drive: DrivePk]>(
    `SELECT pk, size FROM trash INDEXED BY trash_drive WHERE drive = ? AND state = 'kept'
      ORDER BY deleted_at LIMIT 1`,
  );
  const anyEntry = sql.get<KeptThing<TrashPk>, []>(
    "SELECT pk, size FROM trash INDEXED BY trash_age WHERE state = 'kept' ORDER BY deleted_at LIMIT 1",
  );
  return {
    /** The oldest of each kind in each drive of an owner, or of all owners; oldest first. */
    oldest: (owner: Releaser | "all") =>
      (owner === "all" ? ofAll() : ofOwner(owner))
        .flatMap((row): OldestKept[] => [
          ...(row.version === null ? [] : [{ kind: "version", drive: row.drive, at: row.version } as const]),
          ...(row.entry === null ? [] : [{ kind: "entry", drive: row.drive, at: row.entry } as const]),
        ])
        .toSorted((a, b) => a.at - b.at),
    /** Up to `limit` versions, of a drive or any, that were replaced until a time; oldest first. */
    versions: (drive: DrivePk | null, until: number, limit: number) =>
      drive === null ? anyVersions(until, limit) : versions(drive, until, limit),
    entry: (drive: DrivePk | null) => (drive === null ? anyEntry() : entry(drive)),
  };
}
