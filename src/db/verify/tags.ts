import type { Database as Sqlite } from "bun:sqlite";
import { type Finding, quoted } from "../../domain/upkeep/finding.ts";

interface TagRow {
  readonly drive: string | null;
  readonly path: string;
  readonly tag: string;
}

const MISSING = `
  SELECT d.id AS drive, f.path, t.value AS tag FROM file f JOIN drive d ON d.pk = f.drive, json_each(f.tags) t
   WHERE f.tags <> '[]' AND NOT EXISTS (
     SELECT 1 FROM file_tag l WHERE l.drive = f.drive AND l.tag = t.value AND l.path = f.path
        AND l.file = f.pk AND l.updated_at = f.updated_at)`;

const ORPHANS = `
  SELECT d.id AS drive, l.path, l.tag FROM file_tag l LEFT JOIN drive d ON d.pk = l.drive
   WHERE NOT EXISTS (
     SELECT 1 FROM file f, json_each(f.tags) t
      WHERE f.pk = l.file AND f.drive = l.drive AND f.path = l.path AND t.value = l.tag)`;

/** Tags of files that the list of tagged files does not have, and others that it has. */
export function* wrongTags(sql: Sqlite): Generator<Finding> {
  yield* found(sql, MISSING, "is not in the list of tagged files");
  yield* found(sql, ORPHANS, "is listed, and the file does not have it");
}

function* found(sql: Sqlite, query: string, problem: string): Generator<Finding> {
  for (const { drive, path, tag } of sql.query<TagRow, []>(query).iterate()) {
    const about = `the tag ${quoted(tag)} of file ${quoted(path)} in drive ${drive ?? "(none)"}`;
    yield { code: "tag-wrong", about: `${about}: it ${problem}` };
  }
}
