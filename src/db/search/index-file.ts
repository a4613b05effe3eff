import { Database as Sqlite } from "bun:sqlite";
import { codeOf } from "../../domain/errors.ts";
import type { IndexBatchId, FilePk } from "../../domain/id.ts";
import { SLICES_A_FILE } from "../../domain/search/slices.ts";
import { Connection } from "../engine/connection.ts";
import { createIndexTables, FORMAT, isDamage } from "./index-tables.ts";

/** Bytes of the log that are kept. */
const LOG_BYTES = 16 * 1024 * 1024;
/** When the log has this many pages, it is copied into the file. */
const LOG_PAGES = 2000;
/** How many pages a step of a merge writes, to the end of a term. It may read many more: of what was deleted. */
const MERGED_PAGES = 32;
const RELEASED_PAGES = 1000;

export interface IndexedText {
  readonly file: FilePk;
  /** The terms of each slice; no slices for a file without text. */
  readonly slices: readonly string[];
  /** The text, where it is not the content itself. */
  readonly document?: string;
}

export interface IndexChanges {
  readonly names: readonly { readonly file: FilePk; readonly tokens: string }[];
  readonly texts: readonly IndexedText[];
  readonly gone: readonly FilePk[];
}

/** The name of a batch, and of the one before whose jobs are done. */
export interface Batch {
  readonly id: IndexBatchId;
  readonly previous: IndexBatchId;
}

/**
 * The file of the full-text index. Only one connection writes it.
 *
 * Both it and the main database remember the last batch of jobs. The index is ahead by one batch at most, whose jobs
 * are done again after a crash. So another index, or a copy of another time, is not taken for the one of a database.
 */
export class IndexFile {
  readonly #sql: Sqlite;
  readonly #connection: Connection;
  readonly #statements;
  readonly hasNames;

  /** Over an open connection to a file that has the tables. */
  constructor(sql: Sqlite) {
    this.#sql = sql;
    const connection = new Connection(sql);
    this.#connection = connection;
    this.hasNames = connection.has<[file: FilePk]>("SELECT 1 FROM search_name_docsize WHERE id = ?");
    this.#statements = {
      textRows: connection.values<number, [file: FilePk]>(
        `SELECT id FROM search_text_docsize
          WHERE id BETWEEN ?1 * ${SLICES_A_FILE} AND ?1 * ${SLICES_A_FILE} + ${SLICES_A_FILE - 1}`,
      ),
      removeName: connection.write<[file: FilePk]>("DELETE FROM search_name WHERE rowid = ?"),
      removeText: connection.write<[row: number]>("DELETE FROM search_text WHERE rowid = ?"),
      putName: connection.write<[file: FilePk, tokens: string]>(
        "INSERT INTO search_name (rowid, tokens) VALUES (?, ?)",
      ),
      putText: connection.write<[row: number, tokens: string]>(
        "INSERT INTO search_text (rowid, tokens) VALUES (?, ?)",
      ),
      removeDocument: connection.write<[file: FilePk]>("DELETE FROM search_document WHERE file = ?"),
      putDocument: connection.write<[file: FilePk, text: Uint8Array]>(
        "INSERT INTO search_document (file, text) VALUES (?, ?)",
      ),
      setBatch: connection.write<[last: IndexBatchId, previous: IndexBatchId]>(
        "UPDATE search_batch SET last = ?, previous = ? WHERE pk = 1",
      ),
      settle: connection.write<[batch: IndexBatchId | null]>(
        "UPDATE search_batch SET previous = last WHERE pk = 1 AND last = ? AND previous <> last",
      ),
    };
  }

  /** Opens the index of a database whose last batch this is. Null if there is none, or it is damaged or another's. */
  static async open(path: string, batch: IndexBatchId): Promise<IndexFile | null> {
    if (!(await Bun.file(path).exists())) return null;
    let sql: Sqlite | null = null;
    try {
      sql = new Sqlite(path, { readwrite: true, create: false, strict: true });
      setUp(sql);
      if (belongsTo(sql, batch)) return new IndexFile(sql);
    } catch (error) {
      sql?.close();
      if (isDamage(error)) return null;
      throw error;
    }
    sql.close();
    return null;
  }

  static async make(path: string, batch: IndexBatchId): Promise<IndexFile> {
    // The database first: it must not be left without its log.
    for (const end of ["", "-wal", "-shm"])
      await Bun.file(path + end)
        .delete()
        .catch((error: unknown) => {
          if (codeOf(error) !== "ENOENT") throw error;
        });
    const sql = new Sqlite(path, { readwrite: true, create: true, strict: true });
    try {
      sql.run("PRAGMA auto_vacuum = INCREMENTAL");
      setUp(sql);
      sql
        .transaction(() => {
          createIndexTables(sql, "main");
          sql.run(
            `CREATE TABLE search_batch (
               pk INTEGER PRIMARY KEY CHECK (pk = 1), last TEXT NOT NULL, previous TEXT NOT NULL
             ) STRICT`,
          );
          sql.run("INSERT INTO search_batch (pk, last, previous) VALUES (1, ?1, ?1)", [batch]);
          sql.run(`PRAGMA user_version = ${FORMAT}`);
        })
        .immediate();
      return new IndexFile(sql);
    } catch (error) {
      sql.close();
      throw error;
    }
  }

  /** Writes a batch; it is on the disk when this returns. */
  write({ id, previous }: Batch, { names, texts, gone }: IndexChanges): void {
    this.#sql.run("PRAGMA synchronous = FULL");
    this.#sql
      .transaction(() => {
        const { textRows, removeName, removeText, removeDocument, putName, putText, putDocument } =
          this.#statements;
        // First all that is removed, then the rest in order: FTS5 writes what it has collected to the disk whenever
        // rows are not in order.
        for (const file of [...gone, ...names.map((name) => name.file)]) removeName(file);
        for (const file of [...gone, ...texts.map((text) => text.file)]) {
          for (const row of textRows(file)) removeText(row);
          removeDocument(file);
        }
        for (const { file, tokens } of inOrder(names)) putName(file, tokens);
        for (const { file, slices, document = "" } of inOrder(texts)) {
          if (document !== "") putDocument(file, Bun.zstdCompressSync(document));
          for (const [slice, tokens] of slices.entries()) putText(file * SLICES_A_FILE + slice, tokens);
        }
        this.#statements.setBatch(id, previous);
      })
      .immediate();
    this.#sql.run("PRAGMA synchronous = NORMAL");
  }

  hasText(file: FilePk): boolean {
    return this.#statements.textRows(file).length > 0;
  }

  /** Merges a little. Returns whether something was merged; then there may be more. */
  merge(): boolean {
    return this.#sql.transaction(() => this.#mergeSome() > 0).immediate();
  }

  /** Nothing else merges. Returns 0 if there is no more to merge: https://sqlite.org/fts5.html#the_merge_command. */
  #mergeSome(): number {
    let rows = 0;
    for (const index of ["search_name", "search_text"]) {
      const before = this.#totalChanges();
      this.#sql.run(`INSERT INTO ${index} (${index}, rank) VALUES ('merge', ?)`, [MERGED_PAGES]);
      const changed = this.#totalChanges() - before;
      if (changed >= 2) rows += changed;
    }
    return rows;
  }

  #totalChanges(): number {
    return this.#sql.query<{ rows: number }, []>("SELECT total_changes() AS rows").get()?.rows ?? 0;
  }

  /** Gives back some space of the disk, and memory. Returns whether there may be more space to give back. */
  release(): boolean {
    const isMore = this.#connection.releasePages(RELEASED_PAGES) > 0;
    this.#sql.run("PRAGMA shrink_memory");
    return isMore;
  }

  /** Empties the log if no search reads it. @param batch the last one whose jobs are done: it is not ahead any more */
  close(batch: IndexBatchId | null): void {
    try {
      this.#statements.settle(batch);
    } catch {
      // On a full disk, for example. The index then counts as ahead, and the next start opens it all the same.
    }
    this.#sql.close(true);
  }
}

function setUp(sql: Sqlite): void {
  sql.run("PRAGMA busy_timeout = 10000");
  sql.run("PRAGMA journal_mode = WAL");
  // Merges are not synced.
  sql.run("PRAGMA synchronous = NORMAL");
  sql.run("PRAGMA temp_store = MEMORY");
  sql.run("PRAGMA cache_size = -4000");
  sql.run(`PRAGMA wal_autocheckpoint = ${LOG_PAGES}`);
  sql.run(`PRAGMA journal_size_limit = ${LOG_BYTES}`);
}

function belongsTo(sql: Sqlite, batch: IndexBatchId): boolean {
  const format = sql.query<{ user_version: number }, []>("PRAGMA user_version").get()?.user_version;
  if (format !== FORMAT) return false;
  return sql.query("SELECT 1 FROM search_batch WHERE ? IN (last, previous)").get(batch) !== null;
}

function inOrder<Change extends { readonly file: FilePk }>(changes: readonly Change[]): Change[] {
  return changes.toSorted((a, b) => a.file - b.file);
}
