import { join } from "node:path";

/** The directories of a disk. */
export interface DiskPaths {
  /** What people call it. */
  readonly root: string;
  /** Holds `ab/<64 hex>`: one directory, a shard, for each value of the first two digits that there is a blob of. */
  readonly blobsDir: string;
  /** Temporary files of this store alone: old ones are deleted at open. On the file system of `blobsDir`. */
  readonly tmpDir: string;
}

/** The directories below the root of a disk, such as the data directory. */
export function diskAt(root: string): DiskPaths {
  return { root, blobsDir: join(root, "blobs"), tmpDir: join(root, "tmp") };
}
