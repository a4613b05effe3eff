import { Database } from "bun:sqlite";
import { join } from "node:path";

/**
 * Puts a removal of a folder on record that nothing does: it is under way until `forgetWork`, and other writes to the
 * folder wait. Returns its id.
 */
export function recordWork(dataDir: string, drive: string, folder: string): string {
  using database = openIn(dataDir);
  const id = Bun.randomUUIDv7();
  database
    .query<null, [string, string, string, string]>(
      `INSERT INTO folder_work (id, kind, drive, path, top, created_at, files_done, files_total)
       SELECT ?, 'remove', pk, ?, ?, created_at, 3, 10 FROM drive WHERE id = ?`,
    )
    .run(id, folder, folder, drive);
  return id;
}

/** Removes what `recordWork` recorded. */
export function forgetWork(dataDir: string, id: string): void {
  using database = openIn(dataDir);
  database.query<null, [string]>("DELETE FROM folder_work WHERE id = ?").run(id);
}

function openIn(dataDir: string): Database {
  const database = new Database(join(dataDir, "coffer.db"));
  // The server also writes without requests.
  database.run("PRAGMA busy_timeout = 60000");
  return database;
}
