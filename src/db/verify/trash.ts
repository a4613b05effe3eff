import type { Database as Sqlite } from "bun:sqlite";
import { type Finding, quoted } from "../../domain/upkeep/finding.ts";

interface CountRow {
  readonly id: string;
  readonly what: string;
  readonly says: number;
  readonly is: number;
}

interface EntryRow {
  readonly id: string;
  readonly drive: string;
  readonly path: string;
}

const COUNTS = `
  SELECT t.id, 'size' AS what, t.size AS says, ifnull(sum(f.size), 0) AS "is"
    FROM trash t LEFT JOIN trash_file f ON f.entry = t.pk GROUP BY t.pk HAVING says <> "is"
  UNION ALL
  SELECT t.id, 'number of files', t.file_count AS says, count(f.pk) AS "is"
    FROM trash t LEFT JOIN trash_file f ON f.entry = t.pk GROUP BY t.pk HAVING says <> "is"`;

/** In a drive that is deleted or has expired, what used an entry may be gone. */
const STUCK = `
  SELECT t.id, d.id AS drive, t.path FROM trash t JOIN drive d ON d.pk = t.drive
   WHERE d.deleted_at IS NULL AND (d.expires_at IS NULL OR d.expires_at > unixepoch() * 1000)
     AND (t.state = 'filling') <> (t.pk IN (SELECT trash FROM folder_work WHERE trash IS NOT NULL))`;

const TWICE = `
  SELECT f.file_id AS id, d.id AS drive, t.path || f.path AS path
    FROM trash_file f JOIN trash t ON t.pk = f.entry JOIN drive d ON d.pk = t.drive
   WHERE EXISTS (SELECT 1 FROM file x WHERE x.id = f.file_id)`;

/** Entries of the trash with wrong counts or states, and files that are in the trash and in a drive at once. */
export function* wrongTrash(sql: Sqlite): Generator<Finding> {
  for (const { id, what, says, is } of sql.query<CountRow, []>(COUNTS).iterate()) {
    yield {
      code: "counter-wrong",
      about: `the ${what} of trash entry ${id}: it says ${says}, and has ${is}`,
    };
  }
  for (const { id, drive, path } of sql.query<EntryRow, []>(STUCK).iterate()) {
    const about = `trash entry ${id} of ${quoted(path)} in drive ${drive}: its state is not that of its change`;
    yield { code: "tree-wrong", about };
  }
  for (const { id, drive, path } of sql.query<EntryRow, []>(TWICE).iterate()) {
    const about = `file ${id} of ${quoted(path)} in drive ${drive}: it is in the trash, and in a drive as well`;
    yield { code: "tree-wrong", about };
  }
}
