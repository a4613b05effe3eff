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

/** What belongs to somebody: what waits for its removal in the background does not. */
const BELONGINGS = [
  "* FROM user",
  "* FROM session",
  "* FROM api_key",
  "* FROM drive",
  "* FROM drive_member",
  "* FROM drive_visit",
  "* FROM folder",
  "* FROM file",
  "* FROM file_version",
  "* FROM comment",
  "* FROM version_label",
  "* FROM trash WHERE state = 'kept'",
  "* FROM trash_file WHERE entry IN (SELECT pk FROM trash WHERE state = 'kept')",
  "* FROM snapshot WHERE deleted_at IS NULL",
  "* FROM webhook",
  "* FROM presigned_link",
  "* FROM share_link",
  "* FROM upload_link",
  "* FROM claim_token",
  "* FROM oauth_grant",
  // They are sent in the background, and others are made there.
  "id FROM webhook_delivery WHERE type = 'webhook.test'",
];

/** What changes in a row when it is used, or later. */
const LATER = { uses: 0, last_used_at: 0, released_size: 0 };

/** All that anybody has, of a data directory that is looked at again and again. */
export class Belongings implements Disposable {
  readonly #database: Database;

  constructor(dataDir: string) {
    this.#database = new Database(join(dataDir, "coffer.db"), { readonly: true });
  }

  /** All of it, but for what changes when it is used, or later. */
  all(): unknown {
    return BELONGINGS.map((what) => {
      const rows = this.#database.query<object, []>(`SELECT ${what} ORDER BY 1`).all();
      return { what, rows: rows.map((row) => Object.assign(row, LATER)) };
    });
  }

  [Symbol.dispose](): void {
    this.#database.close();
  }
}

/** The same, once. */
export function everythingIn(dataDir: string): unknown {
  using belongings = new Belongings(dataDir);
  return belongings.all();
}
