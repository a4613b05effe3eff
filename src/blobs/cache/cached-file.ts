import { lstatSync } from "node:fs";
import { copyFile, lstat, rename, rm, unlink } from "node:fs/promises";
import type { BlobFacts } from "../blob-file.ts";
import { hasCode, ifPresent, isSystemError } from "../system-error.ts";

/**
 * Whether a regular file of a content's size is at a path, whatever is there instead. At once: whoever opens it in the
 * same turn finds it, and a turn of the thread pool takes many times as long as the call.
 */
export function isWhole(path: string, { size }: BlobFacts): boolean {
  try {
    const found = lstatSync(path, { throwIfNoEntry: false });
    return found?.isFile() === true && found.size === size;
  } catch (error) {
    if (isSystemError(error)) return false;
    throw error;
  }
}

/** Removes a regular file. What else has its name is not ours. */
export async function removeFile(path: string): Promise<void> {
  if ((await ifPresent(lstat(path)))?.isFile() === true) await ifPresent(unlink(path));
}

/** Renames a file, or copies it to another file system. @param temp a free name on the file system of `to` */
export async function moveFile(from: string, to: string, temp: string): Promise<void> {
  try {
    await rename(from, to);
  } catch (error) {
    if (!hasCode(error, "EXDEV")) throw error;
    try {
      await copyFile(from, temp);
      await rename(temp, to);
    } finally {
      await rm(temp, { force: true });
    }
  }
}
