import type { Digest } from "../domain/digest.ts";
import type { File, Metadata } from "../domain/file.ts";

/** The columns of a file's record, from `file f` joined as in `FILE_JOINS`. */
export const FILE_COLUMNS = `
  f.pk, f.id, f.drive AS drivePk, d.id AS driveId, d.user AS ownerPk, f.folder AS folderPk, f.path, f.filename,
  f.mime_type AS mimeType, f.mime_given AS mimeGiven, f.size, f.blob AS blobPk, b.digest, b.preview, f.tags, f.metadata,
  f.expires_at AS expiresAt, f.created_at AS createdAt, f.updated_at AS updatedAt`;

/** The joins that `FILE_COLUMNS` needs. */
export const FILE_JOINS = `JOIN blob b ON b.pk = f.blob JOIN drive d ON d.pk = f.drive`;

/** A row of `FILE_COLUMNS` as SQLite returns it. */
export interface FileRow extends Omit<File, "mimeGiven" | "tags" | "metadata"> {
  readonly digest: Digest;
  readonly mimeGiven: 0 | 1;
  readonly tags: string;
  readonly metadata: string;
}

/** The file of a row of `FILE_COLUMNS`. */
export function fileFromRow(row: FileRow): File {
  const tags: string[] = JSON.parse(row.tags);
  const metadata: Metadata = JSON.parse(row.metadata);
  return { ...row, mimeGiven: row.mimeGiven === 1, tags, metadata };
}
