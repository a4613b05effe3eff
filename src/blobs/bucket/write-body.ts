import { link } from "node:fs/promises";
import type { DiskSpace } from "../disk-space.ts";
import { asRefusal, isSystemError } from "../system-error.ts";
import { TempFile } from "../temp-file.ts";

/** Writes bytes to a new file, which is not synced. Throws STORAGE_FULL, and what `pieces` throw. */
export async function writeBody(
  path: string,
  pieces: AsyncIterable<Uint8Array>,
  space: DiskSpace,
): Promise<void> {
  const file = await TempFile.create(path);
  let length = 0;
  try {
    for await (const piece of pieces) {
      space.requireFree(null, piece.length);
      await file.append(piece);
      length += piece.length;
    }
    await file.end(length);
  } catch (error) {
    await file.discard();
    throw asRefusal(error);
  }
}

/** Gives a file another name. False where it has gone, or its file system does not do that. */
export async function isLinked(from: string, to: string): Promise<boolean> {
  try {
    await link(from, to);
    return true;
  } catch (error) {
    if (!isSystemError(error)) throw error;
    return false;
  }
}
