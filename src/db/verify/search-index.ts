import type { Database as Sqlite } from "bun:sqlite";
import { type Finding, quoted } from "../../domain/upkeep/finding.ts";
import { documentFormatOf } from "../../domain/contents/extraction.ts";
import { isTextType } from "../../domain/contents/media-type.ts";
import { SLICES_A_FILE } from "../../domain/search/slices.ts";
import { damage } from "./check.ts";
import { attachIndex, indexPathOf, isDamage } from "../search/index-tables.ts";
import { PART } from "../search/jobs.ts";

// The tables `..._docsize` belong to FTS5: they have a row for each row of the index.

/** Files that have been put into the index, as far as it is filled, and have no job for one of their parts. */
const DONE_FILES = `
  SELECT d.id AS drive, f.path, f.mime_type AS mimeType FROM file f JOIN drive d ON d.pk = f.drive
   WHERE f.pk <= (SELECT coalesce(filled_to, f.pk) FROM search_index)
     AND NOT EXISTS (SELECT 1 FROM search_job WHERE file = f.pk AND parts & ?)`;

const LACKS_NAMES = "NOT EXISTS (SELECT 1 FROM search_name_docsize WHERE id = f.pk)";
const LACKS_TEXT = `f.size > 0 AND NOT EXISTS (
  SELECT 1 FROM search_text_docsize
   WHERE id BETWEEN f.pk * ${SLICES_A_FILE} AND f.pk * ${SLICES_A_FILE} + ${SLICES_A_FILE - 1})`;

const ORPHANS = [
  { what: "the names of", query: orphans("id", "search_name_docsize") },
  { what: "the text of", query: orphans(`id / ${SLICES_A_FILE}`, "search_text_docsize") },
  {
    what: "a job for",
    query: "SELECT file FROM search_job WHERE parts <> 4 AND file NOT IN (SELECT pk FROM file)",
  },
] as const;

function orphans(file: string, table: string): string {
  return `SELECT DISTINCT ${file} AS file FROM ${table}
           WHERE ${file} NOT IN (SELECT pk FROM file) AND ${file} NOT IN (SELECT file FROM search_job WHERE parts = 4)`;
}

/** The disk has no room to read the index; the message is a note for the operator. */
export class IndexUnread extends Error {
  override readonly name = "IndexUnread";
}

/** Also what SQLite finds. A missing or foreign index is no finding: the server makes a new one. Throws IndexUnread. */
export function* wrongIndex(sql: Sqlite): Generator<Finding> {
  try {
    const index = attachIndex(sql);
    if (index === "damaged") {
      yield { code: "index-corrupt", about: `${indexPathOf(sql.filename)} is damaged, or is no database` };
    }
    if (index === "full") {
      throw new IndexUnread(`${indexPathOf(sql.filename)} was not checked: its disk is full`);
    }
    if (index === "attached") yield* wrongRows(sql);
  } catch (error) {
    if (!isDamage(error)) throw error;
    yield { code: "index-corrupt", about: String(error) };
  }
}

function* wrongRows(sql: Sqlite): Generator<Finding> {
  yield* damage("search", "index-corrupt")(sql);
  for (const { drive, path } of lacking(sql, LACKS_NAMES, PART.names)) {
    yield { code: "index-missing", about: `file ${quoted(path)} in drive ${drive}: search cannot find it` };
  }
  for (const { drive, path, mimeType } of lacking(sql, LACKS_TEXT, PART.text)) {
    if (!isTextType(mimeType) && documentFormatOf(mimeType) === null) continue;
    const about = `the text of file ${quoted(path)} in drive ${drive}: search cannot find it`;
    yield { code: "index-missing", about };
  }
  for (const { what, query } of ORPHANS) {
    for (const { file } of sql.query<{ file: number }, []>(query).iterate()) {
      yield { code: "index-orphan", about: `${what} file number ${file}: there is no such file` };
    }
  }
}

type LackingFile = Readonly<Record<"drive" | "path" | "mimeType", string>>;

function lacking(sql: Sqlite, what: string, part: number): IterableIterator<LackingFile> {
  return sql.query<LackingFile, [part: number]>(`${DONE_FILES} AND ${what}`).iterate(part);
}
