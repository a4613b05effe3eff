import { expect } from "bun:test";
import { join } from "node:path";
import { nameOfBlob } from "../../../src/blobs/bucket/bucket-names.ts";
import { parseDigest } from "../../../src/domain/contents/content.ts";
import { present } from "../../../src/domain/errors.ts";
import { SMALL_CONTENT_BYTES } from "../../../src/domain/limits.ts";
import { listUploads } from "../../../src/s3/listing.ts";
import { type S3Options, S3Requests } from "../../../src/s3/requests.ts";
import { S3Bucket } from "../../../src/s3/s3-bucket.ts";
import { hashOf } from "../samples/hash.ts";
import { eventually } from "../server/scenario.ts";
import { rowsIn } from "./change-database.ts";
import { ageOrphans, temporariesIn } from "./nothing-left.ts";

/** The names of all objects of a store, without the prefix. */
export async function objectsIn(options: S3Options): Promise<string[]> {
  return (await Array.fromAsync(new S3Bucket(options).list(""))).map(({ name }) => name);
}

/** How many uploads in parts have not ended. */
export async function openUploadsIn(options: S3Options): Promise<number> {
  return (await Array.fromAsync(listUploads(new S3Requests(options), options.prefix))).length;
}

/** The names of the objects that a store must have, and no others once it is swept. */
export function namedIn(dataDir: string): string[] {
  const digests = rowsIn(dataDir, `SELECT digest FROM blob WHERE size > ${SMALL_CONTENT_BYTES}`).flat();
  const names = digests.map((digest) => nameOfBlob(present(parseDigest(String(digest)), "a digest")));
  return [...names, "identity"].toSorted();
}

/**
 * Waits until the sweeps of a running server have left in the bucket what rows name and nothing else, and no temporary
 * file: what has no row goes after the shortest grace, a minute. Uploads in parts that a kill has left are aborted then, as after a day.
 *
 * @returns how many of these there were
 */
export async function requireBucketSwept(dataDir: string, options: S3Options): Promise<number> {
  const isSwept = async () => {
    ageOrphans(dataDir);
    return (
      rowsIn(dataDir, "SELECT 1 FROM blob WHERE refs = 0").length === 0 &&
      Bun.deepEquals(await objectsIn(options), namedIn(dataDir)) &&
      (await temporariesIn(dataDir)).length === 0 &&
      halfCached(dataDir).length === 0
    );
  };
  await eventually(isSwept);
  const left = await openUploadsIn(options);
  expect(await new S3Bucket(options).abortUploads(Date.now() + 1000)).toBe(left);
  expect(await openUploadsIn(options)).toBe(0);
  expect(await isSwept()).toBe(true);
  return left;
}

function cacheOf(dataDir: string): string {
  return join(dataDir, "cache");
}

/** What a kill has left in the cache of a store while that was filled; until it is counted again. */
function halfCached(dataDir: string): string[] {
  return [...new Bun.Glob("*.tmp").scanSync(cacheOf(dataDir))];
}

/** Everything that has a name in the cache of a store has the bytes that it says. */
export async function requireRightCache(dataDir: string): Promise<void> {
  const cache = cacheOf(dataDir);
  for (const path of new Bun.Glob("*/*").scanSync(cache)) {
    const digest = hashOf(await Bun.file(join(cache, path)).bytes());
    expect(path).toBe(join(digest.slice(0, 2), digest));
  }
}
