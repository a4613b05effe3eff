import { constants } from "node:fs";
import { copyFile, mkdir, mkdtemp, rm, stat } from "node:fs/promises";
import { tmpdir } from "node:os";
import { basename, join } from "node:path";
import { codeOf, messageOf } from "../domain/errors.ts";
import { ifPresent } from "../blobs/system-error.ts";
import { DataDirectoryError } from "./data-directory-error.ts";
import { type DataDirectory, findDataDirectory, pathsIn } from "./data-directory.ts";

/** What SQLite has of a database beside its shared memory, which is made anew. */
const PARTS = ["", "-wal"] as const;
const TRIES = 3;

/**
 * Like `findDataDirectory`, but it may be on a file system that is mounted read-only. SQLite cannot read a database
 * there whose log is not empty, and without the log answered writes would be missing. So the databases are copied, with
 * their logs, to a directory for temporary files, where commands also write what is only for themselves. `opened`
 * removes that. Throws DataDirectoryError.
 */
export async function openToRead(root: string, opened: AsyncDisposableStack): Promise<DataDirectory> {
  try {
    return findDataDirectory(root);
  } catch (error) {
    const isReadOnly = error instanceof Error && codeOf(error.cause) === "EROFS";
    if (!isReadOnly) throw error;
  }
  const original = pathsIn(root);
  const scratch = await makeScratch();
  opened.defer(() => rm(scratch, { recursive: true, force: true }));
  try {
    const { database, tmp, lockFile, backupLockFile, reserveFile } = pathsIn(scratch);
    await mkdir(tmp);
    for (const path of [original.database, join(root, "search.db")]) await copyDatabase(path, scratch);
    return { ...original, database, tmp, lockFile, backupLockFile, reserveFile };
  } catch (error) {
    throw uncopied(error, root, scratch);
  }
}

async function makeScratch(): Promise<string> {
  try {
    return await mkdtemp(join(tmpdir(), "coffer-"));
  } catch (error) {
    throw new DataDirectoryError(
      `There is no directory for temporary files (${messageOf(error)}). Set TMPDIR to one that can be written.`,
      { cause: error },
    );
  }
}

/** Copies a database that may be missing. A server may write it through another mount: then a copy may not fit together. */
async function copyDatabase(path: string, to: string): Promise<void> {
  const paths = PARTS.map((part) => path + part);
  for (let tries = 0; tries < TRIES; tries++) {
    const before = await Promise.all(paths.map(stateOf));
    for (const [at, part] of paths.entries()) {
      if (before[at] === "") continue;
      await copyFile(part, join(to, basename(part)), constants.COPYFILE_FICLONE);
    }
    const after = await Promise.all(paths.map(stateOf));
    if (before.join() === after.join()) return;
  }
  throw new DataDirectoryError(
    `${path} changes while it is copied. A server uses it through another mount: run this command there.`,
  );
}

/** Changes when a file is written; empty if there is none. */
async function stateOf(path: string): Promise<string> {
  const found = await ifPresent(stat(path, { bigint: true }));
  return found === null ? "" : `${found.ino} ${found.size} ${found.mtimeNs}`;
}

function uncopied(error: unknown, root: string, scratch: string): unknown {
  if (error instanceof DataDirectoryError || codeOf(error) === undefined) return error;
  return new DataDirectoryError(
    `${root} is on a file system that is mounted read-only, and its database could not be copied to ${scratch}: ${messageOf(error)}. ` +
      "Make room there, or set TMPDIR to a directory that has some.",
    { cause: error },
  );
}
