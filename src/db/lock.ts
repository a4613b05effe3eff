import { Database as Sqlite, SQLiteError } from "bun:sqlite";
import { hostname } from "node:os";

/** The process that holds a lock. A process id means something only on its own host or in its own container. */
export interface LockHolder {
  readonly pid: number;
  readonly host: string;
}

/** A lock held until `release` or the end of the process, however that comes. */
export interface Lock {
  release(): void;
}

/** A lock, or who has it. */
export type LockResult =
  | { readonly ok: true; readonly lock: Lock }
  /** `holder` is null when it took the lock just now and has not said who it is. */
  | { readonly ok: false; readonly holder: LockHolder | null };

// A process being refused reads the holder's name, which for an instant keeps another from writing its own.
const BUSY_TIMEOUT_MS = 250;

/**
 * Takes the lock that the file at `path` stands for, or says who has it. Two opens in one process
 * exclude each other as well.
 *
 * The lock is an open write transaction of a small SQLite database, so the kernel releases it with the
 * process, even a killed one; it belongs to the file itself, so moving the directory or sharing it
 * between containers does not fool it. Never open this file any other way while it is held: closing
 * any descriptor of it would release the lock (fcntl(2), "Advisory record locking").
 *
 * @throws SQLiteError when the file cannot be opened or written
 */
export function acquireLock(path: string): LockResult {
  const sql = new Sqlite(path, { create: true, readwrite: true, strict: true });
  try {
    sql.run(`PRAGMA busy_timeout = ${BUSY_TIMEOUT_MS}`);
    if (take(sql)) return { ok: true, lock: hold(sql) };
    const holder = readHolder(sql);
    sql.close();
    return { ok: false, holder };
  } catch (error) {
    sql.close();
    throw error;
  }
}

/** Leaves the name of this process in the file and a write transaction open; false when another has one. */
function take(sql: Sqlite): boolean {
  try {
    sql.run("BEGIN IMMEDIATE");
    sql.run("CREATE TABLE IF NOT EXISTS holder (pid INTEGER NOT NULL, host TEXT NOT NULL) STRICT");
    sql.run("DELETE FROM holder");
    sql.run("INSERT INTO holder (pid, host) VALUES (?, ?)", [process.pid, hostname()]);
    sql.run("COMMIT");
    // Others can read the name now but not write. One of them may have come first: then it is refused
    // here, and nobody is locked out, for whoever came between holds the lock.
    sql.run("BEGIN IMMEDIATE");
    return true;
  } catch (error) {
    if (isBusy(error)) return false;
    throw error;
  }
}

function readHolder(sql: Sqlite): LockHolder | null {
  try {
    return sql.query<LockHolder, []>("SELECT pid, host FROM holder").get();
  } catch (error) {
    // The other process is writing its name, or has not made the table yet.
    if (error instanceof SQLiteError && (isBusy(error) || error.code === "SQLITE_ERROR")) return null;
    throw error;
  }
}

function hold(sql: Sqlite): Lock {
  // An unreachable connection is closed by the garbage collector, and the lock with it: the listener
  // keeps this one reachable even when the caller drops the lock.
  const close = (): void => sql.close();
  process.on("exit", close);
  return {
    release: () => {
      process.off("exit", close);
      close();
    },
  };
}

function isBusy(error: unknown): boolean {
  return error instanceof SQLiteError && (error.code ?? "").startsWith("SQLITE_BUSY");
}
