import type { Database as Sqlite } from "bun:sqlite";
import { type Finding, quoted } from "../../domain/finding.ts";
import { SLICES_A_FILE } from "../../domain/search/slices.ts";

// The tables `..._docsize` belong to FTS5: they have a row for each row of the index.

const MISSING = `
  SELECT d.id AS drive, f.path FROM file f JOIN drive d ON d.pk = f.drive
   WHERE NOT EXISTS (SELECT 1 FROM search_name_docsize WHERE id = f.pk)
     AND NOT EXISTS (SELECT 1 FROM search_job WHERE file = f.pk AND part = 0)`;

const ORPHANS = [
  { what: "the names of", query: orphans("id", "search_name_docsize") },
  { what: "the text of", query: orphans(`id / ${SLICES_A_FILE}`, "search_text_docsize") },
  { what: "a job for", query: "SELECT file FROM search_job WHERE file NOT IN (SELECT pk FROM file)" },
] as const;

function orphans(file: string, table: string): string {
  return `SELECT DISTINCT ${file} AS file FROM ${table}
           WHERE ${file} NOT IN (SELECT pk FROM file) AND ${file} NOT IN (SELECT file FROM search_gone)`;
}

/**
 * Files whose names the index does not have and will not get, and files in the index that are not there. Which texts
 * must be in it is not checked: that takes reading all of them.
 */
export function* wrongIndex(sql: Sqlite): Generator<Finding> {
  for (const { drive, path } of sql.query<{ drive: string; path: string }, []>(MISSING).iterate()) {
    yield { code: "index-missing", about: `file ${quoted(path)} in drive ${drive}: search cannot find it` };
  }
  for (const { what, query } of ORPHANS) {
    for (const { file } of sql.query<{ file: number }, []>(query).iterate()) {
      yield { code: "index-orphan", about: `${what} file number ${file}: there is no such file` };
    }
  }
}
