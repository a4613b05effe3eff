import { lstat, readdir } from "node:fs/promises";
import { join } from "node:path";
import { type Digest, parseDigest } from "../domain/contents/content.ts";
import { contentPath } from "./blob-file.ts";
import { MARKS } from "./disk-marks.ts";
import { ifPresent } from "./system-error.ts";

/** What is in a directory of blobs. */
export interface NamedFile {
  readonly path: string;
  /** The content that it has the name of; null if it does not belong there. */
  readonly digest: Digest | null;
  /** Bytes; null for what is not a regular file. */
  readonly size: number | null;
  /** Milliseconds since the epoch, by the file system's clock. */
  readonly modifiedAt: number;
}

/** The name of a directory of blobs: the first two digits of their digests. */
export const SHARD = /^[0-9a-f]{2}$/;
const OWN_NAMES: ReadonlySet<string> = new Set([...MARKS, ".rename-test"]);

/** Everything in a directory of blobs, in no order. What goes meanwhile is left out. */
export async function* namesOf(blobsDir: string): AsyncGenerator<NamedFile> {
  for (const shard of await namesIn(blobsDir)) {
    if (OWN_NAMES.has(shard)) continue;
    const directory = join(blobsDir, shard);
    if (!SHARD.test(shard) || !(await isDirectory(directory))) {
      yield* named(directory, null);
      continue;
    }
    for (const name of await namesIn(directory)) {
      const digest = parseDigest(name);
      const path = join(directory, name);
      yield* named(path, digest !== null && contentPath(blobsDir, digest) === path ? digest : null);
    }
  }
}

/** Whether a directory holds any blob. It may be missing, or not belong to a store. */
export async function hasBlobs(blobsDir: string): Promise<boolean> {
  for await (const count of countsIn(blobsDir)) if (count > 0) return true;
  return false;
}

/** How many blobs a directory holds; slow if there are many. It may be missing, as for `hasBlobs`. */
export async function countBlobs(blobsDir: string): Promise<number> {
  let total = 0;
  for await (const count of countsIn(blobsDir)) total += count;
  return total;
}

/** The number of blobs in each shard. */
async function* countsIn(blobsDir: string): AsyncGenerator<number> {
  for (const shard of await namesIn(blobsDir)) {
    if (!SHARD.test(shard)) continue;
    const names = await namesIn(join(blobsDir, shard));
    yield names.filter((name) => name.startsWith(shard) && parseDigest(name) !== null).length;
  }
}

async function* named(path: string, digest: Digest | null): AsyncGenerator<NamedFile> {
  const found = await ifPresent(lstat(path));
  if (found === null) return;
  yield { path, digest, size: found.isFile() ? found.size : null, modifiedAt: found.mtimeMs };
}

async function namesIn(directory: string): Promise<string[]> {
  return (await ifPresent(readdir(directory))) ?? [];
}

async function isDirectory(path: string): Promise<boolean> {
  return (await ifPresent(lstat(path)))?.isDirectory() ?? false;
}

/** What is in a directory, last name first; nothing if there is none. */
export async function pathsIn(path: string): Promise<string[]> {
  const names = await namesIn(path);
  return names
    .toSorted()
    .toReversed()
    .map((name) => join(path, name));
}
