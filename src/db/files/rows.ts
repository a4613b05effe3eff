import { prefixEnd } from "../../domain/files/path.ts";
import type { File, FileFacts, Metadata } from "../../domain/files/file.ts";

// SQLite sorts every text before every blob, so this is the end of a range of paths that has no other.
const AFTER_ALL_TEXT = new Uint8Array([0]);

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
