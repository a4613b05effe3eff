import { accessSync, constants } from "node:fs";
import { codeOf, messageOf } from "../domain/errors.ts";

/** The data directory cannot be used; the message says what to do. */
export class DataDirectoryError extends Error {
  override readonly name = "DataDirectoryError";
}

/** What somebody can always do; follows "or choose". */
export const ANOTHER = "another directory with --data-dir or COFFER_DATA_DIR.";

/** The error for what is at a path: what is wrong with it, and what to do. */
export function unusable(path: string, problem: string, advice: string, cause?: unknown): DataDirectoryError {
  return new DataDirectoryError(`${path} ${problem}. ${advice}`, { cause });
}

/** The result of reading or writing what is at a path, or in it. Rejects with `explained`. */
export async function explaining<T>(path: string, work: Promise<T>): Promise<T> {
  try {
    return await work;
  } catch (error) {
    throw codeOf(error) === undefined ? error : explained(path, error);
  }
}

/** What an error means for the operator, where a system call failed at a path, or at one in it. */
export function explained(root: string, error: unknown): DataDirectoryError {
  if (error instanceof DataDirectoryError) return error;
  const path = placeOf(error, root);
  const because = (problem: string, advice: string) =>
    unusable(path, problem, `${advice} or choose ${ANOTHER}`, error);
  switch (codeOf(error)) {
    case "EACCES":
    case "EPERM": {
      const uid = process.getuid?.();
      const user = uid === undefined ? "this user" : `the user with id ${uid}`;
      return because(`cannot be read and written by ${user}`, "Make it belong to that user,");
    }
    case "EROFS":
      return unusable(path, "is on a file system that is mounted read-only", `Choose ${ANOTHER}`, error);
    case "ENOTDIR":
    case "EEXIST":
      return unusable(path, "is not a directory, or is below a file", `Choose ${ANOTHER}`, error);
    case "EISDIR":
      return because("is a directory, and must be a file", "Move it away,");
    case "ENOSPC":
    case "EDQUOT":
      return because("is on a full disk", "Free some space,");
    default: {
      return because(`cannot be used (${messageOf(error)})`, "Check its disk,");
    }
  }
}

/** The path of the failed call, if it is in the directory; the directory itself if nobody comes through that. */
function placeOf(error: unknown, root: string): string {
  const path = error instanceof Error && "path" in error ? error.path : undefined;
  return typeof path === "string" && path.startsWith(`${root}/`) && isPassable(root) ? path : root;
}

function isPassable(directory: string): boolean {
  try {
    accessSync(directory, constants.R_OK | constants.X_OK);
    return true;
  } catch {
    return false;
  }
}
