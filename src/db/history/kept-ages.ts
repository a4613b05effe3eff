import type { DrivePk, FileVersionPk, TrashPk, UserPk } from "../../domain/id.ts";
import type { Database } from "../engine/database.ts";
import type { Releaser } from "../contents/released-contents.ts";

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
  readonly drive: DrivePk;
  readonly version: number | null;
  readonly entry: number | null;
}

const OF_DRIVES = `
  SELECT d.pk AS drive, (SELECT min(v.replaced_at) FROM file_version v WHERE v.drive = d.pk) AS version,
         (SELECT t.deleted_at FROM trash t INDEXED BY trash_drive WHERE t.drive = d.pk AND t.state = 'kept'
           ORDER BY t.deleted_at LIMIT 1) AS entry
    FROM drive d WHERE d.kept_records > 0`;

/** Versions and entries of the trash by their age. */
export class KeptAges {
  readonly #sql;

  constructor({ sql }: Database) {
    this.#sql = {
      ofDrive: sql.prepare<DriveRow, [DrivePk]>(`${OF_DRIVES} AND d.pk = ?`),
      ofUser: sql.prepare<DriveRow, [UserPk]>(`${OF_DRIVES} AND d.user = ? AND d.deleted_at IS NULL`),
      ofAll: sql.prepare<Omit<DriveRow, "drive">, []>(
        `SELECT (SELECT min(replaced_at) FROM file_version) AS version,
              (SELECT deleted_at FROM trash INDEXED BY trash_age WHERE state = 'kept' ORDER BY deleted_at LIMIT 1) AS entry`,
      ),
      versions: sql.prepare<KeptThing<FileVersionPk>, [DrivePk, number, number]>(
        "SELECT pk, size FROM file_version WHERE drive = ? AND replaced_at <= ? ORDER BY replaced_at LIMIT +?",
      ),
      anyVersions: sql.prepare<KeptThing<FileVersionPk>, [number, number]>(
        "SELECT pk, size FROM file_version WHERE replaced_at <= ? ORDER BY replaced_at LIMIT +?",
      ),
      entry: sql.prepare<KeptThing<TrashPk>, [DrivePk]>(
        `SELECT pk, size FROM trash INDEXED BY trash_drive WHERE drive = ? AND state = 'kept'
        ORDER BY deleted_at LIMIT 1`,
      ),
      anyEntry: sql.prepare<KeptThing<TrashPk>, []>(
        "SELECT pk, size FROM trash INDEXED BY trash_age WHERE state = 'kept' ORDER BY deleted_at LIMIT 1",
      ),
    };
  }

  /** The oldest of each kind in each drive of an owner, or of all owners; oldest first. */
  oldest(owner: Releaser | "all"): OldestKept[] {
    return this.#rows(owner)
      .flatMap(({ drive, version, entry }): OldestKept[] => [
        ...(version === null ? [] : [{ kind: "version", drive, at: version } as const]),
        ...(entry === null ? [] : [{ kind: "entry", drive, at: entry } as const]),
      ])
      .toSorted((a, b) => a.at - b.at);
  }

  /** Up to `limit` versions, of a drive or any, that were replaced until a time; oldest first. */
  versions(drive: DrivePk | null, until: number, limit: number): KeptThing<FileVersionPk>[] {
    return drive === null
      ? this.#sql.anyVersions.all(until, limit)
      : this.#sql.versions.all(drive, until, limit);
  }

  /** The oldest entry of the trash, of a drive or any. */
  entry(drive: DrivePk | null): KeptThing<TrashPk> | null {
    return drive === null ? this.#sql.anyEntry.get() : this.#sql.entry.get(drive);
  }

  #rows(owner: Releaser | "all"): (Omit<DriveRow, "drive"> & { readonly drive: DrivePk | null })[] {
    if (owner === "all") return this.#sql.ofAll.all().map((row) => ({ ...row, drive: null }));
    return owner.kind === "drive" ? this.#sql.ofDrive.all(owner.pk) : this.#sql.ofUser.all(owner.pk);
  }
}
