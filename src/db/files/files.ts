import { driveIsAlive, fileIsAlive } from "../expressions.ts";
import type { File } from "../../domain/files/file.ts";
import type { BlobPk, DrivePk, FileId, FilePk, FolderPk, TrashedFilePk } from "../../domain/id.ts";
import type { Filename, FilePath } from "../../domain/files/path.ts";
import type { Database } from "../engine/database.ts";
import { FILE_COLUMNS, FILE_JOINS, fileFromRow, type FileRow, type Stored } from "./rows.ts";

export type FilePlace = {
  readonly drive: DrivePk;
  readonly folder: FolderPk;
  readonly path: FilePath;
};

export type FileBody = Pick<
  File,
  "filename" | "mimeType" | "mimeGiven" | "size" | "tags" | "metadata" | "expiresAt"
> & {
  readonly blob: BlobPk;
};

export type Naming = Pick<FileBody, "filename" | "mimeType">;

/** A body as in its row. To copy a file, its metadata is not parsed: that would take longer than everything else. */
export type StoredBody = Stored<FileBody> & { readonly mimeGiven: 0 | 1 };

/** A body as it was when a snapshot was taken. */
export type PastBody = StoredBody & Pick<File, "createdAt" | "updatedAt" | "version">;

type NewRow = FilePlace & PastBody & { readonly id: FileId };

const SELECT = `SELECT ${FILE_COLUMNS} FROM file f ${FILE_JOINS}`;

/** Single files. Unless noted, expired files are included. */
export function files({ sql }: Database) {
  const insert = sql.write<[NewRow]>(
    `INSERT INTO file (id, drive, folder, path, filename, mime_type, mime_given, size, blob, tags, metadata,
                       expires_at, created_at, updated_at, version)
     VALUES (:id, :drive, :folder, :path, :filename, :mimeType, :mimeGiven, :size, :blob, :tags, :metadata,
             :expiresAt, :createdAt, :updatedAt, :version)`,
  );
  const restore = sql.write<
    [FilePlace & { trashed: TrashedFilePk; filename: Filename | null; mimeType: string | null }]
  >(
    `INSERT INTO file (id, drive, folder, path, filename, mime_type, mime_given, size, blob, tags, metadata, expires_at,
                       created_at, updated_at, version)
     SELECT file_id, :drive, :folder, :path, ifnull(:filename, filename), ifnull(:mimeType, mime_type), mime_given, size,
            blob, tags, metadata, expires_at, created_at, updated_at, version
       FROM trash_file WHERE pk = :trashed`,
  );
  const update = sql.write<[StoredBody & { pk: FilePk; now: number }]>(
    `UPDATE file SET filename = :filename, mime_type = :mimeType, mime_given = :mimeGiven, size = :size,
            blob = :blob, tags = :tags, metadata = :metadata, expires_at = :expiresAt, updated_at = :now,
            version = version + (blob <> :blob)
      WHERE pk = :pk`,
  );
  const place = sql.write<[FilePlace & { pk: FilePk }]>(
    "UPDATE file SET drive = :drive, folder = :folder, path = :path WHERE pk = :pk",
  );
  return {
    /** The file with this handle, if neither it nor its drive has expired or was deleted. */
    visibleByPk: sql.get<FileRow, [pk: FilePk, now: number], File>(
      `${SELECT} WHERE f.pk = ?1 AND ${fileIsAlive("?2")} AND ${driveIsAlive("?2")}`,
      fileFromRow,
    ),
    /** The file with this id, if neither it nor its drive has expired or was deleted. */
    visible: sql.get<FileRow, [id: FileId, now: number], File>(
      `${SELECT} WHERE f.id = ?1 AND ${fileIsAlive("?2")} AND ${driveIsAlive("?2")}`,
      fileFromRow,
    ),
    byId: sql.get<FileRow, [id: FileId], File>(`${SELECT} WHERE f.id = ?`, fileFromRow),
    byPath: sql.get<FileRow, [drive: DrivePk, path: FilePath], File>(
      `${SELECT} WHERE f.drive = ? AND f.path = ?`,
      fileFromRow,
    ),
    body: sql.one<StoredBody, [pk: FilePk]>(
      `SELECT filename, mime_type AS mimeType, mime_given AS mimeGiven, size, blob, tags, metadata,
              expires_at AS expiresAt
         FROM file WHERE pk = ?`,
    ),
    /** Inside a write. */
    insert: (id: FileId, at: FilePlace, stored: StoredBody, now: number) =>
      insert({ ...stored, ...at, id, createdAt: now, updatedAt: now, version: 1 }),
    /** Inserts a file as it was. Inside a write. */
    insertPast: (id: FileId, at: FilePlace, past: PastBody) => insert({ ...past, ...at, id }),
    /** Remove it from the trash afterwards, as its blob must have a reference. @param naming null to keep the name */
    restore: (trashed: TrashedFilePk, at: FilePlace, naming: Naming | null) =>
      restore({ ...at, trashed, filename: naming?.filename ?? null, mimeType: naming?.mimeType ?? null }),
    /** Changes a file's content or attributes. A new content gets the next number. Inside a write. */
    update: (pk: FilePk, stored: StoredBody, now: number) => update({ ...stored, pk, now }),
    place: (pk: FilePk, at: FilePlace) => place({ ...at, pk }),
    remove: sql.write<[pk: FilePk]>("DELETE FROM file WHERE pk = ?"),
    someOf: sql.all<{ pk: FilePk; tags: number }, [drive: DrivePk, limit: number]>(
      "SELECT pk, json_array_length(tags) AS tags FROM file WHERE drive = ? LIMIT ?",
    ),
    expired: sql.all<FileRow, [now: number, limit: number], File>(
      `${SELECT} WHERE f.expires_at <= ? AND d.deleted_at IS NULL ORDER BY f.expires_at LIMIT ?`,
      fileFromRow,
    ),
  };
}

export function bodyOf(file: File): FileBody {
  const { filename, mimeType, mimeGiven, size, blobPk, tags, metadata, expiresAt } = file;
  return { filename, mimeType, mimeGiven, size, blob: blobPk, tags, metadata, expiresAt };
}

export function storedBody(body: FileBody): StoredBody {
  return {
    ...body,
    mimeGiven: body.mimeGiven ? 1 : 0,
    tags: JSON.stringify(body.tags),
    metadata: JSON.stringify(body.metadata),
  };
}
