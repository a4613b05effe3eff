import type { File } from "../../domain/files/file.ts";
import type { FileId } from "../../domain/id.ts";
import type { Database } from "../engine/database.ts";

/** The label of the content of a file with a number, as a column. */
export function labelOf(file: string, version: string): string {
  return `(SELECT l.label FROM version_label l WHERE l.file_id = ${file} AND l.version = ${version}) AS label`;
}

/** What was said of the change in a drive that gave a file the content with a number, as a column. */
export function messageOf(drive: string, file: string, version: string): string {
  return `(SELECT c.message FROM change c INDEXED BY change_message
            WHERE c.file_id = ${file} AND c.version = ${version} AND c.drive = ${drive} AND c.message IS NOT NULL
              AND c.type IN ('file.created', 'file.updated') AND c.before_digest IS NOT c.after_digest
            ORDER BY c.pk LIMIT 1) AS message`;
}

type Labelled = { readonly file: FileId; readonly label: string; readonly version: number };

/** Names of contents that files have or had. */
export function versionLabels({ sql }: Database) {
  const present = sql.one<
    { label: string | null; message: string | null },
    [Record<string, string | number>]
  >(`SELECT ${labelOf(":file", ":version")}, ${messageOf(":drive", ":file", ":version")}`);
  const clear = sql.write<[Labelled]>(
    `DELETE FROM version_label WHERE file_id = :file AND (label = :label OR version = :version
        OR version NOT IN (SELECT version FROM file_version WHERE file_id = :file
                           UNION ALL SELECT version FROM file WHERE id = :file))`,
  );
  const insert = sql.write<[Labelled]>(
    "INSERT INTO version_label (file_id, label, version) VALUES (:file, :label, :version)",
  );
  return {
    /** What is known of the content that a file has now. */
    ofPresent: ({ id: file, version, drivePk: drive }: File) => present({ file, version, drive }),
    get: sql.value<string, [file: FileId, version: number]>(
      "SELECT label FROM version_label WHERE file_id = ? AND version = ?",
    ),
    /** Takes the label from any other content, and what this one had; those of contents that are gone go. Inside a write. */
    set: (labelled: Labelled) => {
      clear(labelled);
      insert(labelled);
    },
    remove: sql.write<[file: FileId, version: number]>(
      "DELETE FROM version_label WHERE file_id = ? AND version = ?",
    ),
    removeAllOf: sql.write<[file: FileId]>("DELETE FROM version_label WHERE file_id = ?"),
  };
}
