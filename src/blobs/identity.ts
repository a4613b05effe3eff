import { lstat, readdir, readFile } from "node:fs/promises";
import { join } from "node:path";
import { parseDigest } from "../domain/contents/digest.ts";
import type { StoreId } from "../domain/id.ts";
import { ifPresent } from "./system-error.ts";
import { syncDirectory, TempFile } from "./temp-file.ts";

/** The file in the blobs directory that says which store it belongs to. */
const IDENTITY = "identity";

/** The directory's identity as its file holds it, valid or not; null if there is none. */
export async function readIdentity(blobsDir: string): Promise<string | null> {
  const path = join(blobsDir, IDENTITY);
  const found = await ifPresent(lstat(path));
  if (found === null) return null;
  return found.isFile() ? (await readFile(path, "utf8")).trim() : "not a regular file";
}

/** Replaces the directory's identity and syncs it. It is written to `tempPath` first. */
export async function writeIdentity(blobsDir: string, tempPath: string, id: StoreId): Promise<void> {
  const bytes = Buffer.from(`${id}\n`);
  await TempFile.write(tempPath, [bytes], (draft) => draft.moveTo(join(blobsDir, IDENTITY), bytes.length));
  await syncDirectory(blobsDir);
}

/** Whether a directory holds any blob. It may be missing, or not belong to a store. */
export async function hasContents(blobsDir: string): Promise<boolean> {
  for await (const count of contentCounts(blobsDir)) if (count > 0) return true;
  return false;
}

/** How many blobs a directory holds; slow if there are many. It may be missing, as for `hasContents`. */
export async function countContents(blobsDir: string): Promise<number> {
  let total = 0;
  for await (const count of contentCounts(blobsDir)) total += count;
  return total;
}

async function* contentCounts(blobsDir: string): AsyncGenerator<number> {
  for (const shard of (await ifPresent(readdir(blobsDir))) ?? []) {
    if (!/^[0-9a-f]{2}$/.test(shard)) continue;
    const names = (await ifPresent(readdir(join(blobsDir, shard)))) ?? [];
    yield names.filter((name) => name.startsWith(shard) && parseDigest(name) !== null).length;
  }
}
