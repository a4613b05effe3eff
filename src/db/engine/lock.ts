import { Database as Sqlite, SQLiteError } from "bun:sqlite";
import { existsSync } from "node:fs";
import { hostname } from "node:os";

/** Whether somebody holds a lock, and who, as in `LockResult`. */
export interface LockState {
  readonly isHeld: boolean;
  readonly holder: LockHolder | null;
}

/** The process that holds a lock. A process id is valid only on its own host or in its own container. */
interface LockHolder {
  readonly pid: number;
  readonly host: string;
}

/** A lock. It is held until `release` or the end of the process, even if that is killed. */
export interface Lock {
  release(): void;
}

export type LockResult =
  | { readonly ok: true; readonly lock: Lock }
  /** `holder` is null if it took the lock just now and has not written its name yet. */
  | { readonly ok: false; readonly holder: LockHolder | null };

// A refused process reads the holder's name, and for that moment the new holder cannot write it.
const BUSY_TIMEOUT_MS = 250;

/**
 * Takes the lock at `path`, or returns its holder. Two calls in one process exclude each other too.
 *
 * The lock is an open write transaction of a small SQLite database, so the kernel releases it when the process ends,
 * even if killed. It belongs to the file itself, so moving the directory or sharing it between containers is safe.
 * Never open this file in another way while the lock is held: closing any descriptor of it would release the lock
 * (fcntl(2), "Advisory record locking").
 *
 * @throws SQLiteError if the file cannot be opened or written
 */
export function acquireLock(path: string): LockResult {
  const sql = new Sqlite(path, { create: true, readwrite: true, strict: true });
  try {
    sql.run(`PRAGMA busy_timeout = ${BUSY_TIMEOUT_MS}`);
    // A start need not wait for the disk here: whatever a power cut leaves of a name, nobody holds the lock then.
    if (isMade(sql)) sql.run("PRAGMA synchronous = OFF");
    if (take(sql)) return { ok: true, lock: hold(sql) };
    const holder = readHolder(sql);
    sql.close();
    return { ok: false, holder };
  } catch (error) {
    sql.close();
    throw error;
  }
}

/** Looks whether the lock at `path` is held, and leaves its file as it is. */
export function lockState(path: string): LockState {
  if (!existsSync(path)) return { isHeld: false, holder: null };
  using sql = new Sqlite(path, { readwrite: true, strict: true });
  try {
    sql.run("BEGIN IMMEDIATE");
    sql.run("ROLLBACK");
    return { isHeld: false, holder: null };
  } catch (error) {
    if (!isBusy(error)) throw error;
    return { isHeld: true, holder: readHolder(sql) };
  }
}

/** Whether the file has its table. Both pages of it are on the disk then, and only what is in them changes. */
function isMade(sql: Sqlite): boolean {
  try {
    return sql.query("SELECT 1 FROM sqlite_schema WHERE name = 'holder'").get() !== null;
  } catch (error) {
    if (isBusy(error)) return false;
    throw error;
  }
}

/** Writes the name of this process and leaves a write transaction open. Returns false if another has one. */
function take(sql: Sqlite): boolean {
  try {
    sql.run("BEGIN IMMEDIATE");
    sql.run("CREATE TABLE IF NOT EXISTS holder (pid INTEGER NOT NULL, host TEXT NOT NULL) STRICT");
    sql.run("DELETE FROM holder");
    sql.run("INSERT INTO holder (pid, host) VALUES (?, ?)", [process.pid, hostname()]);
    sql.run("COMMIT");
    // From here on others can read the name but not write. If another process came in after our COMMIT, this fails:
    // we are refused, and that process holds the lock.
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
    // The other process is writing its name, or has not created the table yet.
    if (error instanceof SQLiteError && (isBusy(error) || error.code === "SQLITE_ERROR")) return null;
    throw error;
  }
}

function hold(sql: Sqlite): Lock {
  // The garbage collector closes an unreachable connection, which releases the lock: the listener keeps this one
  // reachable even if the caller drops the lock.
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
