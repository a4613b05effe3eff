import type { StoredPlaces } from "../blobs/open-stored.ts";
import type { BlobStore } from "../blobs/blob-store.ts";
import type { Tables } from "../db/tables.ts";
import type { Retention } from "../domain/history/history.ts";
import type { SteadyClock } from "../process/clock.ts";
import type { Log } from "../process/log.ts";
import type { Tracer } from "../tracing/tracer.ts";
import type { Access } from "./access.ts";
import type { UsageMeter } from "./accounts/usage.ts";
import type { Audit } from "./audit/audit.ts";
import type { Batches } from "./changes/batches.ts";
import type { Changes } from "./changes/changes.ts";
import type { DamagedBlobs } from "./contents/blob-checks.ts";
import type { Tree } from "./files/tree.ts";
import type { FolderLocks } from "./folders/folder-locks.ts";
import type { Quota } from "./quota.ts";

/** Where a thread finds the store, which it reads on its own. */
export interface StorePlaces {
  /** The database's file. The search index is beside it. */
  readonly database: string;
  readonly blobs: StoredPlaces;
}

/** What many use cases are made from. Each picks what it needs. */
export interface Parts {
  readonly tables: Tables;
  readonly blobs: BlobStore;
  readonly clock: SteadyClock;
  readonly log: Log;
  /** Null if no traces are recorded. */
  readonly tracer: Tracer | null;
  readonly storePlaces: StorePlaces;
  readonly retention: Retention;
  readonly access: Access;
  readonly audit: Audit;
  readonly quota: Quota;
  readonly locks: FolderLocks;
  readonly changes: Changes;
  readonly batches: Batches;
  readonly tree: Tree;
  readonly usage: UsageMeter;
  readonly damaged: DamagedBlobs;
}
