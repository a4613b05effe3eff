import { type Actor, actorText } from "../../domain/changes/actor.ts";
import type { DrivePk, FilePk, TrashId, TrashPk } from "../../domain/id.ts";
import type { FilePath, FolderPath } from "../../domain/files/path.ts";
import type { TrashPosition } from "../../domain/history/trash.ts";
import type { Database } from "../engine/database.ts";
import type { Parameters } from "../engine/parameters.ts";

/** Among how many of the entries that were made last one is looked for by its path. */
const LATELY = 100;

/** A new entry. `kept` at once, or `filling` while a folder is moved into it in pieces. */
export interface NewTrashEntry {
  readonly id: TrashId;
  readonly drive: DrivePk;
  readonly kind: "file" | "folder";
  /** Where it was. */
  readonly path: FilePath | FolderPath;
  readonly state: "filling" | "kept";
  /** Milliseconds since the epoch. */
  readonly deletedAt: number;
  readonly deletedBy: Actor | null;
}

/** Whether a work uses it, it can be restored, or it is to be emptied. */
export type TrashState = "filling" | "kept" | "gone";

/** An entry of a drive. */
export interface SomeEntry extends TrashPosition {
  readonly pk: TrashPk;
}

type NewRow = Omit<NewTrashEntry, "deletedBy"> & { readonly deletedBy: string | null };

/** Deleted files and folders that can come back. Triggers count the files and bytes of each entry. */
export class TrashTable {
  readonly #sql;

  constructor({ sql }: Database) {
    this.#sql = {
      insert: sql.prepare<{ pk: TrashPk }, [Parameters<NewRow>]>(
        `INSERT INTO trash (id, drive, kind, path, state, deleted_at, deleted_by)
       VALUES (:id, :drive, :kind, :path, :state, :deletedAt, :deletedBy) RETURNING pk`,
      ),
      facts: sql.prepare<{ id: TrashId; fileCount: number }, [TrashPk]>(
        "SELECT id, file_count AS fileCount FROM trash WHERE pk = ?",
      ),
      takeFile: sql.prepare<never, [{ entry: TrashPk; file: FilePk; path: string }]>(
        `INSERT INTO trash_file (entry, drive, path, file_id, filename, mime_type, mime_given, size, blob, tags, metadata,
                               expires_at, created_at, updated_at, version)
       SELECT t.pk, t.drive, substr(f.path, length(:path) + 1), f.id, f.filename, f.mime_type, f.mime_given, f.size,
              f.blob, f.tags, f.metadata, f.expires_at, f.created_at, f.updated_at, f.version
         FROM trash t, file f WHERE t.pk = :entry AND f.pk = :file`,
      ),
      setState: sql.prepare<never, [TrashState, TrashPk]>("UPDATE trash SET state = ? WHERE pk = ?"),
      some: sql.prepare<SomeEntry, [{ drive: DrivePk; at: number; id: string; limit: number }]>(
        `SELECT pk, id, deleted_at AS deletedAt FROM trash INDEXED BY trash_drive
        WHERE drive = :drive AND state = 'kept' AND (deleted_at, id) > (:at, :id) ORDER BY deleted_at, id LIMIT :limit`,
      ),
      newestAt: sql.prepare<{ id: TrashId }, [DrivePk, number, FilePath]>(
        `SELECT id FROM (
         SELECT id, path FROM trash INDEXED BY trash_drive WHERE drive = ? AND deleted_at > ? AND state = 'kept'
          ORDER BY deleted_at DESC LIMIT ${LATELY}) page
        WHERE path = ? LIMIT 1`,
      ),
      tooOld: sql.prepare<{ pk: TrashPk }, [number, number]>(
        "SELECT pk FROM trash INDEXED BY trash_age WHERE deleted_at <= ? AND state = 'kept' LIMIT ?",
      ),
      gone: sql.prepare<{ pk: TrashPk }, [number]>("SELECT pk FROM trash WHERE state = 'gone' LIMIT ?"),
      removeIfEmptyFile: sql.prepare<never, [TrashPk]>(
        "DELETE FROM trash WHERE pk = ? AND kind = 'file' AND file_count = 0",
      ),
      endIfEmpty: sql.prepare<never, [TrashPk]>(
        `UPDATE trash SET state = 'gone'
        WHERE pk = ? AND state = 'kept' AND file_count = 0 AND NOT EXISTS (
          SELECT 1 FROM trash_folder t
           WHERE t.entry = trash.pk AND NOT EXISTS (
             SELECT 1 FROM folder f WHERE f.drive = trash.drive AND f.path = trash.path || t.path))`,
      ),
      ofDrive: sql.prepare<{ pk: TrashPk }, [DrivePk, number]>(
        "SELECT pk FROM trash WHERE drive = ? LIMIT ?",
      ),
      removeFiles: sql.prepare<never, [TrashPk, number]>(
        "DELETE FROM trash_file WHERE pk IN (SELECT pk FROM trash_file WHERE entry = ? LIMIT ?)",
      ),
      removeFolders: sql.prepare<never, [{ entry: TrashPk; limit: number }]>(
        `DELETE FROM trash_folder WHERE entry = :entry
          AND path IN (SELECT path FROM trash_folder WHERE entry = :entry LIMIT :limit)`,
      ),
      remove: sql.prepare<never, [TrashPk]>("DELETE FROM trash WHERE pk = ?"),
    };
  }

  /** Makes an empty entry. Inside a write. */
  insert(entry: NewTrashEntry): TrashPk {
    const row = this.#sql.insert.get({ ...entry, deletedBy: actorText(entry.deletedBy) });
    if (row === null) throw new Error("an inserted entry came back without a row");
    return row.pk;
  }

  /** What callers know an entry by, and how many files it has, expired ones included; null if it is gone. */
  facts(entry: TrashPk): { readonly id: TrashId; readonly fileCount: number } | null {
    return this.#sql.facts.get(entry);
  }

  /**
   * Copies a file into an entry. Inside a write.
   *
   * @param path of what the entry is made of: the file's own, or a folder that it is in
   */
  takeFile(entry: TrashPk, file: FilePk, path: FilePath | FolderPath): void {
    this.#sql.takeFile.run({ entry, file, path });
  }

  /** Inside a write. */
  setState(entry: TrashPk, state: TrashState): void {
    this.#sql.setState.run(state, entry);
  }

  /** Up to `limit` entries of a drive that are kept and were deleted after a position; earliest first. */
  some(drive: DrivePk, { deletedAt: at, id }: TrashPosition, limit: number): SomeEntry[] {
    return this.#sql.some.all({ drive, at, id, limit });
  }

  /** The entry of a file that was deleted at a path after a time, if it is among the latest. */
  newestAt(drive: DrivePk, since: number, path: FilePath): TrashId | null {
    return this.#sql.newestAt.get(drive, since, path)?.id ?? null;
  }

  /** Some entries that were deleted at this time or before, and are kept still. */
  tooOld(deletedAt: number, limit: number): TrashPk[] {
    return this.#sql.tooOld.all(deletedAt, limit).map(({ pk }) => pk);
  }

  /** Some entries that are to be emptied. */
  gone(limit: number): TrashPk[] {
    return this.#sql.gone.all(limit).map(({ pk }) => pk);
  }

  /** Removes the entry of a file that is not in it any more. Inside a write. */
  removeIfEmptyFile(entry: TrashPk): void {
    this.#sql.removeIfEmptyFile.run(entry);
  }

  /**
   * Ends an entry whose last file was taken out of it, if its folders are all there again: nothing is left to restore.
   * Inside a write.
   */
  endIfEmpty(entry: TrashPk): void {
    this.#sql.endIfEmpty.run(entry);
  }

  ofDrive(drive: DrivePk, limit: number): TrashPk[] {
    return this.#sql.ofDrive.all(drive, limit).map(({ pk }) => pk);
  }

  /** Removes up to `limit` of the files and folders in an entry. Returns how many. Inside a write. */
  removeSomeOf(entry: TrashPk, limit: number): number {
    const { changes: files } = this.#sql.removeFiles.run(entry, limit);
    return files < limit
      ? files + this.#sql.removeFolders.run({ entry, limit: limit - files }).changes
      : files;
  }

  /** Removes an empty entry. Inside a write. */
  remove(entry: TrashPk): void {
    this.#sql.remove.run(entry);
  }
}
