import { check, counter } from "./check.ts";
import { quoted } from "../../domain/upkeep/finding.ts";

/** Every row that keeps a content which a file had: versions, the trash, and what snapshots hold. */
export const KEPT_ROWS = `
  SELECT drive, blob, 0 AS held FROM file_version
  UNION ALL SELECT drive, blob, 0 FROM trash_file
  UNION ALL SELECT drive, blob, 1 FROM held_file`;

/** What each drive keeps, from the rows: each content once. */
const KEPT_CONTENTS = `
  SELECT k.drive, k.blob, b.size, count(*) AS "rows", sum(k.held) AS held,
         EXISTS (SELECT 1 FROM file f WHERE f.blob = k.blob AND f.drive = k.drive) AS live
    FROM (${KEPT_ROWS}) k JOIN blob b ON b.pk = k.blob GROUP BY k.drive, k.blob`;

/** The bytes of the records of what each drive keeps. */
const KEPT_RECORDS = `
  SELECT drive, sum(size) AS size FROM (
    SELECT drive, 512 + ifnull(octet_length(path), 0) AS size FROM file_version
    UNION ALL SELECT drive, 1024 + octet_length(metadata) FROM trash_file
    UNION ALL SELECT drive, 1024 + octet_length(metadata) FROM held_file
    UNION ALL SELECT drive, 512 FROM held_folder
    UNION ALL SELECT drive, 512 + ifnull(octet_length(message), 0) FROM change) GROUP BY drive`;

/** Counts again what drives keep of replaced and deleted files, and checks the numbers of versions. */
export const wrongKept = [
  counter(
    "the rows that keep content",
    `SELECT d.id || ' ' || b.digest AS name, ifnull(c.rows, 0) AS says, ifnull(k.rows, 0) AS "is"
              FROM (SELECT drive, blob FROM kept_content UNION SELECT drive, blob FROM (${KEPT_ROWS})) a
              JOIN drive d ON d.pk = a.drive JOIN blob b ON b.pk = a.blob
              LEFT JOIN kept_content c ON c.drive = a.drive AND c.blob = a.blob
              LEFT JOIN (${KEPT_CONTENTS}) k ON k.drive = a.drive AND k.blob = a.blob
             WHERE (c.rows, c.held, c.live, c.size) IS NOT (k.rows, k.held, k.live, k.size)`,
  ),
  counter(
    "the kept bytes of drive",
    `SELECT * FROM (SELECT id AS name, kept_size AS says,
              (SELECT ifnull(sum(size), 0) FROM kept_content WHERE drive = d.pk AND live = 0) AS "is" FROM drive d)
             WHERE says <> "is"`,
  ),
  counter(
    "the bytes that snapshots hold of drive",
    `SELECT * FROM (SELECT id AS name, held_size AS says,
              (SELECT ifnull(sum(size), 0) FROM kept_content WHERE drive = d.pk AND live = 0 AND held > 0) AS "is"
              FROM drive d)
             WHERE says <> "is"`,
  ),
  counter(
    "the bytes of kept records of drive",
    `SELECT d.id AS name, d.kept_records AS says, ifnull(k.size, 0) AS "is"
              FROM drive d LEFT JOIN (${KEPT_RECORDS}) k ON k.drive = d.pk
             WHERE d.kept_records <> ifnull(k.size, 0)`,
  ),
  counter(
    "the number of the content of file",
    `SELECT f.id AS name, f.version AS says, v.last + 1 AS "is"
              FROM (SELECT file_id, max(version) AS last FROM file_version GROUP BY file_id) v
              JOIN file f ON f.id = v.file_id WHERE f.version <= v.last`,
  ),
  counter(
    "the changes of drive",
    `SELECT d.id AS name, d.change_count AS says, ifnull(c.changes, 0) AS "is"
              FROM drive d LEFT JOIN (SELECT drive, count(*) AS changes FROM change GROUP BY drive) c ON c.drive = d.pk
             WHERE d.change_count <> ifnull(c.changes, 0)`,
  ),
  counter(
    "the size of",
    `SELECT k.name, k.size AS says, b.size AS "is"
              FROM (SELECT 'version ' || version || ' of file ' || file_id AS name, blob, size FROM file_version
                    UNION ALL SELECT 'file ' || file_id || ' in the trash', blob, size FROM trash_file
                    UNION ALL SELECT 'file ' || file_id || ' in snapshots', blob, size FROM held_file) k
              JOIN blob b ON b.pk = k.blob WHERE k.size <> b.size`,
  ),
];

type EntryRow = Readonly<Record<"id" | "drive" | "path", string>>;

/** Entries of the trash with wrong counts or states, and files that are in the trash and in a drive at once. */
export const wrongTrash = [
  counter(
    "the size of trash entry",
    `SELECT t.id AS name, t.size AS says, ifnull(sum(f.size), 0) AS "is"
       FROM trash t LEFT JOIN trash_file f ON f.entry = t.pk GROUP BY t.pk HAVING says <> "is"`,
  ),
  counter(
    "the number of files of trash entry",
    `SELECT t.id AS name, t.file_count AS says, count(f.pk) AS "is"
       FROM trash t LEFT JOIN trash_file f ON f.entry = t.pk GROUP BY t.pk HAVING says <> "is"`,
  ),
  check<EntryRow>(
    "tree-wrong",
    // In a drive that is deleted or has expired, what used an entry may be gone.
    `SELECT t.id, d.id AS drive, t.path FROM trash t JOIN drive d ON d.pk = t.drive
      WHERE d.deleted_at IS NULL AND (d.expires_at IS NULL OR d.expires_at > unixepoch() * 1000)
        AND (t.state = 'filling') <> (t.pk IN (SELECT trash FROM folder_work WHERE trash IS NOT NULL))`,
    ({ id, drive, path }) =>
      `trash entry ${id} of ${quoted(path)} in drive ${drive}: its state is not that of its change`,
  ),
  check<EntryRow>(
    "tree-wrong",
    `SELECT f.file_id AS id, d.id AS drive, t.path || f.path AS path
       FROM trash_file f JOIN trash t ON t.pk = f.entry JOIN drive d ON d.pk = t.drive
      WHERE EXISTS (SELECT 1 FROM file x WHERE x.id = f.file_id)`,
    ({ id, drive, path }) =>
      `file ${id} of ${quoted(path)} in drive ${drive}: it is in the trash, and in a drive as well`,
  ),
];
