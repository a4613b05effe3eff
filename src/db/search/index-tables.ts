import { type Database as Sqlite, SQLiteError } from "bun:sqlite";
import { dirname, join } from "node:path";
import { hadNoRoomToOpen, sqliteCode } from "../engine/write-failures.ts";

/** The version of the tables and of the terms in them. An index of another version is made again. */
export const FORMAT = 4;

export class IndexDamaged extends Error {
  override readonly name = "IndexDamaged";
}

/** Where the tables of the index are in a connection. */
export type IndexSchema = "main" | "search" | "temp";

const TABLES = ["search_name", "search_text"];
/** Texts that are not the contents themselves, compressed with zstd, for the passages that a search shows. */
const DOCUMENTS = "search_document";

/** The full-text index of a database. It is made from that, and can be removed while no server runs. */
export function indexPathOf(database: string): string {
  return join(dirname(database), "search.db");
}

/**
 * Creates the tables of the index. They hold lists of terms, and the texts of documents. The rowid of `search_name` is
 * the file's pk; that of `search_text` is the file's pk * SLICES_A_FILE + the number of the slice of its text. A text
 * that was indexed has at least one row.
 *
 * FTS5 merges the segments of an index while it is written to, and what one write then does has no bound: leaving out
 * what was deleted took up to 370 ms. So neither a write (automerge) nor the number of segments (crisismerge) starts a
 * merge: `IndexFile.merge` does. A segment is written anew once a tenth of it was deleted (deletemerge), so that the space
 * comes back.
 */
export function createIndexTables(sql: Sqlite, schema: Exclude<IndexSchema, "search">): void {
  for (const table of TABLES) {
    sql.run(
      `CREATE VIRTUAL TABLE ${schema}.${table} USING fts5 (
         tokens, content = '', contentless_delete = 1, tokenize = "ascii tokenchars '_'"
       )`,
    );
    sql.run(`INSERT INTO ${schema}.${table} (${table}, rank) VALUES ('automerge', 0), ('crisismerge', 1999)`);
  }
  sql.run(`CREATE TABLE ${schema}.${DOCUMENTS} (file INTEGER PRIMARY KEY, text BLOB NOT NULL) STRICT`);
}

export function isDamage(error: unknown): boolean {
  const code = sqliteCode(error);
  return ["SQLITE_CORRUPT", "SQLITE_NOTADB"].some((known) => code.startsWith(known));
}

/** What became of an attempt to attach an index; `damaged` if it cannot be read, `full` if there is no room to. */
type Attached = "attached" | "missing" | "damaged" | "foreign" | "full";

/** Attaches the index as `search`, if it is the database's. A job that a statement finds done is in the index. */
export function attachIndex(sql: Sqlite): Attached {
  try {
    sql.run("ATTACH ? AS search", [indexPathOf(sql.filename)]);
  } catch (error) {
    if (!(error instanceof SQLiteError)) throw error;
    if (error.code?.startsWith("SQLITE_CANTOPEN") === true) {
      // Else it is there, and cannot be opened for now: for lack of descriptors.
      if (Bun.file(indexPathOf(sql.filename)).size > 0) throw error;
      return "missing";
    }
    return hadNoRoomToOpen(error) ? "full" : "damaged";
  }
  const state = stateOf(sql);
  if (state !== "attached") sql.run("DETACH search");
  return state;
}

/** The index for searches. If it is missing or foreign, it is empty until it is made: then call this again. */
export function openIndex(sql: Sqlite): Exclude<IndexSchema, "main"> {
  const isAttached = attachIndex(sql) === "attached";
  for (const table of [...TABLES, DOCUMENTS]) sql.run(`DROP TABLE IF EXISTS temp.${table}`);
  if (isAttached) return "search";
  createIndexTables(sql, "temp");
  return "temp";
}

function stateOf(sql: Sqlite): Attached {
  try {
    const format = sql.query<{ user_version: number }, []>("PRAGMA search.user_version").get()?.user_version;
    if (format !== FORMAT) return "foreign";
    const own = sql
      .query(
        "SELECT 1 FROM main.search_index i CROSS JOIN search.search_batch b WHERE i.batch IN (b.last, b.previous)",
      )
      .get();
    return own === null ? "foreign" : "attached";
  } catch (error) {
    if (isDamage(error)) return "damaged";
    throw error;
  }
}
