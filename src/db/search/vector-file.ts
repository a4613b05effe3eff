import { Database as Sqlite } from "bun:sqlite";
import { dirname, join } from "node:path";
import type { Digest } from "../../domain/contents/content.ts";
import type { Vector } from "../../domain/search/vectors.ts";
import { Connection } from "../engine/connection.ts";
import { isDamage } from "./index-tables.ts";

/** The version of the tables. A file of another version, or of another model, is made again. */
const FORMAT = 1;

export interface PassageVector {
  readonly start: number;
  readonly vector: Vector;
}

/** The vectors of contents, by the digest: so a copy, a move and an earlier version need no others. */
export function vectorPathOf(database: string): string {
  return join(dirname(database), "vectors.db");
}

/** The file of vectors. Only one connection writes it. It can be removed while no server runs: then it is made again. */
export class VectorFile {
  readonly #sql: Sqlite;
  readonly #statements;
  /** Whether there is something for a content, if only that it has no text. */
  readonly has;

  /** Opens the file of a model. One of another model, or a damaged one, is removed. */
  static async open(path: string, model: string): Promise<VectorFile> {
    const kept = await openKept(path, model);
    if (kept !== null) return new VectorFile(kept);
    for (const end of ["", "-wal", "-shm"]) {
      const file = Bun.file(path + end);
      if (await file.exists()) await file.delete();
    }
    const sql = new Sqlite(path, { readwrite: true, create: true, strict: true });
    setUp(sql);
    sql.transaction(() => createTables(sql, model)).immediate();
    return new VectorFile(sql);
  }

  private constructor(sql: Sqlite) {
    this.#sql = sql;
    const connection = new Connection(sql);
    this.has = connection.has<[digest: Digest]>("SELECT 1 FROM content WHERE digest = ?");
    this.#statements = {
      add: connection.write<[digest: Digest]>("INSERT OR IGNORE INTO content (digest) VALUES (?)"),
      pkOf: connection.one<{ pk: number }, [digest: Digest]>("SELECT pk FROM content WHERE digest = ?"),
      put: connection.write<[content: number, start: number, vector: Uint8Array]>(
        "INSERT OR REPLACE INTO passage (content, start, vector) VALUES (?, ?, ?)",
      ),
      after: connection.all<{ pk: number; digest: Digest }, [pk: number, limit: number]>(
        "SELECT pk, digest FROM content WHERE pk > ? ORDER BY pk LIMIT ?",
      ),
      removePassages: connection.write<[content: number]>("DELETE FROM passage WHERE content = ?"),
      remove: connection.write<[content: number]>("DELETE FROM content WHERE pk = ?"),
    };
  }

  /** Stores the vectors of a content: all, or none for one without text. */
  put(digest: Digest, passages: readonly PassageVector[]): void {
    const { add, pkOf, put } = this.#statements;
    this.#sql
      .transaction(() => {
        add(digest);
        const { pk } = pkOf(digest);
        for (const { start, vector } of passages) put(pk, start, new Uint8Array(vector.buffer));
      })
      .immediate();
  }

  /** Removes those of some contents that are gone. Returns the last that was looked at; null if there are no more. */
  removeGone(after: number, limit: number, isGone: (digest: Digest) => boolean): number | null {
    const { after: next, removePassages, remove } = this.#statements;
    const contents = next(after, limit);
    const gone = contents.filter(({ digest }) => isGone(digest));
    if (gone.length > 0) {
      this.#sql
        .transaction(() => {
          for (const { pk } of gone) {
            removePassages(pk);
            remove(pk);
          }
        })
        .immediate();
    }
    return (contents.length === limit ? contents.at(-1)?.pk : null) ?? null;
  }

  close(): void {
    this.#sql.close();
  }
}

async function openKept(path: string, model: string): Promise<Sqlite | null> {
  if (!(await Bun.file(path).exists())) return null;
  const sql = new Sqlite(path, { readwrite: true, create: false, strict: true });
  try {
    setUp(sql);
    if (isOf(sql, model)) return sql;
  } catch (error) {
    if (!isDamage(error)) throw error;
  }
  sql.close();
  return null;
}

function isOf(sql: Sqlite, model: string): boolean {
  const format = sql.query<{ user_version: number }, []>("PRAGMA user_version").get()?.user_version;
  return format === FORMAT && sql.query("SELECT 1 FROM model WHERE name = ?").get(model) !== null;
}

function createTables(sql: Sqlite, model: string): void {
  sql.run("CREATE TABLE model (name TEXT NOT NULL) STRICT");
  sql.run("INSERT INTO model (name) VALUES (?)", [model]);
  sql.run("CREATE TABLE content (pk INTEGER PRIMARY KEY AUTOINCREMENT, digest TEXT NOT NULL UNIQUE) STRICT");
  sql.run(
    `CREATE TABLE passage (
       content INTEGER NOT NULL, start INTEGER NOT NULL, vector BLOB NOT NULL, PRIMARY KEY (content, start)
     ) STRICT, WITHOUT ROWID`,
  );
  sql.run(`PRAGMA user_version = ${FORMAT}`);
}

function setUp(sql: Sqlite): void {
  sql.run("PRAGMA busy_timeout = 10000");
  sql.run("PRAGMA journal_mode = WAL");
  // What a power cut takes is made again.
  sql.run("PRAGMA synchronous = NORMAL");
}
