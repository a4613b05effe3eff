import { Database as Sqlite } from "bun:sqlite";
import { join } from "node:path";
import type { TestAppliance } from "./appliance.ts";
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

/** The same in this process, also of what was stored without the server. */
export async function indexAll({ appliance, dataDir }: TestAppliance): Promise<void> {
  appliance.services.indexer.wake();
  await settledIndex(dataDir);
}
