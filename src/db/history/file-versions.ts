import { actorText, namedActor, type Stamp } from "../../domain/changes/actor.ts";
import type { File } from "../../domain/files/file.ts";
import type { FileVersion } from "../../domain/history/file-version.ts";
import type { DrivePk, FileId, FilePk, FileVersionPk, TrashedFilePk } from "../../domain/id.ts";
import type { FolderPath } from "../../domain/files/path.ts";
import type { KeptWindow } from "../../domain/history/retention.ts";
import { actorName } from "../changes/actor-names.ts";
import type { Database } from "../engine/database.ts";

/** How many versions of one file one write removes. */
const REMOVED_AT_ONCE = 100;

/** The file whose versions are asked for. Those that it has from another drive are not among them. */
export type VersionedFile = Pick<File, "id" | "drivePk">;

/** Which versions a reader sees: those that are kept, and were made while the file was in a folder. */
export interface ShownVersions extends KeptWindow {
  /** The root for all, also those of which it is not known where they were made. */
  readonly folder: FolderPath;
}

export interface VersionCount {
  readonly file: FileId;
  readonly versions: number;
}

export interface GoneFile {
  readonly id: FileId;
  /** Whether it is there again. */
  readonly isBack: boolean;
  /** Whether it is in the trash, or a snapshot has it: it may come back. */
  readonly isKept: boolean;
}

type GoneFileRow = Pick<GoneFile, "id"> & { readonly isBack: 0 | 1; readonly isKept: 0 | 1 };

interface Shown extends Record<string, string | number> {
  readonly file: FileId;
  readonly drive: DrivePk;
  readonly now: number;
  readonly since: number;
  readonly versions: number;
  readonly folder: FolderPath;
}

type Row = Omit<FileVersion, "mimeGiven" | "replacedBy"> & {
  readonly mimeGiven: 0 | 1;
  readonly replacedBy: string | null;
  readonly replacedByName: string | null;
};

const SELECT = `
  SELECT v.pk, v.version, v.filename, v.mime_type AS mimeType, v.mime_given AS mimeGiven, v.size, v.blob AS blobPk,
         b.digest, b.preview, v.replaced_at AS replacedAt, v.replaced_by AS replacedBy,
         ${actorName("v.replaced_by")} AS replacedByName
    FROM file_version v JOIN blob b ON b.pk = v.blob`;
/** The newest of a file's versions that are kept, have not expired, and were made in the folder. */
const IS_SHOWN = `v.file_id = :file AND v.drive = :drive AND v.replaced_at > :since
   AND (v.expires_at IS NULL OR v.expires_at > :now)
   AND (:folder = '' OR substr(v.path, 1, length(:folder)) = :folder)
   AND v.version > ifnull(
     (SELECT o.version FROM file_version o WHERE o.file_id = :file ORDER BY o.version DESC LIMIT 1 OFFSET :versions), 0)`;

/** The contents that files had before. */
export class FileVersionsTable {
  readonly #sql;

  constructor({ sql }: Database) {
    this.#sql = {
      keep: sql.prepare<never, [{ pk: FilePk; now: number; by: string | null }]>(
        `INSERT INTO file_version (drive, file_id, version, filename, mime_type, mime_given, size, blob, expires_at,
                                 path, replaced_at, replaced_by)
       SELECT drive, id, version, filename, mime_type, mime_given, size, blob, expires_at, path, :now, :by
         FROM file WHERE pk = :pk`,
      ),
      keepTrashed: sql.prepare<never, [{ pk: TrashedFilePk; now: number; by: string | null }]>(
        `INSERT INTO file_version (drive, file_id, version, filename, mime_type, mime_given, size, blob, expires_at,
                                 path, replaced_at, replaced_by)
       SELECT f.drive, file_id, version, filename, mime_type, mime_given, f.size, blob, expires_at, t.path || f.path, :now,
              :by
         FROM trash_file f JOIN trash t ON t.pk = f.entry WHERE f.pk = :pk`,
      ),
      next: sql.prepare<{ next: number }, [FileId]>(
        "SELECT ifnull(max(version), 0) + 1 AS next FROM file_version WHERE file_id = ?",
      ),
      trim: sql.prepare<never, [{ file: FileId; limit: number; most: number }]>(
        `DELETE FROM file_version WHERE pk IN
         (SELECT pk FROM file_version WHERE file_id = :file ORDER BY version DESC LIMIT +:most OFFSET :limit)`,
      ),
      page: sql.prepare<Row, [Shown & { before: number; limit: number }]>(
        `${SELECT} WHERE ${IS_SHOWN} AND v.version < :before ORDER BY v.version DESC LIMIT +:limit`,
      ),
      count: sql.prepare<{ total: number }, [Shown]>(
        `SELECT count(*) AS total FROM file_version v WHERE ${IS_SHOWN}`,
      ),
      get: sql.prepare<Row, [Shown & { version: number }]>(
        `${SELECT} WHERE ${IS_SHOWN} AND v.version = :version`,
      ),
      remove: sql.prepare<never, [FileVersionPk]>("DELETE FROM file_version WHERE pk = ?"),
      removeSome: sql.prepare<never, [DrivePk, number]>(
        "DELETE FROM file_version WHERE pk IN (SELECT pk FROM file_version WHERE drive = ? LIMIT ?)",
      ),
      removeOld: sql.prepare<never, [number, number]>(
        `DELETE FROM file_version WHERE pk IN
         (SELECT pk FROM file_version WHERE replaced_at <= ? ORDER BY replaced_at LIMIT ?)`,
      ),
      removeExpired: sql.prepare<never, [number, number]>(
        `DELETE FROM file_version WHERE pk IN
         (SELECT pk FROM file_version WHERE expires_at <= ? ORDER BY expires_at LIMIT ?)`,
      ),
      counts: sql.prepare<VersionCount, [string, number]>(
        `SELECT file_id AS file, count(*) AS versions FROM file_version
        WHERE file_id > ? GROUP BY file_id ORDER BY file_id LIMIT ?`,
      ),
      gone: sql.prepare<GoneFileRow, [string, number]>(
        `SELECT g.file_id AS id, EXISTS (SELECT 1 FROM file f WHERE f.id = g.file_id) AS isBack,
              EXISTS (SELECT 1 FROM trash_file t WHERE t.file_id = g.file_id)
                OR EXISTS (SELECT 1 FROM held_file h WHERE h.file_id = g.file_id) AS isKept
         FROM gone_file g WHERE g.file_id > ? ORDER BY g.file_id LIMIT ?`,
      ),
      forgetGone: sql.prepare<never, [FileId]>(
        `DELETE FROM gone_file WHERE file_id = ?1 AND (EXISTS (SELECT 1 FROM file WHERE id = ?1)
          OR NOT EXISTS (SELECT 1 FROM file_version WHERE file_id = ?1))`,
      ),
    };
  }

  /** Keeps the content that a file has now, which is about to be replaced. Inside a write. */
  keep(pk: FilePk, { now, by }: Stamp): void {
    this.#sql.keep.run({ pk, now, by: actorText(by) });
  }

  /** Keeps the content of a file in the trash, which comes back with another one. Inside a write. */
  keepTrashed(pk: TrashedFilePk, { now, by }: Stamp): void {
    this.#sql.keepTrashed.run({ pk, now, by: actorText(by) });
  }

  /** The first number after those of a file's versions. */
  nextOf(file: FileId): number {
    return this.#sql.next.get(file)?.next ?? 1;
  }

  /** Removes the oldest versions of a file above a limit. Returns how many. Inside a write. */
  trim(file: FileId, limit: number): number {
    return this.#sql.trim.run({ file, limit, most: REMOVED_AT_ONCE }).changes;
  }

  /** Up to `limit` versions of a file that are older than a number, newest first. */
  page(file: VersionedFile, shown: ShownVersions, before: number, limit: number): FileVersion[] {
    return this.#sql.page.all({ ...parametersOf(file, shown), before, limit }).map(fromRow);
  }

  /** How many versions all pages have. */
  count(file: VersionedFile, shown: ShownVersions): number {
    return this.#sql.count.get(parametersOf(file, shown))?.total ?? 0;
  }

  /** The version of a file with this number; null if it is not kept. */
  get(file: VersionedFile, shown: ShownVersions, version: number): FileVersion | null {
    const row = this.#sql.get.get({ ...parametersOf(file, shown), version });
    return row === null ? null : fromRow(row);
  }

  /** Inside a write. */
  remove(pk: FileVersionPk): void {
    this.#sql.remove.run(pk);
  }

  /** Removes up to `limit` versions of a deleted drive. Returns how many. Inside a write. */
  removeSomeOf(drive: DrivePk, limit: number): number {
    return this.#sql.removeSome.run(drive, limit).changes;
  }

  /** Removes up to `limit` versions that were replaced at this time or before. Returns how many. Inside a write. */
  removeOld(replacedAt: number, limit: number): number {
    return this.#sql.removeOld.run(replacedAt, limit).changes;
  }

  /** Removes up to `limit` versions that have expired. Returns how many. Inside a write. */
  removeExpired(now: number, limit: number): number {
    return this.#sql.removeExpired.run(now, limit).changes;
  }

  /** How many versions some files have, after an id, in the order of the ids. */
  counts(after: string, limit: number): VersionCount[] {
    return this.#sql.counts.all(after, limit);
  }

  /** Some files that were removed and had versions, after an id, in the order of the ids. */
  gone(after: string, limit: number): GoneFile[] {
    return this.#sql.gone
      .all(after, limit)
      .map((row) => ({ ...row, isBack: row.isBack === 1, isKept: row.isKept === 1 }));
  }

  /** Forgets that a file was removed, if it is back or has no versions any more. Inside a write. */
  forgetGone(file: FileId): void {
    this.#sql.forgetGone.run(file);
  }
}

function parametersOf(
  { id, drivePk }: VersionedFile,
  { now, since, versions, folder }: ShownVersions,
): Shown {
  return { file: id, drive: drivePk, now, since, versions, folder };
}

function fromRow({ mimeGiven, replacedBy, replacedByName, ...row }: Row): FileVersion {
  return { ...row, mimeGiven: mimeGiven === 1, replacedBy: namedActor(replacedBy, replacedByName) };
}
