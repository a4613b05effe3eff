import type { Database as Sqlite } from "bun:sqlite";

/**
 * How many pages one step of a merge writes. SQLite counts the pages it writes, and ends a step only between two
 * terms. It may read many more pages: if much was deleted, or if a term is in every file of a large drive.
 */
const MERGED_PAGES = 32;

/**
 * Merges a few pages of the full-text index. Nothing else does: all writes only add to it. Returns how many rows were
 * changed; if not 0, there may be more to merge.
 *
 * @see https://sqlite.org/fts5.html#the_merge_command, also for the meaning of the number of changes
 */
export function mergeSome(sql: Sqlite): number {
  let rows = 0;
  for (const index of ["search_name", "search_text"]) {
    const before = totalChanges(sql);
    sql.query<never, [number]>(`INSERT INTO ${index} (${index}, rank) VALUES ('merge', ?)`).run(MERGED_PAGES);
    const changed = totalChanges(sql) - before;
    if (changed >= 2) rows += changed;
  }
  return rows;
}

function totalChanges(sql: Sqlite): number {
  return sql.query<{ rows: number }, []>("SELECT total_changes() AS rows").get()?.rows ?? 0;
}
