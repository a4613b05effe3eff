import { driveIsAlive, fileIsAlive, firstOf } from "../expressions.ts";
import type { File, FileFacts, Metadata } from "../../domain/files/file.ts";
import type { BlobPk, DrivePk, FileId, FilePk, FolderPk, TrashedFilePk } from "../../domain/id.ts";
import { isTextType } from "../../domain/contents/media-type.ts";
import { nameKey } from "../../domain/files/name-key.ts";
import { type FilePath, prefixEnd } from "../../domain/files/path.ts";
import type { Database } from "../engine/database.ts";
import { type Cached, VersionCache } from "../engine/version-cache.ts";

// SQLite sorts every text before every blob, so this is the end of a range of texts that has no other.
export const AFTER_ALL_TEXT = new Uint8Array([0]);

/** The half-open range `[from, to)` of a path index that holds the paths starting with a prefix. */
export type PathRange = {
  readonly from: string;
  readonly to: string | Uint8Array;
};

/** The next text after a path: no other path is in between, because paths hold no control characters. */
export function firstAfter(path: string): string {
  return `${path}\u0001`;
}

export function rangeOf(prefix: string): PathRange {
  return { from: prefix, to: prefixEnd(prefix) ?? AFTER_ALL_TEXT };
}

/** The part of a range that starts at a path or after it, in UTF-8 byte order, which is the order of the index. */
export function rangeFrom({ from, to }: PathRange, path: string): PathRange {
  return { from: Buffer.compare(Buffer.from(from), Buffer.from(path)) < 0 ? path : from, to };
}

export function isWithin({ from, to }: PathRange, path: string): boolean {
  const bytes = Buffer.from(path);
  const isBefore = typeof to !== "string" || Buffer.compare(bytes, Buffer.from(to)) < 0;
  return isBefore && Buffer.compare(bytes, Buffer.from(from)) >= 0;
}

/** The columns of what a file's record shows, from `file f` joined as in `FILE_JOINS`. */
export const FACT_COLUMNS = `
  f.id, d.id AS driveId, f.path, f.filename, f.mime_type AS mimeType, f.size, b.digest, b.preview, f.tags, f.metadata,
  f.expires_at AS expiresAt, f.created_at AS createdAt, f.updated_at AS updatedAt`;

/**
 * The record of `file f` with `blob b`, as JSON.
 *
 * @param drive the SQL of its drive's id
 */
export function recordOf(drive: string): string {
  const fields = recordFields(drive).map(([name, value], index) => {
    return `'${index === 0 ? "" : ","}"${name}":', ${value}`;
  });
  return `concat('{', ${fields.join(", ")}, '}')`.replaceAll("', '", "");
}

/** Like `recordOf`, with only the fields of `:fields`: see `recordMask`. A field that is left out is not read. */
export function partOfRecord(drive: string): string {
  const fields = recordFields(drive).map(
    ([name, value], index) => `iif(:fields & ${1 << index}, concat(',"${name}":', ${value}), '')`,
  );
  return `concat('{', substr(concat(${fields.join(", ")}), 2), '}')`;
}

const RECORD_FIELDS = recordFields("").map(([name]) => name);

/** These fields of a record, as a set of bits. */
export function recordMask(fields: ReadonlySet<string>): number {
  return RECORD_FIELDS.reduce((mask, name, index) => (fields.has(name) ? mask | (1 << index) : mask), 0);
}

/** The fields of a record in their order, each with what makes its JSON: arguments of `concat`. */
function recordFields(drive: string): readonly (readonly [name: string, value: string])[] {
  return [
    ["id", `'"', f.id, '"'`],
    ["drive_id", `'"', ${drive}, '"'`],
    ["path", "json_quote(f.path)"],
    ["filename", "json_quote(f.filename)"],
    ["mime_type", "json_quote(f.mime_type)"],
    ["size", "f.size"],
    ["content_hash", `'"sha256:', b.digest, '"'`],
    ["content_preview", "iif(f.is_text, json_quote(b.preview), 'null')"],
    ["tags", "f.tags"],
    ["metadata", "f.metadata"],
    ["expires_at", `iif(f.expires_at IS NULL, 'null', json_quote(${instantOf("f.expires_at")}))`],
    ["created_at", `'"', f.created_text, '"'`],
    ["updated_at", `'"', ifnull(f.updated_text, f.created_text), '"'`],
  ];
}

/** As `formatInstant`, in SQL. It takes longer than all else of a record, so rows have their times as text. */
export function instantOf(milliseconds: string): string {
  return `strftime('%Y-%m-%dT%H:%M:%fZ', ${milliseconds} / 1000.0, 'unixepoch')`;
}

/** The columns of a file, from `file f` joined as in `FILE_JOINS`. */
export const FILE_COLUMNS = `${FACT_COLUMNS}, f.pk, f.drive AS drivePk, d.user AS ownerPk, f.folder AS folderPk,
  f.blob AS blobPk, f.mime_given AS mimeGiven, f.version`;

export const FILE_JOINS = `JOIN blob b ON b.pk = f.blob JOIN drive d ON d.pk = f.drive`;

/** What a row has of a file. */
export type Stored<Facts> = Omit<Facts, "mimeGiven" | "tags" | "metadata"> & {
  /** JSON. */
  readonly tags: string;
  /** JSON. */
  readonly metadata: string;
};

export type FactsRow = Stored<FileFacts>;

export type FileRow = Stored<File> & { readonly mimeGiven: 0 | 1 };

export function factsFromRow(row: FactsRow): FileFacts {
  return { ...row, tags: tagsOf(row), metadata: metadataOf(row) };
}

export function fileFromRow(row: FileRow): File {
  return { ...row, mimeGiven: row.mimeGiven === 1, tags: tagsOf(row), metadata: metadataOf(row) };
}

// Most files have neither tags nor metadata, and a page has many files.

function tagsOf({ tags }: FactsRow): readonly string[] {
  return tags === "[]" ? [] : JSON.parse(tags);
}

function metadataOf({ metadata }: FactsRow): Metadata {
  return metadata === "{}" ? {} : JSON.parse(metadata);
}

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

/** What a new file is made of. */
export type NewBody = FileBody & Pick<File, "digest" | "preview">;

export type Naming = Pick<FileBody, "filename" | "mimeType">;

/** A body as in its row. To copy a file, its metadata is not parsed: that would take longer than everything else. */
export type StoredBody = Stored<FileBody> & { readonly mimeGiven: 0 | 1 };

/** A body as it was when a snapshot was taken. */
export type PastBody = StoredBody & Pick<File, "createdAt" | "updatedAt" | "version">;

type NewRow = FilePlace & PastBody & { readonly id: FileId };

/** Whether previews are shown of files of its type. */
type Typed = { readonly isText: 0 | 1 };

type Named = { readonly nameKey: string };

const SELECT = `SELECT ${FILE_COLUMNS} FROM file f ${FILE_JOINS}`;

/** How many characters of JSON a file may have that counts for one where files are kept. */
const KEPT_JSON = 512;

type KeptRow = FileRow & Pick<Cached<File>, "until">;

function keptFromRow({ until, ...row }: KeptRow): Cached<File> {
  const weight = 1 + (row.tags.length + row.metadata.length) / KEPT_JSON;
  return { value: fileFromRow(row), until, weight };
}

/** Single files. Unless noted, expired files are included. */
export function files(database: Database) {
  const { sql } = database;
  const kept = new VersionCache<string, File>(database);
  const visible = sql.get<KeptRow, [id: FileId, now: number], Cached<File>>(
    `SELECT ${FILE_COLUMNS}, ${firstOf("f.expires_at", "d.expires_at")} AS until FROM file f ${FILE_JOINS}
      WHERE f.id = ?1 AND ${fileIsAlive("?2")} AND ${driveIsAlive("?2")}`,
    keptFromRow,
  );
  const byPath = sql.get<FileRow, [drive: DrivePk, path: FilePath], Cached<File>>(
    `${SELECT} WHERE f.drive = ? AND f.path = ?`,
    keptFromRow,
  );
  const insertRow = sql.writeOne<FilePk, [NewRow & Typed & Named]>(
    `INSERT INTO file (id, drive, folder, path, filename, mime_type, mime_given, size, blob, tags, metadata,
                       expires_at, created_at, updated_at, version, is_text, created_text, updated_text, name_key)
     VALUES (:id, :drive, :folder, :path, :filename, :mimeType, :mimeGiven, :size, :blob, :tags, :metadata,
             :expiresAt, :createdAt, :updatedAt, :version, :isText, ${instantOf(":createdAt")},
             iif(:updatedAt = :createdAt, NULL, ${instantOf(":updatedAt")}), :nameKey) RETURNING pk`,
  );
  const insert = (row: NewRow) => insertRow({ ...row, ...typed(row), nameKey: nameKey(row.path) });
  const trashed = sql.one<PastBody & { readonly id: FileId }, [pk: TrashedFilePk]>(
    `SELECT file_id AS id, filename, mime_type AS mimeType, mime_given AS mimeGiven, size, blob, tags, metadata,
            expires_at AS expiresAt, created_at AS createdAt, updated_at AS updatedAt, version
       FROM trash_file WHERE pk = ?`,
  );
  const update = sql.write<[StoredBody & Typed & { pk: FilePk; updatedAt: number }]>(
    `UPDATE file SET filename = :filename, mime_type = :mimeType, mime_given = :mimeGiven, size = :size,
            blob = :blob, tags = :tags, metadata = :metadata, expires_at = :expiresAt, updated_at = :updatedAt,
            version = version + (blob <> :blob), is_text = :isText,
            updated_text = iif(:updatedAt = created_at, NULL, ${instantOf(":updatedAt")})
      WHERE pk = :pk`,
  );
  const place = sql.write<[FilePlace & Named & { pk: FilePk }]>(
    "UPDATE file SET drive = :drive, folder = :folder, path = :path, name_key = :nameKey WHERE pk = :pk",
  );
  return {
    /** The file with this handle, if neither it nor its drive has expired or was deleted. */
    visibleByPk: sql.get<FileRow, [pk: FilePk, now: number], File>(
      `${SELECT} WHERE f.pk = ?1 AND ${fileIsAlive("?2")} AND ${driveIsAlive("?2")}`,
      fileFromRow,
    ),
    /** The file with this id, if neither it nor its drive has expired or was deleted. */
    visible: (id: FileId, now: number) => kept.get(id, now, () => visible(id, now)),
    byId: sql.get<FileRow, [id: FileId], File>(`${SELECT} WHERE f.id = ?`, fileFromRow),
    byPath: (drive: DrivePk, path: FilePath) => kept.get(`${drive}/${path}`, 0, () => byPath(drive, path)),
    body: sql.one<StoredBody, [pk: FilePk]>(
      `SELECT filename, mime_type AS mimeType, mime_given AS mimeGiven, size, blob, tags, metadata,
              expires_at AS expiresAt
         FROM file WHERE pk = ?`,
    ),
    /** Returns its handle. Inside a write. */
    insert: (id: FileId, at: FilePlace, stored: StoredBody, now: number) =>
      insert({ ...stored, ...at, id, createdAt: now, updatedAt: now, version: 1 }),
    /** Inserts a file as it was. Inside a write. */
    insertPast: (id: FileId, at: FilePlace, past: PastBody) => insert({ ...past, ...at, id }),
    /** Remove it from the trash afterwards, as its blob must have a reference. @param naming null to keep the name */
    restore: (pk: TrashedFilePk, at: FilePlace, naming: Naming | null) =>
      insert({ ...trashed(pk), ...naming, ...at }),
    /** Changes a file's content or attributes. A new content gets the next number. Inside a write. */
    update: (pk: FilePk, stored: StoredBody, now: number) =>
      update({ ...stored, ...typed(stored), pk, updatedAt: now }),
    place: (pk: FilePk, at: FilePlace) => place({ ...at, nameKey: nameKey(at.path), pk }),
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

function typed({ mimeType }: Pick<FileBody, "mimeType">): Typed {
  return { isText: isTextType(mimeType) ? 1 : 0 };
}

export function bodyOf(file: File): FileBody {
  const { filename, mimeType, mimeGiven, size, blobPk, tags, metadata, expiresAt } = file;
  return { filename, mimeType, mimeGiven, size, blob: blobPk, tags, metadata, expiresAt };
}

/** What a copy has of its file beside the body. */
export function contentOf({ digest, preview }: File): Pick<NewBody, "digest" | "preview"> {
  return { digest, preview };
}

export function storedBody(body: FileBody): StoredBody {
  return {
    ...body,
    mimeGiven: body.mimeGiven ? 1 : 0,
    tags: JSON.stringify(body.tags),
    metadata: JSON.stringify(body.metadata),
  };
}
