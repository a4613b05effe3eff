import { Database } from "bun:sqlite";
import { join } from "node:path";

/** Runs statements together in the database of a data directory, behind the back of a server that may use it. */
export function changeDatabase(dataDir: string, ...statements: readonly string[]): void {
  using database = new Database(join(dataDir, "coffer.db"));
  // The server writes now and then without being asked to.
  database.run("PRAGMA busy_timeout = 60000");
  const change = database.transaction(() => {
    for (const statement of statements) database.run(statement);
  });
  // Taking the lock only with the first write would not wait for it.
  change.immediate();
}
