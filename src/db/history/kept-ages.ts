import type { DrivePk, FileVersionPk, TrashPk } from "../../domain/id.ts";
import type { Database } from "../engine/database.ts";
import { byOwner, type Releaser } from "../contents/released-contents.ts";

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

/** Versions and entries of the trash by their age. */
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
    /** The oldest entry of the trash, of a drive or any. */
    entry: (drive: DrivePk | null) => (drive === null ? anyEntry() : entry(drive)),
  };
}
