import { type Database, Database as Sqlite, SQLiteError } from "bun:sqlite";
import { dirname } from "node:path";
import { messageOf } from "../../domain/errors.ts";
import { NewerStore } from "../../domain/upkeep/newer-store.ts";
import type { Clock } from "../../process/clock.ts";
import { LONG_LOG } from "./checkpoints.ts";
import { Connection } from "./connection.ts";
import type { Migration } from "./migration-files.ts";
import { MIGRATIONS, SCHEMA } from "./migrations.ts";
import { hadNoRoomToOpen, isFull, sqliteCode } from "./write-failures.ts";
import { VERSION } from "../../process/version.ts";

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
    useLog(sql);
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
    if (isNew) create(sql, clock);
    migrate(sql, MIGRATIONS, clock, beforeUpgrade ?? (() => {}));
    // A write that changes nothing. It begins the log: the header is synced now, and not in a request's way.
    if (beforeUpgrade !== null) sql.run("PRAGMA application_id = 0");
    return new Connection(sql);
  } catch (error) {
    sql.close();
    throw error;
  }
}

/** How often, and with which pauses in milliseconds, the log is asked for. */
const LOG_TRIES = { most: 100, pause: 20 };

/** Has writes go to a log. While another process asks for the same, SQLite refuses at once, whatever its timeout is. */
function useLog(sql: Database): void {
  for (let tries = 1; ; tries += 1) {
    try {
      sql.run("PRAGMA journal_mode = WAL");
      return;
    } catch (error) {
      if (tries === LOG_TRIES.most || sqliteCode(error) !== "SQLITE_BUSY") throw error;
      Bun.sleepSync(LOG_TRIES.pause);
    }
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

/** A change of an existing database from one version of the schema to a newer one. */
export interface Upgrade {
  readonly from: number;
  readonly to: number;
  /** Of the database, in bytes. */
  readonly size: number;
  /** Copies the database as it is to a new file, which is not synced. Throws SQLiteError. */
  readonly copyTo: (path: string) => void;
}

interface AppliedStep {
  readonly version: number;
  readonly checksum: string;
  /** The version of Coffer that did it. Databases that came before this column do not tell. */
  readonly coffer?: string | null;
}

/** The newest version whose step was applied; 0 for a new database. */
function schemaVersion(db: Database): number {
  return appliedSteps(db).at(-1)?.version ?? 0;
}

/** Throws an Error that says what to do if the schema is not the newest one. @param path of the database */
export function requireNewestSchema(db: Database, path: string, migrations: readonly Migration[]): void {
  refuseForeignSchema(db, migrations);
  const version = schemaVersion(db);
  if (version === migrations.length) return;
  throw new Error(
    `The database ${path} has schema version ${version}, and this executable reads version ${migrations.length}. ` +
      "Use the executable of the server; a newer one changes the database when it is started as the server.",
  );
}

/** Makes a new database as all steps would, in one transaction. Another process may have done it meanwhile. */
function create(db: Database, clock: Clock): void {
  const work = () => {
    prepareTable(db);
    if (schemaVersion(db) > 0) return;
    db.run(SCHEMA);
    note(db, MIGRATIONS, clock);
  };
  db.transaction(work).immediate();
}

/** Notes which steps were applied. */
function note(db: Database, steps: readonly Migration[], clock: Clock): void {
  const put = db.prepare<never, [number, string, string, number, string]>(
    "INSERT INTO schema_migration (version, name, checksum, applied_at, coffer) VALUES (?, ?, ?, ?, ?)",
  );
  for (const step of steps) put.run(step.version, step.name, checksumOf(step), clock.now(), VERSION);
  put.finalize();
}

/**
 * Migrates the schema to the newest version, in one transaction: a crash or an error leaves the schema as it was. Safe
 * if another process does the same: the second one finds the work done.
 *
 * @param beforeUpgrade called first if the database is not new; if it throws, nothing is changed
 * @throws Error that says what to do, if the database is newer than this executable, an applied migration differs from
 *   the one in this executable, or a step fails
 */
export function migrate(
  db: Database,
  migrations: readonly Migration[],
  clock: Clock,
  beforeUpgrade: (upgrade: Upgrade) => void = () => {},
): void {
  refuseForeignSchema(db, migrations);
  const [from, to] = [schemaVersion(db), migrations.length];
  if (from === to) return;
  if (from > 0) {
    beforeUpgrade({ from, to, size: sizeOf(db), copyTo: (path) => db.run("VACUUM INTO ?", [path]) });
  }
  try {
    db.transaction(() => applyMissing(db, migrations, clock)).immediate();
  } catch (error) {
    const isUndone = error instanceof FailedStep || isFull(error);
    throw from > 0 && isUndone ? upgradeFailed(to, error) : error;
  }
}

class FailedStep extends Error {}

function refuseForeignSchema(db: Database, migrations: readonly Migration[]): void {
  const applied = appliedSteps(db);
  const newest = applied.at(-1);
  if (newest !== undefined && newest.version > migrations.length) {
    const writer = newest.coffer ?? null;
    const by = writer === null ? "a newer Coffer" : `a newer Coffer, ${writer}`;
    throw new NewerStore(
      `The database has schema version ${newest.version}, but this executable, Coffer ${VERSION}, knows only versions ` +
        `up to ${migrations.length}. It was upgraded by ${by}: start that one, or a newer one still. To go back to this one, ` +
        `put the copy that was made before the upgrade in its place (see "Upgrade" in the manual), or restore a backup ` +
        "from before it.",
    );
  }
  for (const { version, checksum } of applied) {
    const known = migrations.find((migration) => migration.version === version);
    if (known !== undefined && checksumOf(known) === checksum) continue;
    throw new Error(
      `Schema version ${version} of the database differs from the one in this executable. ` +
        "Start the executable that wrote this database.",
    );
  }
}

function appliedSteps(db: Database): AppliedStep[] {
  const exists = db
    .query("SELECT 1 FROM sqlite_schema WHERE type = 'table' AND name = 'schema_migration'")
    .get();
  if (exists === null) return [];
  return db.query<AppliedStep, []>("SELECT * FROM schema_migration ORDER BY version").all();
}

function applyMissing(db: Database, migrations: readonly Migration[], clock: Clock): void {
  prepareTable(db);
  // Another process may have done it meanwhile.
  const from = schemaVersion(db);
  const missing = migrations.filter(({ version }) => version > from);
  for (const { version, name, sql } of missing) {
    try {
      db.run(sql);
    } catch (error) {
      if (isFull(error)) throw error;
      throw new FailedStep(`step ${version}, ${name}, failed: ${messageOf(error)}`, { cause: error });
    }
  }
  note(db, missing, clock);
}

/** The table of applied steps is no part of a step: it is read before all of them. */
function prepareTable(db: Database): void {
  db.run(
    `CREATE TABLE IF NOT EXISTS schema_migration (
       version INTEGER PRIMARY KEY, name TEXT NOT NULL, checksum TEXT NOT NULL, applied_at INTEGER NOT NULL, coffer TEXT
     ) STRICT`,
  );
  const has = db.query("SELECT 1 FROM pragma_table_info('schema_migration') WHERE name = 'coffer'").get();
  if (has === null) db.run("ALTER TABLE schema_migration ADD COLUMN coffer TEXT");
}

function upgradeFailed(to: number, cause: unknown): Error {
  const advice = isFull(cause)
    ? "Free some space on its disk, then start again."
    : "Go on with the older Coffer, and report this error.";
  return new Error(
    `The database could not be upgraded to schema version ${to}: ${messageOf(cause)}. It is as it was before, and the ` +
      `older Coffer can use it. ${advice}`,
    { cause },
  );
}

function sizeOf(db: Database): number {
  const pages = "pragma_page_count(), pragma_page_size()";
  return new Connection(db).number<[]>(`SELECT page_count * page_size FROM ${pages}`)();
}

function checksumOf(migration: Migration): string {
  return Bun.SHA256.hash(migration.sql, "hex");
}
