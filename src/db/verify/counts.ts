import type { Database as Sqlite } from "bun:sqlite";
import { type Finding, quoted } from "../../domain/upkeep/finding.ts";
import { instantOf } from "../files/files.ts";
import { check, counter } from "./check.ts";
import { KEPT_ROWS } from "./kept.ts";

interface PlaceRow {
  readonly kind: "file" | "folder";
  readonly drive: string;
  readonly path: string;
}

/** Files and folders that are in another folder than their path says. */
export const wrongPlaces = [
  check<PlaceRow>(
    "tree-wrong",
    `SELECT 'file' AS kind, d.id AS drive, f.path FROM file f JOIN folder h ON h.pk = f.folder
     JOIN drive d ON d.pk = f.drive
    WHERE h.drive <> f.drive OR substr(f.path, 1, length(h.path)) <> h.path
       OR instr(substr(f.path, length(h.path) + 1), '/') > 0
    UNION ALL
    SELECT 'folder' AS kind, d.id AS drive, f.path FROM folder f JOIN drive d ON d.pk = f.drive
     LEFT JOIN folder h ON h.pk = f.parent
    WHERE CASE WHEN f.path = '' THEN f.parent IS NOT NULL
               ELSE h.pk IS NULL OR h.drive <> f.drive OR substr(f.path, 1, length(h.path)) <> h.path
                 OR instr(substr(f.path, length(h.path) + 1), '/') <> length(f.path) - length(h.path) END`,
    ({ kind, drive, path }) => `${kind} ${quoted(path)} in drive ${drive}: it is in another folder`,
  ),
];

interface FolderRow {
  readonly pk: number;
  readonly drive: string;
  readonly parent: number | null;
  readonly path: string;
  readonly files: number;
  readonly bytes: number;
  readonly ownFiles: number;
  readonly ownFolders: number;
  /** What is directly inside. */
  readonly isFiles: number;
  readonly isBytes: number;
  readonly isFolders: number;
}

// In reverse path order a folder comes after everything below it.
const FOLDERS = `
  SELECT f.pk, d.id AS drive, f.parent, f.path, f.file_count AS files, f.total_size AS bytes,
         f.own_file_count AS ownFiles, f.own_folder_count AS ownFolders,
         (SELECT count(*) FROM file WHERE folder = f.pk) AS isFiles,
         (SELECT ifnull(sum(size), 0) FROM file WHERE folder = f.pk) AS isBytes,
         (SELECT count(*) FROM folder WHERE parent = f.pk) AS isFolders
    FROM folder f JOIN drive d ON d.pk = f.drive
   WHERE d.deleted_at IS NULL ORDER BY f.drive DESC, f.path DESC`;

function* wrongFolders(sql: Sqlite): Generator<Finding> {
  /** What was found below folders that are still to come. */
  const below = new Map<number, { files: number; bytes: number }>();
  for (const folder of sql.query<FolderRow, []>(FOLDERS).iterate()) {
    const { files = 0, bytes = 0 } = below.get(folder.pk) ?? {};
    below.delete(folder.pk);
    const all = { files: files + folder.isFiles, bytes: bytes + folder.isBytes };
    if (folder.parent !== null) {
      const sum = below.get(folder.parent) ?? { files: 0, bytes: 0 };
      below.set(folder.parent, { files: sum.files + all.files, bytes: sum.bytes + all.bytes });
    }
    const counters = [
      ["files", folder.files, all.files],
      ["bytes", folder.bytes, all.bytes],
      ["files directly inside", folder.ownFiles, folder.isFiles],
      ["folders directly inside", folder.ownFolders, folder.isFolders],
    ] as const;
    for (const [what, says, is] of counters) {
      if (says === is) continue;
      const about = `the ${what} of folder ${quoted(folder.path)} in drive ${folder.drive}`;
      yield { code: "counter-wrong", about: `${about}: it says ${says}, and has ${is}` };
    }
  }
}

/** Counts again what rows say of each other. Folders of deleted drives are left out: they are emptied uncounted. */
export const wrongCounts = [
  wrongFolders,
  counter(
    "the references to content",
    `SELECT * FROM (SELECT digest AS name, refs AS says,
              (SELECT count(*) FROM file f WHERE f.blob = b.pk) + ifnull(k.rows, 0) AS "is"
              FROM blob b LEFT JOIN (SELECT blob, count(*) AS rows FROM (${KEPT_ROWS}) GROUP BY blob) k ON k.blob = b.pk)
             WHERE says <> "is"`,
  ),
  counter(
    "the size of file",
    `SELECT f.id AS name, f.size AS says, b.size AS "is" FROM file f JOIN blob b ON b.pk = f.blob
             WHERE f.size <> b.size`,
  ),
  ...["drive", "user"].map((owner) =>
    counter(
      `the released bytes of ${owner}`,
      `SELECT * FROM (SELECT id AS name, released_size AS says,
                (SELECT ifnull(sum(size), 0) FROM blob WHERE released_${owner} = o.pk) AS "is" FROM ${owner} o)
               WHERE says <> "is"`,
    ),
  ),
  counter(
    "the bytes of records of drive",
    `SELECT * FROM (SELECT d.id AS name, d.record_size AS says,
              (SELECT ifnull(sum(record_size), 0) FROM file WHERE drive = d.pk)
              + (SELECT 1024 * count(*) FROM folder WHERE drive = d.pk)
              + (SELECT ifnull(sum(record_size), 0) FROM comment WHERE drive = d.pk) + ifnull(l.size, 0) AS "is"
              FROM drive d LEFT JOIN (
                SELECT drive_id, sum(size) AS size FROM (
                  SELECT drive_id, 512 AS size FROM presigned_link
                  UNION ALL SELECT drive_id, 1024 FROM upload_link
                  UNION ALL SELECT drive_id, 1024 FROM share_link) GROUP BY drive_id) l
                ON l.drive_id = d.id)
             WHERE says <> "is"`,
  ),
  counter(
    "the bytes of kept responses of owner",
    `SELECT owner AS name, sum(says) AS says, sum("is") AS "is" FROM (
              SELECT owner, size AS says, 0 AS "is" FROM idempotency_use
              UNION ALL SELECT owner, 0, 256 + octet_length(sealed) FROM idempotency_record WHERE owner IS NOT NULL
            ) GROUP BY owner HAVING sum(says) <> sum("is")`,
  ),
];

interface TagRow {
  readonly drive: string | null;
  readonly path: string;
  readonly tag: string;
}

const tagOf = ({ drive, path, tag }: TagRow) =>
  `the tag ${quoted(tag)} of file ${quoted(path)} in drive ${drive ?? "(none)"}`;

/** Tags of files that the list of tagged files does not have, and others that it has. */
export const wrongTags = [
  check<TagRow>(
    "tag-wrong",
    `SELECT d.id AS drive, f.path, t.value AS tag FROM file f JOIN drive d ON d.pk = f.drive, json_each(f.tags) t
      WHERE f.tags <> '[]' AND NOT EXISTS (
        SELECT 1 FROM file_tag l WHERE l.drive = f.drive AND l.tag = t.value AND l.path = f.path
           AND l.file = f.pk AND l.updated_at = f.updated_at)`,
    (row) => `${tagOf(row)}: it is not in the list of tagged files`,
  ),
  check<TagRow>(
    "tag-wrong",
    `SELECT d.id AS drive, l.path, l.tag FROM file_tag l LEFT JOIN drive d ON d.pk = l.drive
      WHERE NOT EXISTS (
        SELECT 1 FROM file f, json_each(f.tags) t
         WHERE f.pk = l.file AND f.drive = l.drive AND f.path = l.path AND t.value = l.tag)`,
    (row) => `${tagOf(row)}: it is listed, and the file does not have it`,
  ),
];

/** The times that lists show of files, made anew. */
export const wrongRecords = [
  check<PlaceRow>(
    "record-wrong",
    `SELECT 'file' AS kind, d.id AS drive, f.path FROM file f JOIN drive d ON d.pk = f.drive
      WHERE f.created_text <> ${instantOf("f.created_at")}
         OR ifnull(f.updated_text, f.created_text) <> ${instantOf("f.updated_at")}`,
    ({ drive, path }) => `file ${quoted(path)} in drive ${drive}: lists show other times than it has`,
  ),
];
