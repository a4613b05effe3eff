import type { BlobStore } from "../blobs/blob-store.ts";
import type { Clock } from "../clock.ts";
import type { Tables } from "../db/tables.ts";
import type { Log } from "../log.ts";
import { Access } from "./access.ts";
import { ApiKeys } from "./api-keys.ts";
import { Drives } from "./drives.ts";
import { Files } from "./files.ts";
import { Folders } from "./folders.ts";
import { Listings } from "./listings.ts";
import { Quota, type StorageLimits } from "./quota.ts";
import { Sweep } from "./sweep.ts";
import { Tree } from "./tree.ts";
import { Uploads } from "./uploads.ts";
import { Users } from "./users.ts";

export interface ServiceParts {
  readonly tables: Tables;
  readonly blobs: BlobStore;
  readonly clock: Clock;
  readonly log: Log;
  /** What keys start with. */
  readonly keyPrefix: string;
  readonly storageLimits: StorageLimits;
  /** Bytes. */
  readonly maxFileSize: number;
}

/** The use cases, wired to each other. */
export type Services = ReturnType<typeof openServices>;

export function openServices(given: ServiceParts) {
  const access = new Access(given.tables, given.clock);
  const quota = new Quota(given.tables, given.storageLimits);
  const tree = new Tree(given.tables, quota);
  const parts = { ...given, access, quota, tree };
  return {
    drives: new Drives(parts),
    files: new Files(parts),
    uploads: new Uploads(parts),
    listings: new Listings(parts),
    folders: new Folders(parts),
    apiKeys: new ApiKeys(parts),
    users: new Users(parts),
    sweep: new Sweep(parts),
  };
}
