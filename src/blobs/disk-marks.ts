import { lstat, readFile, rm } from "node:fs/promises";
import { join } from "node:path";
import { messageOf } from "../domain/errors.ts";
import type { StoreId } from "../domain/id.ts";
import { ifPresent } from "./system-error.ts";
import { syncDirectory, TempFile } from "./temp-file.ts";

/** The file in a directory of blobs that says which store it belongs to. */
const IDENTITY = "identity";
/**
 * The one that says which data directory uses it. A copy of that, or a restored backup, is the same store, but knows
 * other contents, and would remove those that it does not know.
 */
const OWNER = "owner";

/** What is in a directory of blobs beside them. */
export const MARKS: readonly string[] = [IDENTITY, OWNER];

/** The directory's identity as its file holds it, valid or not; null if there is none. */
export function readIdentity(blobsDir: string): Promise<string | null> {
  return readMark(join(blobsDir, IDENTITY));
}

/** Replaces the directory's identity and syncs it. It is written to `tempPath` first. */
export function writeIdentity(blobsDir: string, tempPath: string, id: StoreId): Promise<void> {
  return writeMark(blobsDir, IDENTITY, tempPath, id);
}

/** The path of the data directory that uses a disk which is another one; null if none has yet. */
export function readOwner(blobsDir: string): Promise<string | null> {
  return readMark(join(blobsDir, OWNER));
}

/** The same as `writeIdentity` for the owner. */
export function writeOwner(blobsDir: string, tempPath: string, dataDir: string): Promise<void> {
  return writeMark(blobsDir, OWNER, tempPath, dataDir);
}

/** Why a directory cannot be used for the blobs of a store, to follow its name; null if it can. */
export async function whyAway(blobsDir: string, store: string | null): Promise<string | null> {
  try {
    const found = await readIdentity(blobsDir);
    if (found === store) return null;
    return found === null ? "it is missing, or not mounted" : "the contents there are of another store";
  } catch (error) {
    return messageOf(error);
  }
}

/** Removes both: the directory belongs to no store any more. */
export async function removeMarks(blobsDir: string): Promise<void> {
  for (const name of MARKS) await rm(join(blobsDir, name), { force: true });
  await syncDirectory(blobsDir);
}

async function readMark(path: string): Promise<string | null> {
  const found = await ifPresent(lstat(path));
  if (found === null) return null;
  return found.isFile() ? (await readFile(path, "utf8")).trim() : "not a regular file";
}

async function writeMark(blobsDir: string, name: string, tempPath: string, text: string): Promise<void> {
  const bytes = Buffer.from(`${text}\n`);
  await TempFile.write(tempPath, [bytes], (draft) => draft.moveTo(join(blobsDir, name), bytes.length));
  await syncDirectory(blobsDir);
}
