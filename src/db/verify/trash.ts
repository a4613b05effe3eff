import { quoted } from "../../domain/upkeep/finding.ts";
import { check, counter } from "./check.ts";

interface EntryRow {
  readonly id: string;
  readonly drive: string;
  readonly path: string;
}

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
