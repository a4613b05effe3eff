import type { Database as Sqlite } from "bun:sqlite";
import type { Finding } from "../../domain/upkeep/finding.ts";

interface BrokenReference {
  readonly table: string;
  readonly rowid: number | null;
  readonly parent: string;
}

/** What SQLite itself finds wrong: with its file, its indexes, and the references between rows. */
export function* brokenParts(sql: Sqlite): Generator<Finding> {
  for (const { integrity_check: said } of sql
    .query<{ integrity_check: string }, []>("PRAGMA integrity_check")
    .iterate()) {
    if (said === "ok") continue;
    for (const line of said.split("\n")) yield { code: "database-corrupt", about: line };
  }
  for (const { table, rowid, parent } of sql
    .query<BrokenReference, []>("PRAGMA foreign_key_check")
    .iterate()) {
    const row = rowid === null ? "a row" : `row ${rowid}`;
    yield { code: "row-missing", about: `${row} of ${table}: it names a row of ${parent} that is not there` };
  }
}
