import type { Database as Sqlite } from "bun:sqlite";
import type { Finding, FindingCode } from "../../domain/upkeep/finding.ts";

export type Check = (sql: Sqlite) => Generator<Finding>;

/** Each row of a query is a finding. */
export function check<Row>(code: FindingCode, query: string, about: (row: Row) => string): Check {
  return function* (sql) {
    for (const row of sql.query<Row, []>(query).iterate()) yield { code, about: about(row) };
  };
}

/** What SQLite itself finds wrong with a file and its indexes. */
export function damage(schema: "main" | "search", code: FindingCode): Check {
  return function* (sql) {
    const found = sql.query<{ integrity_check: string }, []>(`PRAGMA ${schema}.integrity_check`);
    for (const { integrity_check: said } of found.iterate()) {
      if (said !== "ok") for (const line of said.split("\n")) yield { code, about: line };
    }
  };
}

/** A stored count or size. The query finds what differs: its `name`, what it `says`, and what it `is`. */
export function counter(of: string, query: string): Check {
  return check<{ name: string; says: number; is: number }>(
    "counter-wrong",
    query,
    ({ name, says, is }) => `${of} ${name}: it says ${says}, and has ${is}`,
  );
}
