import { actorText, namedActor, type Stamp } from "../../domain/changes/change.ts";
import type { File } from "../../domain/files/file.ts";
import type { FileVersion, KeptWindow } from "../../domain/history/history.ts";
import type { DrivePk, FileId, FilePk, FileVersionPk, TrashedFilePk } from "../../domain/id.ts";
import type { FolderPath } from "../../domain/files/path.ts";
import { actorColumns, type ActorRow, type Flagged } from "../expressions.ts";
import type { Database } from "../engine/database.ts";
import { labelOf, messageOf } from "./version-labels.ts";

const REMOVED_AT_ONCE = 100;

/** The file whose versions are asked for. Those that it has from another drive are not among them. */
type VersionedFile = Pick<File, "id" | "drivePk">;

/** Which versions a reader sees: those that are kept, and were made while the file was in a folder. */
export interface ShownVersions extends KeptWindow {
  /** The root for all, also those of which it is not known where they were made. */
  readonly folder: FolderPath;
}

type Shown = ReturnType<typeof parametersOf>;

type Row = Flagged<Omit<FileVersion, "replacedBy">, "mimeGiven"> & ActorRow;

const SELECT = `
  SELECT v.pk, v.version, v.filename, v.mime_type AS mimeType, v.mime_given AS mimeGiven, v.size, v.blob AS blobPk,
         b.digest, b.preview, v.replaced_at AS replacedAt, ${actorColumns("v.replaced_by")},
         ${labelOf("v.file_id", "v.version")}, ${messageOf("v.drive", "v.file_id", "v.version")}
    FROM file_version v JOIN blob b ON b.pk = v.blob`;
/** The newest of a file's versions that are kept, have not expired, and were made in the folder. */
const IS_SHOWN = `v.file_id = :file AND v.drive = :drive AND v.replaced_at > :since
   AND (v.expires_at IS NULL OR v.expires_at > :now)
   AND (:folder = '' OR substr(v.path, 1, length(:folder)) = :folder)
   AND v.version > ifnull(
     (SELECT o.version FROM file_version o WHERE o.file_id = :file ORDER BY o.version DESC LIMIT 1 OFFSET :versions), 0)`;

export function fileVersions({ sql }: Database) {
  const keep = sql.write<[pk: FilePk, now: number, by: string | null]>(
    `INSERT INTO file_version (drive, file_id, version, filename, mime_type, mime_given, size, blob, expires_at,
                               path, replaced_at, replaced_by)
     SELECT drive, id, version, filename, mime_type, mime_given, size, blob, expires_at, path, ?2, ?3
       FROM file WHERE pk = ?1`,
  );
  const keepTrashed = sql.write<[pk: TrashedFilePk, now: number, by: string | null]>(
    `INSERT INTO file_version (drive, file_id, version, filename, mime_type, mime_given, size, blob, expires_at,
                               path, replaced_at, replaced_by)
     SELECT f.drive, file_id, version, filename, mime_type, mime_given, f.size, blob, expires_at, t.path || f.path, ?2, ?3
       FROM trash_file f JOIN trash t ON t.pk = f.entry WHERE f.pk = ?1`,
  );
  const page = sql.all<Row, [Shown & { before: number; limit: number }], FileVersion>(
    `${SELECT} WHERE ${IS_SHOWN} AND v.version < :before ORDER BY v.version DESC LIMIT +:limit`,
    fromRow,
  );
  const count = sql.number<[Shown]>(`SELECT count(*) FROM file_version v WHERE ${IS_SHOWN}`);
  const get = sql.get<Row, [Shown & { version: number }], FileVersion>(
    `${SELECT} WHERE ${IS_SHOWN} AND v.version = :version`,
    fromRow,
  );
  return {
    /** Keeps the content that a file has now, which is about to be replaced. Inside a write. */
    keep: (pk: FilePk, { now, by }: Stamp) => keep(pk, now, actorText(by)),
    /** Keeps the content of a file in the trash, which comes back with another one. Inside a write. */
    keepTrashed: (pk: TrashedFilePk, { now, by }: Stamp) => keepTrashed(pk, now, actorText(by)),
    /** The first number after those of a file's versions. */
    nextOf: sql.number<[file: FileId]>(
      "SELECT ifnull(max(version), 0) + 1 AS next FROM file_version WHERE file_id = ?",
    ),
    /** Removes some of the oldest versions of a file above a limit. */
    trim: sql.write<[file: FileId, limit: number]>(
      `DELETE FROM file_version WHERE pk IN
         (SELECT pk FROM file_version WHERE file_id = ? ORDER BY version DESC LIMIT ${REMOVED_AT_ONCE} OFFSET ?)`,
    ),
    page: (file: VersionedFile, shown: ShownVersions, before: number, limit: number) =>
      page({ ...parametersOf(file, shown), before, limit }),
    count: (file: VersionedFile, shown: ShownVersions) => count(parametersOf(file, shown)),
    get: (file: VersionedFile, shown: ShownVersions, version: number) =>
      get({ ...parametersOf(file, shown), version }),
    remove: sql.write<[pk: FileVersionPk]>("DELETE FROM file_version WHERE pk = ?"),
    removeSomeOf: sql.removeSome<[drive: DrivePk]>("file_version", "drive = ?"),
    removeOld: sql.removeSome<[replacedAt: number]>("file_version", "replaced_at <= ? ORDER BY replaced_at"),
    removeExpired: sql.removeSome<[now: number]>("file_version", "expires_at <= ? ORDER BY expires_at"),
    /** How many versions some files have, after an id, in the order of the ids. */
    counts: sql.all<{ file: FileId; versions: number }, [after: string, limit: number]>(
      `SELECT file_id AS file, count(*) AS versions FROM file_version
        WHERE file_id > ? GROUP BY file_id ORDER BY file_id LIMIT ?`,
    ),
    /** Files that were removed and had versions or comments, and whether they are back, or may come back; ordered by id. */
    gone: sql.all<{ id: FileId; isBack: 0 | 1; isKept: 0 | 1 }, [after: string, limit: number]>(
      `SELECT g.file_id AS id, EXISTS (SELECT 1 FROM file f WHERE f.id = g.file_id) AS isBack,
              EXISTS (SELECT 1 FROM trash_file t WHERE t.file_id = g.file_id)
                OR EXISTS (SELECT 1 FROM held_file h WHERE h.file_id = g.file_id) AS isKept
         FROM gone_file g WHERE g.file_id > ? ORDER BY g.file_id LIMIT ?`,
    ),
    /** Forgets that a file was removed, if it is back or nothing is known of it any more. */
    forgetGone: sql.write<[file: FileId]>(
      `DELETE FROM gone_file WHERE file_id = ?1 AND (EXISTS (SELECT 1 FROM file WHERE id = ?1)
          OR NOT EXISTS (SELECT 1 FROM file_version WHERE file_id = ?1)
         AND NOT EXISTS (SELECT 1 FROM comment WHERE file_id = ?1)
         AND NOT EXISTS (SELECT 1 FROM version_label WHERE file_id = ?1))`,
    ),
  };
}

function parametersOf({ id, drivePk }: VersionedFile, shown: ShownVersions) {
  return { ...shown, file: id, drive: drivePk };
}

function fromRow({ mimeGiven, actor, actorName, ...row }: Row): FileVersion {
  return { ...row, mimeGiven: mimeGiven === 1, replacedBy: namedActor(actor, actorName) };
}
