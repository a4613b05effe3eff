import type { File, FileFacts, Metadata } from "../../domain/files/file.ts";

/** The columns of what a file's record shows, from `file f` joined as in `FILE_JOINS`. */
export const FACT_COLUMNS = `
  f.id, d.id AS driveId, f.path, f.filename, f.mime_type AS mimeType, f.size, b.digest, b.preview, f.tags, f.metadata,
  f.expires_at AS expiresAt, f.created_at AS createdAt, f.updated_at AS updatedAt`;

/** The columns of a file, from `file f` joined as in `FILE_JOINS`. */
export const FILE_COLUMNS = `${FACT_COLUMNS}, f.pk, f.drive AS drivePk, d.user AS ownerPk, f.folder AS folderPk,
  f.blob AS blobPk, f.mime_given AS mimeGiven, f.version`;

/** The joins that the columns need. */
export const FILE_JOINS = `JOIN blob b ON b.pk = f.blob JOIN drive d ON d.pk = f.drive`;

/** Some facts of a file as SQLite returns them. */
type Row<Facts extends FileFacts> = Omit<Facts, "mimeGiven" | "tags" | "metadata"> & {
  /** JSON. */
  readonly tags: string;
  /** JSON. */
  readonly metadata: string;
};

/** A row of `FACT_COLUMNS` as SQLite returns it. */
export type FactsRow = Row<FileFacts>;

/** A row of `FILE_COLUMNS` as SQLite returns it. */
export type FileRow = Row<File> & { readonly mimeGiven: 0 | 1 };

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
