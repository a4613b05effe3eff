import { Database as Sqlite, SQLiteError } from "bun:sqlite";
import { dirname } from "node:path";
import type { Clock } from "../../process/clock.ts";
import { LONG_LOG } from "./checkpoints.ts";
import { Connection } from "./connection.ts";
import { migrate, requireNewestSchema, schemaVersion, type Upgrade } from "./migrate.ts";
import { MIGRATIONS } from "./migrations.ts";
import { hadNoRoomToOpen } from "./write-failures.ts";

/**
 * Opens or creates the database file, with the newest schema.
 *
 * @param beforeUpgrade called before an older schema is upgraded; null refuses such a database
 * @throws SQLiteError, for which there is `explainFailure`
 * @throws Error whose message tells the operator what to do
 */
export function openConnection(
  path: string,
  clock: Clock,
  beforeUpgrade: ((upgrade: Upgrade) => void) | null,
): Connection {
  const sql = new Sqlite(path, { create: true, readwrite: true, strict: true });
  try {
    sql.run("PRAGMA busy_timeout = 10000");
    const isNew = schemaVersion(sql) === 0;
    // For `releasePages`. Takes effect only in a new database.
    if (isNew) sql.run("PRAGMA auto_vacuum = INCREMENTAL");
    sql.run("PRAGMA journal_mode = WAL");
    // The write queue syncs commits, and `Checkpoints` empties the log. SQLite only syncs the header when the log
    // restarts: without that, a power cut could bring back old pages.
    sql.run("PRAGMA synchronous = NORMAL");
    sql.run("PRAGMA wal_autocheckpoint = 0");
    sql.run("PRAGMA foreign_keys = ON");
    sql.run("PRAGMA temp_store = MEMORY");
    // For connections with temporary files: the data directory may be the only place that can be written. It applies
    // to the whole process, so it is set once, before other threads read it.
    sql.run(`PRAGMA temp_store_directory = '${dirname(path).replaceAll("'", "''")}'`);
    sql.run("PRAGMA cache_size = -16000");
    sql.run(`PRAGMA journal_size_limit = ${LONG_LOG}`);
    if (!isNew && beforeUpgrade === null) requireNewestSchema(sql, path, MIGRATIONS);
    migrate(sql, MIGRATIONS, clock, beforeUpgrade ?? (() => {}));
    // A write that changes nothing. It begins the log: the header is synced now, and not in a request's way.
    if (beforeUpgrade !== null) sql.run("PRAGMA application_id = 0");
    return new Connection(sql);
  } catch (error) {
    sql.close();
    throw error;
  }
}

/** The error for the operator, if the database cannot be used: SQLite's own message does not say what to do. */
export function explainFailure(path: string, error: unknown): unknown {
  if (!(error instanceof SQLiteError)) return error;
  const advice = hadNoRoomToOpen(error)
    ? "Free some space on its disk."
    : "Make it and its directory readable and writable for this user, and free some space if the disk is full; " +
      "if it is damaged, restore the data directory from a backup.";
  return new Error(`The database ${path} cannot be used: ${error.message}. ${advice}`, { cause: error });
}
