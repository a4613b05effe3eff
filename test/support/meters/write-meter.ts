import { spyOn } from "bun:test";
import type { Database } from "../../../src/db/engine/database.ts";

/** Counts the rows that each transaction changes, including those of triggers and of the index. */
export class WriteMeter implements Disposable {
  readonly #sql: Database["sql"];
  readonly #spy;
  #begun = 0;
  #sizes: number[] = [];

  /** @param committed is called after each commit */
  constructor({ sql }: Database, committed: () => void = () => {}) {
    this.#sql = sql;
    const run = sql.run.bind(sql);
    this.#spy = spyOn(sql, "run").mockImplementation((text: string) => {
      if (text === "BEGIN IMMEDIATE") this.#begun = this.#total();
      const result = run(text);
      if (text === "COMMIT") {
        this.#sizes.push(this.#total() - this.#begun);
        committed();
      }
      return result;
    });
  }

  /** The rows of the largest transaction since the last call. */
  largest(): number {
    const sizes = this.#sizes;
    this.#sizes = [];
    return Math.max(0, ...sizes);
  }

  /** How many transactions there were since the last call of `largest`. */
  get count(): number {
    return this.#sizes.length;
  }

  [Symbol.dispose](): void {
    this.#spy.mockRestore();
  }

  #total(): number {
    return this.#sql.query<{ rows: number }, []>("SELECT total_changes() AS rows").get()?.rows ?? 0;
  }
}
