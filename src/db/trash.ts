import { type Actor, actorText } from "../domain/actor.ts";
import type { DrivePk, FilePk, TrashId, TrashPk } from "../domain/id.ts";
import type { FilePath, FolderPath } from "../domain/path.ts";
import type { Database } from "./database.ts";
import type { Parameters } from "./parameters.ts";

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

type NewRow = Omit<NewTrashEntry, "deletedBy"> & { readonly deletedBy: string | null };

/** Deleted files and folders that can come back. Triggers count the files and bytes of each entry. */
export class TrashTable {
  readonly #insert;
  readonly #takeFile;
  readonly #ofDrive;
  readonly #removeFiles;
  readonly #removeFolders;
  readonly #remove;

  constructor({ sql }: Database) {
    this.#insert = sql.prepare<{ pk: TrashPk }, [Parameters<NewRow>]>(
      `INSERT INTO trash (id, drive, kind, path, state, deleted_at, deleted_by)
       VALUES (:id, :drive, :kind, :path, :state, :deletedAt, :deletedBy) RETURNING pk`,
    );
    this.#takeFile = sql.prepare<never, [{ entry: TrashPk; file: FilePk }]>(
      `INSERT INTO trash_file (entry, drive, path, file_id, filename, mime_type, mime_given, size, blob, tags, metadata,
                               expires_at, created_at, updated_at, version)
       SELECT t.pk, t.drive, substr(f.path, length(t.path) + 1), f.id, f.filename, f.mime_type, f.mime_given, f.size,
              f.blob, f.tags, f.metadata, f.expires_at, f.created_at, f.updated_at, f.version
         FROM trash t, file f WHERE t.pk = :entry AND f.pk = :file`,
    );
    this.#ofDrive = sql.prepare<{ pk: TrashPk }, [DrivePk, number]>(
      "SELECT pk FROM trash WHERE drive = ? LIMIT ?",
    );
    this.#removeFiles = sql.prepare<never, [TrashPk, number]>(
      "DELETE FROM trash_file WHERE pk IN (SELECT pk FROM trash_file WHERE entry = ? LIMIT ?)",
    );
    this.#removeFolders = sql.prepare<never, [{ entry: TrashPk; limit: number }]>(
      `DELETE FROM trash_folder WHERE entry = :entry
          AND path IN (SELECT path FROM trash_folder WHERE entry = :entry LIMIT :limit)`,
    );
    this.#remove = sql.prepare<never, [TrashPk]>("DELETE FROM trash WHERE pk = ?");
  }

  /** Makes an empty entry. Inside a write. */
  insert(entry: NewTrashEntry): TrashPk {
    const row = this.#insert.get({ ...entry, deletedBy: actorText(entry.deletedBy) });
    if (row === null) throw new Error("an inserted entry came back without a row");
    return row.pk;
  }

  /** Copies a file, which is at the path of an entry or below, into the entry. Inside a write. */
  takeFile(entry: TrashPk, file: FilePk): void {
    this.#takeFile.run({ entry, file });
  }

  /** Some entries of a drive. */
  ofDrive(drive: DrivePk, limit: number): TrashPk[] {
    return this.#ofDrive.all(drive, limit).map(({ pk }) => pk);
  }

  /** Removes up to `limit` of the files and folders in an entry. Returns how many. Inside a write. */
  removeSomeOf(entry: TrashPk, limit: number): number {
    const { changes: files } = this.#removeFiles.run(entry, limit);
    return files < limit ? files + this.#removeFolders.run({ entry, limit: limit - files }).changes : files;
  }

  /** Removes an empty entry. Inside a write. */
  remove(entry: TrashPk): void {
    this.#remove.run(entry);
  }
}
