import { type Digest, parseDigest } from "../../domain/contents/content.ts";

/** The object that says which store the contents belong to. */
export const IDENTITY = "identity";
/** What the names of all contents begin with. */
export const BLOBS = "blobs/";

/** What the names of all leases begin with. */
export const LEASES = "leases/";

/** What names a lease: the id of its backup. It is also the name of a file. */
export type LeaseId = `${string}-${string}`;

export function isLeaseId(text: string): text is LeaseId {
  return /^[0-9A-Za-z]{1,40}-[0-9A-Za-z]{1,40}$/.test(text);
}

/** The object of a lease. */
export function nameOfLease(id: LeaseId): string {
  return `${LEASES}${id}`;
}

/** The lease that an object has the name of; null if it is none. */
export function leaseOfName(name: string): LeaseId | null {
  const id = name.slice(LEASES.length);
  return name.startsWith(LEASES) && isLeaseId(id) ? id : null;
}

/** The object of a content. */
export function nameOfBlob(digest: Digest): string {
  return `${BLOBS}${digest.slice(0, 2)}/${digest}`;
}

/** What the names of a shard's contents begin with. @param shard 0 to 255 */
export function prefixOfShard(shard: number): string {
  return `${BLOBS}${shard.toString(16).padStart(2, "0")}/`;
}

/** The content that an object has the name of; null if it is none of a store's. */
export function digestOfName(name: string): Digest | null {
  const digest = parseDigest(name.slice(name.lastIndexOf("/") + 1));
  return digest !== null && nameOfBlob(digest) === name ? digest : null;
}
