import { messageOf } from "../domain/errors.ts";
import {
  accessSync,
  closeSync,
  constants,
  existsSync,
  fsyncSync,
  lstatSync,
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
import { Secret } from "../config/secret.ts";
import { ANOTHER, DataDirectoryError, explained, unusable } from "./data-directory-error.ts";
import type { DatabaseReserve } from "../db/engine/database-reserve.ts";
import { acquireLock, type Lock, type LockResult } from "../db/engine/lock.ts";
import { isFull } from "../db/engine/write-failures.ts";

/** The paths of everything in the data directory, absolute. It can be moved as one to another machine. */
export type DataDirectory = Readonly<ReturnType<typeof pathsIn>>;

const DATABASE = "coffer.db";
/** What may be in a data directory beside its paths: what a start creates for a moment, and what a disk has. */
const OTHER_NAMES = [
  "secret.new",
  "disks.new",
  "lock-journal",
  "backup-lock-journal",
  "migration-lock-journal",
  "lost+found",
];
/** What Coffer creates after `blobs`: without that they are foreign. */
const LATER_NAMES = ["tmp", "thumbnails", "leases"];
/** How many names of a foreign directory are shown. */
const SHOWN_NAMES = 3;
const SECRET_BYTES = 32;

/** Creates it, mode 0700, if missing. Checks that it can be written and is not foreign. Throws DataDirectoryError. */
export function openDataDirectory(root: string): DataDirectory {
  try {
    makeDurably(root);
    if (!statSync(root).isDirectory()) throw unusable(root, "is not a directory", `Choose ${ANOTHER}`);
    accessSync(root, constants.R_OK | constants.W_OK | constants.X_OK);
    refuseForeign(root);
  } catch (error) {
    throw explained(root, error);
  }
  return pathsIn(root);
}

/** The paths in a data directory, whether or not there is anything. `root` is absolute. */
export function pathsIn(root: string) {
  return {
    root,
    database: join(root, DATABASE),
    /** A directory of contents, if this is one of the store's disks; see `blobs/disk.ts`. */
    blobs: join(root, "blobs"),
    /** A directory for temporary files: of the disk, which empties it at each start, and of backups. */
    tmp: join(root, "tmp"),
    /** See `disks-file.ts`. */
    disksFile: join(root, "disks"),
    /** A directory; see `ThumbnailStore`. */
    thumbnails: join(root, "thumbnails"),
    /** A directory for copies of contents that are in a bucket; see `BlobCache`. */
    blobCache: join(root, "cache"),
    /** A directory for copies of leases that are in a bucket; see `BucketLeases`. */
    leases: join(root, "leases"),
    secretFile: join(root, "secret"),
    /** A directory for certificates of authorities; see `AcmeFiles`. */
    acme: join(root, "acme"),
    lockFile: join(root, "lock"),
    /** See `address-file.ts`. */
    addressFile: join(root, "address"),
    /** See `DatabaseReserve`. */
    reserveFile: join(root, "reserve"),
    /** Locked by a backup while it runs. */
    backupLockFile: join(root, "backup-lock"),
    /** Locked by `coffer blobs migrate` while it runs. */
    migrationLockFile: join(root, "migration-lock"),
    /** Marks a directory that a restore has not finished; see `backup/restoration.ts`. */
    restoringFile: join(root, "restoring"),
    /** A directory; see `schema-copy.ts`. */
    beforeUpgrade: join(root, "before-upgrade"),
  };
}

/** Refuses foreign files without database and contents: a start would create and remove files in a home directory. */
function refuseForeign(root: string): void {
  const names = readdirSync(root);
  if (names.includes(DATABASE) || isStore(root)) return;
  const own = [...Object.values(pathsIn(root)), ...OTHER_NAMES.map((name) => join(root, name))];
  const foreign = names.filter(
    (name) => !own.includes(join(root, name)) || (LATER_NAMES.includes(name) && !names.includes("blobs")),
  );
  if (foreign.length === 0) return;
  const shown = foreign.toSorted().slice(0, SHOWN_NAMES).join(", ");
  const more = foreign.length > SHOWN_NAMES ? ` and ${foreign.length - SHOWN_NAMES} more` : "";
  throw new DataDirectoryError(
    `The directory ${root} holds ${shown}${more}, but no Coffer data. Nothing has been changed. ` +
      "Choose an empty or new directory, or your Coffer data directory, with --data-dir or COFFER_DATA_DIR.",
  );
}

/** Whether this is a store's directory without its database: it has a list of disks, an identity, or contents. */
function isStore(root: string): boolean {
  const { disksFile, blobs } = pathsIn(root);
  if (lstatSync(disksFile, { throwIfNoEntry: false })?.isFile() === true) return true;
  if (lstatSync(blobs, { throwIfNoEntry: false })?.isDirectory() !== true) return false;
  return readdirSync(blobs).some((name) => name === "identity" || /^[0-9a-f]{2}$/.test(name));
}

/** Like `openDataDirectory`, for a directory that must exist already; creates nothing. Throws DataDirectoryError. */
export function findDataDirectory(root: string): DataDirectory {
  if (holdsDatabase(root)) return openDataDirectory(root);
  throw new DataDirectoryError(
    `${root} is not a Coffer data directory. Choose the right one with --data-dir or COFFER_DATA_DIR.`,
  );
}

/** Throws DataDirectoryError if nobody comes through the directory: then it may hold one. */
function holdsDatabase(root: string): boolean {
  try {
    return statSync(join(root, DATABASE), { throwIfNoEntry: false }) !== undefined;
  } catch (error) {
    throw explained(root, error);
  }
}

/** An empty file was truncated: SQLite takes it for a new database, but writes none that is shorter than a page. */
export function databaseState(path: string): "present" | "missing" | "empty" {
  const found = statSync(path, { throwIfNoEntry: false });
  if (found === undefined) return "missing";
  return found.size === 0 ? "empty" : "present";
}

export function isHalfRestored({ database, restoringFile }: DataDirectory): boolean {
  return existsSync(restoringFile) && databaseState(database) === "missing";
}

/** Against other servers, not commands. Throws DataDirectoryError. @param reserve is freed if the disk is full */
export function lockDataDirectory(
  { root, lockFile }: DataDirectory,
  reserve: DatabaseReserve | null = null,
): Lock {
  let result: LockResult;
  try {
    result = acquire(lockFile, reserve);
  } catch (error) {
    if (isFull(error) || statfsSync(root).bavail === 0) {
      throw unusable(root, "is on a full disk", "Free some space on it, then start again.", error);
    }
    throw new DataDirectoryError(
      `The lock file ${lockFile} cannot be used: ${messageOf(error)}. Make it readable and writable for this user; ` +
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
    // Only the process that gets this far, to writing its name into the lock, uses the reserve.
    if (!isFull(error) || reserve?.release() !== true) throw error;
    return acquireLock(lockFile);
  }
}

/** Created and synced at the first call, under the directory's lock. Throws DataDirectoryError. */
export function loadSecret({ root, secretFile }: DataDirectory): Secret<Uint8Array> {
  try {
    const bytes = existsSync(secretFile) ? readFileSync(secretFile) : makeSecret(root, secretFile);
    if (bytes.length === SECRET_BYTES) return new Secret(bytes);
  } catch (error) {
    throw explained(secretFile, error);
  }
  throw unusable(
    secretFile,
    `does not hold ${SECRET_BYTES} bytes`,
    "Restore it from a backup, or delete it: a new one is then created, and what the old one encrypted is lost.",
  );
}

function makeSecret(root: string, secretFile: string): Uint8Array {
  const bytes = crypto.getRandomValues(new Uint8Array(SECRET_BYTES));
  const draft = `${secretFile}.new`;
  writeFileSync(draft, bytes, { mode: 0o600 });
  sync(draft);
  renameSync(draft, secretFile);
  sync(root);
  return bytes;
}

/** Creates a directory and its parents, and syncs them: they survive a power cut. */
export function makeDurably(path: string): void {
  const first = mkdirSync(path, { recursive: true, mode: 0o700 });
  if (first === undefined) return;
  for (let made = path; ; made = dirname(made)) {
    sync(dirname(made));
    if (made === first || made === dirname(made)) return;
  }
}

/** Makes what a file holds, or the names in a directory, survive a power cut. */
export function sync(path: string): void {
  const opened = openSync(path, "r");
  try {
    fsyncSync(opened);
  } finally {
    closeSync(opened);
  }
}
