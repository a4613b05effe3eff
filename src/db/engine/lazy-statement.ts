import type { Changes, Database as Sqlite, SQLQueryBindings, Statement } from "bun:sqlite";

/** A prepared statement that is compiled at its first use. If it does not fit the schema, that throws. */
export class LazyStatement<Row, Values extends SQLQueryBindings[]> {
  readonly #sql: Sqlite;
  readonly #text: string;
  #compiled: Statement<Row, SQLQueryBindings[]> | null = null;

  constructor(sql: Sqlite, text: string) {
    this.#sql = sql;
    this.#text = text;
  }

  /** The first row; null if there is none. */
  get(...values: Values): Row | null {
    return this.#statement().get(...values);
  }

  all(...values: Values): Row[] {
    return this.#statement().all(...values);
  }

  /** Runs it to its end. */
  run(...values: Values): Changes {
    return this.#statement().run(...values);
  }

  #statement(): Statement<Row, SQLQueryBindings[]> {
    return (this.#compiled ??= this.#sql.prepare<Row, SQLQueryBindings[]>(this.#text));
  }
}
