import { spyOn } from "bun:test";
import type { SQLQueryBindings } from "bun:sqlite";
import type { Database } from "../../../src/db/engine/database.ts";
import { LazyStatement } from "../../../src/db/engine/connection.ts";
import { openTables, type Tables } from "../../../src/db/tables.ts";

/**
 * Counts what prepared statements do, in all and in one turn of the event loop, during which all other requests wait: a
 * unit for each call, or for each row that it returns.
 */
export class TurnMeter {
  #units = 0;
  #largest = 0;
  #total = 0;
  #isTurnKnown = false;

  /** Opens the tables of a database, and counts from now on. */
  open(database: Database): Tables {
    const prepare = spyOn(database.sql, "prepare");
    const tables = openTables(database);
    for (const { value } of prepare.mock.results) if (value instanceof LazyStatement) this.#watch(value);
    prepare.mockRestore();
    return tables;
  }

  /** All units so far. */
  get total(): number {
    return this.#total;
  }

  /** The units of the largest turn since the last call. */
  largest(): number {
    const largest = Math.max(this.#largest, this.#units);
    this.#largest = 0;
    this.#units = 0;
    return largest;
  }

  #watch<Row, Values extends SQLQueryBindings[]>(statement: LazyStatement<Row, Values>): void {
    const run = statement.run.bind(statement);
    const get = statement.get.bind(statement);
    const all = statement.all.bind(statement);
    statement.run = (...values) => this.#count(1, run(...values));
    statement.get = (...values) => this.#count(1, get(...values));
    statement.all = (...values) => {
      const rows = all(...values);
      return this.#count(Math.max(1, rows.length), rows);
    };
  }

  #count<T>(units: number, result: T): T {
    this.#units += units;
    this.#total += units;
    if (!this.#isTurnKnown) {
      this.#isTurnKnown = true;
      setImmediate(() => {
        this.#isTurnKnown = false;
        this.#largest = this.largest();
      });
    }
    return result;
  }
}
