import { SQLiteError } from "bun:sqlite";
import { WriteRefused } from "../domain/errors.ts";

/** Whether SQLite had no room on the disk. Nothing of the write is left then, also after a crash. */
export function isFull(error: unknown): boolean {
  return error instanceof SQLiteError && error.code === "SQLITE_FULL";
}

/**
 * Whether nobody knows what became of a transaction whose COMMIT failed with `error`. All its frames may be
 * in the log, the one that marks the commit among them: SQLite syncs the log after it has written that, and a
 * write that failed may have been made in part. This process goes on with the state before; but the next one
 * reads the log, and takes the transaction for committed if it finds it whole.
 *
 * SQLITE_FULL is no such failure: the frame with the mark is the last one to be written, and SQLite reports a
 * sync that fails for lack of room as SQLITE_IOERR_FSYNC. The others are told before anything is written.
 */
export function leavesDoubt(error: unknown): boolean {
  if (!(error instanceof SQLiteError)) return true;
  const code = error.code ?? "";
  return !["SQLITE_FULL", "SQLITE_BUSY", "SQLITE_CONSTRAINT"].some((known) => code.startsWith(known));
}

/** The answer to writes that may or may not have happened. */
export function inDoubt(): WriteRefused {
  return new WriteRefused(
    "UNAVAILABLE",
    "The server's disk failed during this write. Whether it happened shows once the server was restarted.",
  );
}

/** The answer to every write after one in doubt. */
export function cannotWrite(): WriteRefused {
  return new WriteRefused(
    "UNAVAILABLE",
    "The server cannot write since its disk failed, and has to be restarted. Nothing was changed.",
  );
}

/** The answer to a write that the disk has no room for. */
export function diskFull(): WriteRefused {
  return new WriteRefused("STORAGE_FULL", "The server's disk is full. Nothing was changed.");
}
