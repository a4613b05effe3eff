import { Database } from "bun:sqlite";
import { existsSync } from "node:fs";
import { join } from "node:path";

/**
 * Runs statements in one transaction in the database of a data directory, even while a server uses it. The search index
 * is attached, if there is one.
 */
export function changeDatabase(dataDir: string, ...statements: readonly string[]): void {
  using database = new Database(join(dataDir, "coffer.db"));
  // The server also writes without requests.
  database.run("PRAGMA busy_timeout = 60000");
  const index = join(dataDir, "search.db");
  if (existsSync(index)) database.run("ATTACH ? AS search", [index]);
  const change = database.transaction(() => {
    for (const statement of statements) database.run(statement);
  });
  // IMMEDIATE, because a lock that is taken at the first write would not wait.
  change.immediate();
}

/** The rows of a query in the database of a data directory, each with the values of its columns. */
export function rowsIn(dataDir: string, query: string, ...parameters: readonly string[]): unknown[][] {
  using database = new Database(join(dataDir, "coffer.db"), { readonly: true });
  // After a kill the next one that opens it repairs its log.
  database.run("PRAGMA busy_timeout = 60000");
  return database.query<never, string[]>(query).values(...parameters);
}
