import { Database as Sqlite } from "bun:sqlite";
import { join } from "node:path";
import { eventually } from "./scenario.ts";

/**
 * Waits until everything in a data directory is in the search index of its server. A search waits for what was just
 * written as well, but not for as long as some machines may take.
 */
export async function settledIndex(dataDir: string): Promise<void> {
  using sql = new Sqlite(join(dataDir, "coffer.db"), { readonly: true });
  sql.run("PRAGMA busy_timeout = 10000");
  const jobs = sql.prepare("SELECT 1 FROM search_job LIMIT 1");
  const full = sql.prepare("SELECT 1 FROM search_index WHERE filled_to IS NULL");
  await eventually(() => jobs.get() === null && full.get() !== null);
}
