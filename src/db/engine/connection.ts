import { type Changes, Database as Sqlite, type SQLQueryBindings, type Statement } from "bun:sqlite";

/** Free pages that are kept for later writes: this many at least, and this share of all pages. */
const FREE_PAGES = 1024;
const FREE_SHARE = 0.1;

type Values = SQLQueryBindings[];

/**
 * An open database. It makes functions of the statements that are used again and again: each is called with the values
 * of its parameters, in their order, or with one object of the named ones. The type of such an object must be an alias:
 * bindings have an index signature, and an interface has none.
 *
 * A statement is compiled at its first use: there are hundreds, most serve rare requests, and all together would take
 * much of a start. One takes a fraction of a millisecond. On the server's main connection, what `write`, `writeAny` and
 * `writeOne` make is only for jobs of `Database.write`.
 */
export class Connection {
  readonly #sql: Sqlite;

  constructor(sql: Sqlite) {
    this.#sql = sql;
  }

  get<Row, Of extends Values>(text: string): (...values: Of) => Row | null;
  get<Row, Of extends Values, To>(text: string, fromRow: (row: Row) => To): (...values: Of) => To | null;
  get<Row, Of extends Values, To>(
    text: string,
    fromRow?: (row: Row) => To,
  ): (...values: Of) => Row | To | null {
    const statement = this.prepare<Row, Of>(text);
    if (fromRow === undefined) return (...values) => statement.get(...values);
    return (...values) => {
      const row = statement.get(...values);
      return row === null ? null : fromRow(row);
    };
  }

  /** The row that there always is; throws if there is none. */
  one<Row, Of extends Values>(text: string): (...values: Of) => Row {
    const statement = this.prepare<Row, Of>(text);
    return (...values) => {
      const row = statement.get(...values);
      if (row === null) throw new Error(`there is no row: ${text}`);
      return row;
    };
  }

  all<Row, Of extends Values>(text: string): (...values: Of) => Row[];
  all<Row, Of extends Values, To>(text: string, fromRow: (row: Row) => To): (...values: Of) => To[];
  all<Row, Of extends Values, To>(text: string, fromRow?: (row: Row) => To): (...values: Of) => Row[] | To[] {
    const statement = this.prepare<Row, Of>(text);
    if (fromRow === undefined) return (...values) => statement.all(...values);
    return (...values) => statement.all(...values).map((row) => fromRow(row));
  }

  /** The only column of the first row; null if there is no row. */
  value<Value, Of extends Values>(text: string): (...values: Of) => Value | null {
    const statement = this.prepare<Record<string, Value>, Of>(text);
    return (...values) => {
      const row = statement.get(...values);
      return row === null ? null : onlyColumn(row);
    };
  }

  /** The same for a number; 0 if there is no row, or it has NULL. */
  number<Of extends Values>(text: string): (...values: Of) => number {
    const value = this.value<number | null, Of>(text);
    return (...values) => value(...values) ?? 0;
  }

  values<Value, Of extends Values>(text: string): (...values: Of) => Value[] {
    return this.all<Record<string, Value>, Of, Value>(text, onlyColumn);
  }

  has<Of extends Values>(text: string): (...values: Of) => boolean {
    const statement = this.prepare<object, Of>(text);
    return (...values) => statement.get(...values) !== null;
  }

  write<Of extends Values>(text: string): (...values: Of) => number {
    const statement = this.prepare<never, Of>(text);
    return (...values) => statement.run(...values).changes;
  }

  writeAny<Of extends Values>(text: string): (...values: Of) => boolean {
    const statement = this.prepare<never, Of>(text);
    return (...values) => statement.run(...values).changes > 0;
  }

  /** Removes the first rows that a condition and an order select, up to a limit, which comes last. Returns how many. */
  removeSome<Of extends Values>(
    table: string,
    which: string,
    key = "pk",
  ): (...values: [...Of, number]) => number {
    return this.write(
      `DELETE FROM ${table} WHERE ${key} IN (SELECT ${key} FROM ${table} WHERE ${which} LIMIT ?)`,
    );
  }

  /** Writes one row, and returns what `RETURNING` names of it. */
  writeOne<Value, Of extends Values>(text: string): (...values: Of) => Value {
    const one = this.one<Record<string, Value>, Of>(text);
    return (...values) => onlyColumn(one(...values));
  }

  prepare<Row, Of extends Values>(text: string): LazyStatement<Row, Of> {
    return new LazyStatement(this.#sql, text);
  }

  query<Row, Of extends Values>(text: string): ReturnType<typeof Sqlite.prototype.query<Row, Of>> {
    return this.#sql.query<Row, Of>(text);
  }

  run<Of extends Values>(text: string, ...values: Of[]): Changes {
    return this.#sql.run(text, ...values);
  }

  /** Runs `read` on one state of the database. */
  atOnce<T>(read: () => T): T {
    return this.#sql.transaction(read).deferred();
  }

  /** Returns free pages, if there are many; how many. None without auto_vacuum, as before schema 15. Inside a write. */
  releasePages(limit: number): number {
    const free = this.#pages("freelist_count");
    if (free <= Math.max(FREE_PAGES, this.#pages("page_count") * FREE_SHARE)) return 0;
    // Each step of this statement releases one page.
    this.query(`PRAGMA incremental_vacuum(${limit})`).all();
    return free - this.#pages("freelist_count");
  }

  #pages(pragma: "freelist_count" | "page_count"): number {
    return this.query<Record<string, number>, []>(`PRAGMA ${pragma}`).get()?.[pragma] ?? 0;
  }

  get inTransaction(): boolean {
    return this.#sql.inTransaction;
  }

  get filename(): string {
    return this.#sql.filename;
  }

  close(): void {
    this.#sql.close(true);
  }
}

/** Only reads: for another thread, or for what takes long. @param cache in KiB; there may be many of these */
export function openReader(path: string, cache: number): Connection {
  const sql = new Sqlite(path, { readonly: true, strict: true });
  sql.run("PRAGMA busy_timeout = 10000");
  sql.run(`PRAGMA cache_size = -${cache}`);
  return new Connection(sql);
}

/** A prepared statement that is compiled at its first use. If it does not fit the schema, that throws. */
export class LazyStatement<Row, Of extends Values> {
  readonly #sql: Sqlite;
  readonly #text: string;
  #compiled: Statement<Row, Values> | null = null;

  constructor(sql: Sqlite, text: string) {
    this.#sql = sql;
    this.#text = text;
  }

  get(...values: Of): Row | null {
    return this.#statement().get(...values);
  }

  all(...values: Of): Row[] {
    return this.#statement().all(...values);
  }

  run(...values: Of): Changes {
    return this.#statement().run(...values);
  }

  #statement(): Statement<Row, Values> {
    return (this.#compiled ??= this.#sql.prepare<Row, Values>(this.#text));
  }
}

function onlyColumn<Value>(row: Readonly<Record<string, Value>>): Value {
  // Faster than to make an array of the values.
  for (const name in row) {
    const value = row[name];
    if (value !== undefined) return value;
  }
  throw new Error("a row has no column");
}
