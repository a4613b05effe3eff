import { SQLiteError } from "bun:sqlite";
import { WriteRefused } from "../../domain/errors.ts";
import { CallFailure } from "../../process/answer-calls.ts";

/** SQLite's code of an error, also of one in a thread (`CallFailure`); empty if it has none. */
export function sqliteCode(error: unknown): string {
  return error instanceof SQLiteError || error instanceof CallFailure ? (error.code ?? "") : "";
}

/** Whether SQLite had no space on the disk. The write then left nothing, even after a crash. */
export function isFull(error: unknown): boolean {
  return sqliteCode(error) === "SQLITE_FULL";
}

/**
 * Whether a database could not be opened because the disk is full: the log's shared memory is a file too, and could not
 * grow. Not for writes: one that fails so may be in the log.
 */
export function hadNoRoomToOpen(error: unknown): boolean {
  return ["SQLITE_FULL", "SQLITE_IOERR_SHMSIZE"].includes(sqliteCode(error));
}

/**
 * Whether the outcome of a transaction whose COMMIT failed with `error` is unknown. All its frames may be in the log,
 * including the one that marks the commit: SQLite syncs the log after it has written that one, and a failed write may
 * have been partial. This process continues with the old state, but the next one reads the log and takes the
 * transaction as committed if it is complete.
 *
 * SQLITE_FULL is not such a failure: the frame with the mark is written last, and SQLite reports a sync that fails
 * for lack of space as SQLITE_IOERR_FSYNC. The other codes are reported before anything is written.
 */
export function hasUnknownOutcome(error: unknown): boolean {
  if (!(error instanceof SQLiteError)) return true;
  const code = error.code ?? "";
  return !["SQLITE_FULL", "SQLITE_BUSY", "SQLITE_CONSTRAINT"].some((known) => code.startsWith(known));
}

export function outcomeUnknown(): WriteRefused {
  return new WriteRefused(
    "UNAVAILABLE",
    "The server's disk failed during this write. Whether it happened is known only after the server is restarted: look then, before you try again.",
  );
}

export function cannotWrite(): WriteRefused {
  return new WriteRefused(
    "UNAVAILABLE",
    "The server's disk failed. It cannot write until its administrator restarts it. Nothing was changed.",
  );
}

export function diskFull(): WriteRefused {
  return new WriteRefused(
    "STORAGE_FULL",
    "The server's disk is full. Nothing was changed. Delete files, or ask its administrator to make room.",
  );
}
