import { driveIsAlive, fileIsAlive } from "./alive.ts";
import type { File, Metadata } from "../domain/file.ts";
import type { BlobPk, DrivePk, FileId, FilePk, FolderPk } from "../domain/id.ts";
import type { Filename, FilePath } from "../domain/path.ts";
import type { Database } from "./database.ts";
import { FILE_COLUMNS, FILE_JOINS, fileFromRow, type FileRow } from "./file-rows.ts";
import type { Parameters } from "./parameters.ts";

/** Everything of a file that may change; sizes in bytes, times in milliseconds since the epoch. */
export interface FileValues {
  readonly drive: DrivePk;
  readonly folder: FolderPk;
  readonly path: FilePath;
  readonly filename: Filename;
  readonly mimeType: string;
  readonly mimeGiven: boolean;
  readonly size: number;
  readonly blob: BlobPk;
  readonly tags: readonly string[];
  readonly metadata: Metadata;
  readonly expiresAt: number | null;
  readonly updatedAt: number;
}

type Encoded = Parameters<Omit<FileValues, "tags" | "metadata"> & { tags: string; metadata: string }>;

const SELECT = `SELECT ${FILE_COLUMNS} FROM file f ${FILE_JOINS}`;

/** Single files and their changes. Where it is not said, files past their expiry are still seen. */
export class FilesTable {
  readonly #visible;
  readonly #byId;
  readonly #byPath;
  readonly #insert;
  readonly #update;
  readonly #remove;
  readonly #someOf;
  readonly #expired;

  constructor({ sql }: Database) {
    this.#visible = sql.prepare<FileRow, [FileId, number]>(
      `${SELECT} WHERE f.id = ?1 AND ${fileIsAlive("?2")} AND ${driveIsAlive("?2")}`,
    );
    this.#byId = sql.prepare<FileRow, [FileId]>(`${SELECT} WHERE f.id = ?`);
    this.#byPath = sql.prepare<FileRow, [DrivePk, FilePath]>(`${SELECT} WHERE f.drive = ? AND f.path = ?`);
    this.#insert = sql.prepare<{ pk: FilePk }, [Encoded & { id: FileId; createdAt: number }]>(
      `INSERT INTO file (id, drive, folder, path, filename, mime_type, mime_given, size, blob, tags, metadata,
                         expires_at, created_at, updated_at)
       VALUES (:id, :drive, :folder, :path, :filename, :mimeType, :mimeGiven, :size, :blob, :tags, :metadata,
               :expiresAt, :createdAt, :updatedAt)`,
    );
    this.#update = sql.prepare<never, [Encoded & { pk: FilePk }]>(
      `UPDATE file SET drive = :drive, folder = :folder, path = :path, filename = :filename, mime_type = :mimeType,
              mime_given = :mimeGiven, size = :size, blob = :blob, tags = :tags, metadata = :metadata,
              expires_at = :expiresAt, updated_at = :updatedAt
        WHERE pk = :pk`,
    );
    this.#remove = sql.prepare<never, [FilePk]>("DELETE FROM file WHERE pk = ?");
    this.#someOf = sql.prepare<{ pk: FilePk; tags: number }, [DrivePk, number]>(
      "SELECT pk, json_array_length(tags) AS tags FROM file WHERE drive = ? LIMIT ?",
    );
    this.#expired = sql.prepare<FileRow, [number, number]>(
      `${SELECT} WHERE f.expires_at <= ? AND d.deleted_at IS NULL ORDER BY f.expires_at LIMIT ?`,
    );
  }

  /** The file with this id, if neither it nor its drive has expired or gone. */
  visible(id: FileId, now: number): File | null {
    const row = this.#visible.get(id, now);
    return row === null ? null : fileFromRow(row);
  }

  byId(id: FileId): File | null {
    const row = this.#byId.get(id);
    return row === null ? null : fileFromRow(row);
  }

  byPath(drive: DrivePk, path: FilePath): File | null {
    const row = this.#byPath.get(drive, path);
    return row === null ? null : fileFromRow(row);
  }

  /** Inside a write. */
  insert(id: FileId, createdAt: number, values: FileValues): void {
    this.#insert.run({ ...encode(values), id, createdAt });
  }

  /** Inside a write. */
  update(pk: FilePk, values: FileValues): void {
    this.#update.run({ ...encode(values), pk });
  }

  /** Inside a write. */
  remove(pk: FilePk): void {
    this.#remove.run(pk);
  }

  /** Some of a drive's files, and how many tags each has. */
  someOf(drive: DrivePk, limit: number): { pk: FilePk; tags: number }[] {
    return this.#someOf.all(drive, limit);
  }

  /** Some files that are past their expiry, the longest first. */
  expired(now: number, limit: number): File[] {
    return this.#expired.all(now, limit).map(fileFromRow);
  }
}

function encode(values: FileValues): Encoded {
  return { ...values, tags: JSON.stringify(values.tags), metadata: JSON.stringify(values.metadata) };
}
