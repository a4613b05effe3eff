import { Database as Sqlite } from "bun:sqlite";
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";

/** One step of the schema. Never edit a released one: add a new step. */
export interface Migration {
  /** Consecutive from 1. */
  readonly version: number;
  readonly name: string;
  readonly sql: string;
}

/** Reads the steps, each a file such as `0002_file_sorts.sql`. A macro: only the compiler calls it. */
export function stepsIn(folder: string): Migration[] {
  const root = join(import.meta.dir, folder);
  return readdirSync(root)
    .toSorted()
    .map((file) => {
      const [number = "", ...name] = file.replace(/\.sql$/, "").split("_");
      return { version: Number(number), name: name.join("-"), sql: readFileSync(join(root, file), "utf8") };
    });
}

/**
 * Statements that make at once what all steps make one after the other, which takes six times as long. A macro: only
 * the compiler calls it.
 */
export function schemaOf(folder: string): string {
  using db = new Sqlite(":memory:");
  for (const { sql } of stepsIn(folder)) db.run(sql);
  // Triggers of one table fire in an order that follows from that of the schema.
  const parts = db
    .query<Pick<Migration, "name" | "sql">, []>(
      `SELECT name, sql FROM sqlite_schema WHERE sql IS NOT NULL AND name NOT LIKE 'sqlite!_%' ESCAPE '!'
        ORDER BY type <> 'table', rowid`,
    )
    .all();
  const tables = parts.filter(({ sql }) => sql.startsWith("CREATE TABLE"));
  return [...parts.map(({ sql }) => sql), ...tables.flatMap(({ name }) => rowsOf(db, name))].join(";\n");
}

function rowsOf(db: Sqlite, table: string): string[] {
  const columns = db.query<{ quoted: string }, [string]>(
    "SELECT group_concat(format('quote(\"%w\")', name), ',') AS quoted FROM pragma_table_info(?)",
  );
  const values = `SELECT concat_ws(', ', ${columns.get(table)?.quoted}) AS row FROM "${table}"`;
  return db
    .query<{ row: string }, []>(values)
    .all()
    .map(({ row }) => `INSERT INTO "${table}" VALUES (${row})`);
}
