import { createReadStream } from "node:fs";
import { damageIn, type BlobFacts, type DamagedBlob } from "../blobs/blob-file.ts";
import { writeLeaseList } from "../blobs/bucket/lease-list.ts";
import type { StoredBucket } from "../blobs/bucket/stored-bucket.ts";
import type { Digest } from "../domain/contents/content.ts";
import { readContentList } from "./contents.ts";
import type { BackupId } from "./manifest.ts";

/**
 * Looks whether contents are in a bucket with their sizes, in the order of their digests: out of a list, a request for a
 * thousand. Returns what is wrong with one; null for nothing. Throws UnavailableBlob.
 */
export function lookInBucket(bucket: StoredBucket): (content: BlobFacts) => Promise<DamagedBlob | null> {
  const requireListed = bucket.sizesInOrder();
  return async (content) => {
    const damage = await damageIn(() => requireListed(content));
    // A list may be older than a content.
    return damage === null ? null : damageIn(() => bucket.requireSize(content));
  };
}

/**
 * Keeps the contents of a backup in the bucket, as long as it has its lease.
 *
 * @param paths of the list of these contents, and of a file to be made
 */
export async function leaseContents(
  bucket: StoredBucket,
  id: BackupId,
  paths: { readonly contents: string; readonly lease: string },
): Promise<void> {
  const sha256 = await writeLeaseList(paths.lease, digestsIn(paths.contents));
  await bucket.lease(id, paths.lease, sha256);
}

async function* digestsIn(path: string): AsyncGenerator<Digest> {
  for await (const { digest } of readContentList(createReadStream(path))) yield digest;
}
