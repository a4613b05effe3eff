import { type Actor, actorText } from "../../domain/changes/change.ts";
import type { DrivePk, FilePk, TrashId, TrashPk } from "../../domain/id.ts";
import type { FilePath, FolderPath } from "../../domain/files/path.ts";
import type { TrashEntry, TrashPosition } from "../../domain/history/history.ts";
import type { Database } from "../engine/database.ts";

/** Among how many of the entries that were made last one is looked for by its path. */
const LATELY = 100;

/** A new entry. `kept` at once, or `filling` while a folder is moved into it in pieces. */
type NewTrashEntry = Pick<TrashEntry, "id" | "kind" | "path" | "deletedAt"> & {
  readonly drive: DrivePk;
  readonly state: "filling" | "kept";
  readonly deletedBy: Actor | null;
};

/** Whether a work uses it, it can be restored, or it is to be emptied. */
type TrashState = "filling" | "kept" | "gone";

type NewRow = Omit<NewTrashEntry, "deletedBy"> & { readonly deletedBy: string | null };

/** Deleted files and folders that can come back. Triggers count the files and bytes of each entry. */
export function trash({ sql }: Database) {
  const insert = sql.writeOne<TrashPk, [NewRow]>(
    `INSERT INTO trash (id, drive, kind, path, state, deleted_at, deleted_by)
     VALUES (:id, :drive, :kind, :path, :state, :deletedAt, :deletedBy) RETURNING pk`,
  );
  const some = sql.all<
    TrashPosition & { readonly pk: TrashPk },
    [drive: DrivePk, deletedAt: number, id: string, limit: number]
  >(
    `SELECT pk, id, deleted_at AS deletedAt FROM trash INDEXED BY trash_drive
      WHERE drive = ? AND state = 'kept' AND (deleted_at, id) > (?, ?) ORDER BY deleted_at, id LIMIT ?`,
  );
  const removeFiles = sql.write<[entry: TrashPk, limit: number]>(
    "DELETE FROM trash_file WHERE pk IN (SELECT pk FROM trash_file WHERE entry = ? LIMIT ?)",
  );
  const removeFolders = sql.write<[entry: TrashPk, limit: number]>(
    `DELETE FROM trash_folder WHERE entry = ?1
        AND path IN (SELECT path FROM trash_folder WHERE entry = ?1 LIMIT ?2)`,
  );
  return {
    /** Makes an empty entry. Inside a write. */
    insert: (entry: NewTrashEntry) => insert({ ...entry, deletedBy: actorText(entry.deletedBy) }),
    /** What callers know an entry by, and how many files it has, expired ones included; null if it is gone. */
    facts: sql.get<{ readonly id: TrashId; readonly fileCount: number }, [entry: TrashPk]>(
      "SELECT id, file_count AS fileCount FROM trash WHERE pk = ?",
    ),
    /** Copies a file into an entry. `path` is what the entry is made of: the file's own, or a folder that it is in. */
    takeFile: sql.write<[entry: TrashPk, file: FilePk, path: FilePath | FolderPath]>(
      `INSERT INTO trash_file (entry, drive, path, file_id, filename, mime_type, mime_given, size, blob, tags, metadata,
                               expires_at, created_at, updated_at, version)
       SELECT t.pk, t.drive, substr(f.path, length(?3) + 1), f.id, f.filename, f.mime_type, f.mime_given, f.size,
              f.blob, f.tags, f.metadata, f.expires_at, f.created_at, f.updated_at, f.version
         FROM trash t, file f WHERE t.pk = ?1 AND f.pk = ?2`,
    ),
    setState: sql.write<[entry: TrashPk, state: TrashState]>("UPDATE trash SET state = ?2 WHERE pk = ?1"),
    /** Up to `limit` entries of a drive that are kept and were deleted after a position; earliest first. */
    some: (drive: DrivePk, { deletedAt, id }: TrashPosition, limit: number) =>
      some(drive, deletedAt, id, limit),
    /** The entry of a file that was deleted at a path after a time, if it is among the latest. */
    newestAt: sql.value<TrashId, [drive: DrivePk, since: number, path: FilePath]>(
      `SELECT id FROM (
         SELECT id, path FROM trash INDEXED BY trash_drive WHERE drive = ? AND deleted_at > ? AND state = 'kept'
          ORDER BY deleted_at DESC LIMIT ${LATELY}) page
        WHERE path = ? LIMIT 1`,
    ),
    /** Some entries that were deleted at this time or before, and are kept still. */
    tooOld: sql.values<TrashPk, [deletedAt: number, limit: number]>(
      "SELECT pk FROM trash INDEXED BY trash_age WHERE deleted_at <= ? AND state = 'kept' LIMIT ?",
    ),
    /** Some entries that are to be emptied. */
    gone: sql.values<TrashPk, [limit: number]>("SELECT pk FROM trash WHERE state = 'gone' LIMIT ?"),
    /** Removes the entry of a file that is not in it any more. */
    removeIfEmptyFile: sql.write<[entry: TrashPk]>(
      "DELETE FROM trash WHERE pk = ? AND kind = 'file' AND file_count = 0",
    ),
    /**
     * Ends an entry whose last file was taken out of it, if its folders are all there again: nothing is left to restore.
     */
    endIfEmpty: sql.write<[entry: TrashPk]>(
      `UPDATE trash SET state = 'gone'
        WHERE pk = ? AND state = 'kept' AND file_count = 0 AND NOT EXISTS (
          SELECT 1 FROM trash_folder t
           WHERE t.entry = trash.pk AND NOT EXISTS (
             SELECT 1 FROM folder f WHERE f.drive = trash.drive AND f.path = trash.path || t.path))`,
    ),
    ofDrive: sql.values<TrashPk, [drive: DrivePk, limit: number]>(
      "SELECT pk FROM trash WHERE drive = ? LIMIT ?",
    ),
    /** Removes up to `limit` of the files and folders in an entry. Returns how many. Inside a write. */
    removeSomeOf: (entry: TrashPk, limit: number) => {
      const files = removeFiles(entry, limit);
      return files < limit ? files + removeFolders(entry, limit - files) : files;
    },
    /** Removes an empty entry. */
    remove: sql.write<[entry: TrashPk]>("DELETE FROM trash WHERE pk = ?"),
  };
}
