/** Where backups are kept: a directory of this machine, or a part of a bucket of an S3 server. */
export type BackupAddress =
  /** `path` is absolute. */
  | { readonly kind: "directory"; readonly path: string }
  /** `prefix` is empty or ends in a slash. */
  | { readonly kind: "s3"; readonly bucket: string; readonly prefix: string };

const S3 = /^s3:\/\/([a-z0-9][a-z0-9.-]{1,61}[a-z0-9])(?:\/([^?#]*))?$/;
const SCHEME = /^[a-z][a-z0-9+.-]*:\/\//i;

/** Part of a bucket of an S3 server. */
export type BucketAddress = Extract<BackupAddress, { readonly kind: "s3" }>;

/** Whether what has a name in one part of buckets can be in another one. */
export function isSharedBucket(one: BucketAddress, other: BucketAddress): boolean {
  const isIn = one.prefix.startsWith(other.prefix) || other.prefix.startsWith(one.prefix);
  return one.bucket === other.bucket && isIn;
}

/** Reads `s3://bucket/prefix` or a path, which `absolute` makes so; null for an address of another kind. */
export function parseBackupAddress(text: string, absolute: (path: string) => string): BackupAddress | null {
  const [, bucket, prefix = ""] = S3.exec(text) ?? [];
  if (bucket !== undefined) {
    const trimmed = prefix.replaceAll(/^\/+|\/+$/g, "");
    return { kind: "s3", bucket, prefix: trimmed === "" ? "" : `${trimmed}/` };
  }
  if (text === "" || text === "-" || SCHEME.test(text)) return null;
  return { kind: "directory", path: absolute(text) };
}

/** The address as a person writes it. Two texts of one place give one name. */
export function nameOfBackupAddress(address: BackupAddress): string {
  if (address.kind === "directory") return address.path;
  return `s3://${address.bucket}/${address.prefix}`.replace(/\/$/, "");
}
