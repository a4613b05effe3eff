import { randomBytes } from "node:crypto";
import {
  accessSync,
  closeSync,
  constants,
  existsSync,
  fsyncSync,
  mkdirSync,
  openSync,
  readdirSync,
  readFileSync,
  renameSync,
  statfsSync,
  statSync,
  writeFileSync,
} from "node:fs";
import { dirname, join } from "node:path";
import { Secret } from "./config/secret.ts";
import type { DatabaseReserve } from "./database-reserve.ts";
import { acquireLock, type Lock, type LockResult } from "./db/lock.ts";
import { isFull } from "./db/write-failures.ts";

/** Where everything lies, as absolute paths. The directory can be moved whole to another machine. */
export interface DataDirectory {
  readonly root: string;
  readonly database: string;
  /** A directory that the blob store makes. */
  readonly blobs: string;
  /** A directory that the blob store makes; nothing in it outlives a start. */
  readonly tmp: string;
  readonly secretFile: string;
  readonly lockFile: string;
  /** See `DatabaseReserve`. */
  readonly reserveFile: string;
}

/** The data directory cannot be used; the message is for the operator and says what to do. */
export class DataDirectoryError extends Error {
  override readonly name = "DataDirectoryError";
}

const DATABASE = "coffer.db";
/** What may be in a data directory that has no database yet: what a start makes before it, and a disk's own. */
const NAMES: ReadonlySet<string> = new Set([
  "blobs",
  "tmp",
  "secret",
  "secret.new",
  "lock",
  "lock-journal",
  "reserve",
  "lost+found",
]);
/** Of a foreign directory's names so many are shown. */
const SHOWN_NAMES = 3;
const SECRET_BYTES = 32;

/**
 * Makes the data directory, readable by this user alone, unless it is there, and checks that it can be
 * written and holds nothing of anybody else. `root` is absolute.
 *
 * @throws DataDirectoryError
 */
export function openDataDirectory(root: string): DataDirectory {
  try {
    makeDurably(root);
    if (!statSync(root).isDirectory()) throw unusable(root, "is not a directory", `Choose ${ANOTHER}`);
    accessSync(root, constants.R_OK | constants.W_OK | constants.X_OK);
    refuseForeign(root);
  } catch (error) {
    throw explained(root, error);
  }
  return {
    root,
    database: join(root, DATABASE),
    blobs: join(root, "blobs"),
    tmp: join(root, "tmp"),
    secretFile: join(root, "secret"),
    lockFile: join(root, "lock"),
    reserveFile: join(root, "reserve"),
  };
}

/**
 * A start makes directories in the data directory and removes files from them: not in somebody's home, and
 * whatever has neither a database nor contents in it, but something else, may be one.
 */
function refuseForeign(root: string): void {
  const names = readdirSync(root);
  if (names.includes(DATABASE) || existsSync(join(root, "blobs", "00"))) return;
  // Coffer makes its `tmp` after `blobs`, so a `tmp` alone is somebody else's.
  const foreign = names.filter((name) => !NAMES.has(name) || (name === "tmp" && !names.includes("blobs")));
  if (foreign.length === 0) return;
  const shown = foreign.toSorted().slice(0, SHOWN_NAMES).join(", ");
  const more = foreign.length > SHOWN_NAMES ? ` and ${foreign.length - SHOWN_NAMES} more` : "";
  throw new DataDirectoryError(
    `The directory ${root} holds ${shown}${more}, and no Coffer. Nothing has been changed. ` +
      "Name an empty or a new directory, or the one that holds your Coffer, with --data-dir or COFFER_DATA_DIR.",
  );
}

/**
 * Like `openDataDirectory`, for a directory that is in use already: where there is none, nothing is made.
 *
 * @throws DataDirectoryError
 */
export function findDataDirectory(root: string): DataDirectory {
  if (existsSync(join(root, DATABASE))) return openDataDirectory(root);
  throw new DataDirectoryError(
    `There is no Coffer in ${root}. Name its data directory with --data-dir or COFFER_DATA_DIR.`,
  );
}

/**
 * Whether a database is at this path. SQLite makes none without at least a page, and takes an empty file for a
 * new database, so an empty one has been cut off.
 */
export function databaseState(path: string): "present" | "missing" | "empty" {
  const found = statSync(path, { throwIfNoEntry: false });
  if (found === undefined) return "missing";
  return found.size === 0 ? "empty" : "present";
}

/**
 * Keeps every other server off the directory until the lock is released or this process ends, killed or
 * not. Commands that work beside a running server do not take it.
 *
 * @param reserve is given up where the disk is too full for the lock
 * @throws DataDirectoryError when a server has it, naming its process
 */
export function lockDataDirectory(
  { root, lockFile }: DataDirectory,
  reserve: DatabaseReserve | null = null,
): Lock {
  let result: LockResult;
  try {
    result = acquire(lockFile, reserve);
  } catch (error) {
    if (isFull(error) || statfsSync(root).bavail === 0) {
      throw unusable(root, "is on a full disk", "Make room on it, then start again.", error);
    }
    const why = error instanceof Error ? error.message : String(error);
    throw new DataDirectoryError(
      `The lock file ${lockFile} cannot be used: ${why}. Make it readable and writable for this user; ` +
        "if it is damaged, delete it while no server uses the directory.",
      { cause: error },
    );
  }
  if (result.ok) return result.lock;
  const { holder } = result;
  const who = holder === null ? "another process" : `process ${holder.pid} on ${holder.host}`;
  throw new DataDirectoryError(
    `The data directory ${root} is in use by ${who}. Stop that server first, or choose ${ANOTHER}`,
  );
}

function acquire(lockFile: string, reserve: DatabaseReserve | null): LockResult {
  try {
    return acquireLock(lockFile);
  } catch (error) {
    // Whoever comes so far as to write its name into the lock is the only one to use the reserve.
    if (!isFull(error) || reserve?.giveUp() !== true) throw error;
    return acquireLock(lockFile);
  }
}

/**
 * The 32 random bytes that belong to this data directory, made durably on the first call. The caller
 * holds the directory's lock, so that no two processes make one each.
 *
 * @throws DataDirectoryError
 */
export function loadSecret({ root, secretFile }: DataDirectory): Secret<Uint8Array> {
  try {
    const bytes = readIfPresent(secretFile) ?? makeSecret(root, secretFile);
    if (bytes.length === SECRET_BYTES) return new Secret(bytes);
  } catch (error) {
    throw explained(secretFile, error);
  }
  throw unusable(
    secretFile,
    `does not hold ${SECRET_BYTES} bytes`,
    "Restore it from a backup, or delete it: then a new one is made, and what was encrypted with the old one is lost.",
  );
}

function makeSecret(root: string, secretFile: string): Uint8Array {
  const bytes = randomBytes(SECRET_BYTES);
  const draft = `${secretFile}.new`;
  const file = openSync(draft, "w", 0o600);
  try {
    writeFileSync(file, bytes);
    fsyncSync(file);
  } finally {
    closeSync(file);
  }
  renameSync(draft, secretFile);
  syncDirectory(root);
  return bytes;
}

function readIfPresent(path: string): Uint8Array | null {
  try {
    return readFileSync(path);
  } catch (error) {
    if (errorCode(error) === "ENOENT") return null;
    throw error;
  }
}

/** Makes a directory and its parents such that a power cut cannot take them away again. */
function makeDurably(path: string): void {
  const first = mkdirSync(path, { recursive: true, mode: 0o700 });
  if (first === undefined) return;
  for (let made = path; ; made = dirname(made)) {
    syncDirectory(dirname(made));
    if (made === first || made === dirname(made)) return;
  }
}

function syncDirectory(path: string): void {
  const directory = openSync(path, "r");
  try {
    fsyncSync(directory);
  } finally {
    closeSync(directory);
  }
}

const ANOTHER = "another directory with --data-dir or COFFER_DATA_DIR.";

function unusable(path: string, problem: string, advice: string, cause?: unknown): DataDirectoryError {
  return new DataDirectoryError(`${path} ${problem}. ${advice}`, { cause });
}

function explained(path: string, error: unknown): DataDirectoryError {
  if (error instanceof DataDirectoryError) return error;
  switch (errorCode(error)) {
    case "EACCES":
    case "EPERM": {
      const uid = process.getuid?.();
      const user = uid === undefined ? "this user" : `the user with id ${uid}`;
      return unusable(
        path,
        `cannot be read and written by ${user}`,
        `Give it to that user, or choose ${ANOTHER}`,
        error,
      );
    }
    case "EROFS":
      return unusable(path, "is on a file system that is mounted read-only", `Choose ${ANOTHER}`, error);
    case "ENOTDIR":
    case "EEXIST":
      return unusable(
        path,
        "is not a directory, or lies below something that is none",
        `Choose ${ANOTHER}`,
        error,
      );
    case "ENOSPC":
    case "EDQUOT":
      return unusable(path, "is on a full disk", `Make room, or choose ${ANOTHER}`, error);
    default: {
      const why = error instanceof Error ? error.message : String(error);
      return unusable(path, `cannot be used (${why})`, `Choose ${ANOTHER}`, error);
    }
  }
}

function errorCode(error: unknown): unknown {
  return error instanceof Error && "code" in error ? error.code : undefined;
}
