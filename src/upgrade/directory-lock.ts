import { accessSync, closeSync, constants, openSync } from "node:fs";
import { codeOf } from "../domain/errors.ts";
import { openSystem } from "../process/system-library.ts";
import { UpgradeError } from "./upgrade-error.ts";

/** LOCK_EX and LOCK_NB of flock(2): exclusive, and refused at once. They are the same on Linux and macOS. */
const EXCLUSIVE_AT_ONCE = 2 | 4;

/** Why a directory takes no file, by the code of the system, and what to do. */
const REASONS: Readonly<Record<string, string>> = {
  EACCES: "belongs to somebody else: run this as its owner, such as with sudo",
  EPERM:
    "belongs to somebody else, or may not be changed by anybody: run this as its owner, such as with sudo",
  EROFS: "is on a disk that is mounted read-only: mount it to be written to",
  ENOENT: "is not there any more",
};

/**
 * Has one upgrade at a time change the executable in a directory. The system releases the lock at the end of the
 * process, even if that is killed, and nothing is left in the directory. Throws UpgradeError if another one has it, or
 * the directory cannot be written to.
 */
export function lockDirectory(directory: string): Disposable {
  requireWritable(directory);
  const descriptor = openSync(directory, "r");
  const release = () => closeSync(descriptor);
  const system = openSystem({ flock: { args: ["i32", "i32"], returns: "i32" } });
  if (system !== null && system.flock(descriptor, EXCLUSIVE_AT_ONCE) !== 0) {
    release();
    throw new UpgradeError(`Another upgrade is at work in ${directory}. Wait for its end.`);
  }
  return { [Symbol.dispose]: release };
}

function requireWritable(directory: string): void {
  try {
    accessSync(directory, constants.W_OK);
  } catch (cause) {
    const reason = REASONS[String(codeOf(cause))];
    if (reason === undefined) throw cause;
    throw new UpgradeError(`The executable cannot be replaced: ${directory} ${reason}.`, { cause });
  }
}
