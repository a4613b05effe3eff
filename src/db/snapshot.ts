import { Database as Sqlite } from "bun:sqlite";
import type { Digest } from "../domain/digest.ts";
import type { DriveId, StoreId } from "../domain/id.ts";
import type { SnapshotAnswer, SnapshotRequest } from "./snapshot-worker.ts";

/** The disk had no room for a snapshot. */
export class NoRoomForSnapshot extends Error {
  override readonly name = "NoRoomForSnapshot";
}

/**
 * Copies a database to a new file while others read and write it, in a thread. The file is complete then, and not
 * synced.
 *
 * @throws NoRoomForSnapshot
 */
export async function makeSnapshot(from: string, to: string): Promise<void> {
  const { promise, resolve, reject } = Promise.withResolvers<SnapshotAnswer>();
  // The build puts the worker beside the executable's own module.
  const worker = new Worker(new URL("./snapshot-worker.ts", import.meta.url).href, { smol: true });
  worker.addEventListener("message", ({ data }: MessageEvent<SnapshotAnswer>) => resolve(data));
  worker.addEventListener("error", ({ message }) => reject(new Error(message)));
  worker.postMessage({ from, to } satisfies SnapshotRequest, []);
  try {
    const answer = await promise;
    if (answer.kind === "done") return;
    const text = `the database could not be copied: ${answer.message}`;
    throw answer.code === "SQLITE_FULL" ? new NoRoomForSnapshot(text) : new Error(text);
  } finally {
    worker.terminate();
  }
}

/** A content that a snapshot names and that is a file. */
export interface SnapshotContent {
  readonly digest: Digest;
  /** Bytes. */
  readonly size: number;
}

/** A file whose content it is. */
export interface SnapshotFile {
  readonly drive: DriveId;
  readonly path: string;
}

/** A copy of the database, which nobody changes. */
export class Snapshot implements Disposable {
  readonly #sql: Sqlite;

  constructor(path: string) {
    this.#sql = new Sqlite(path, { readonly: true, strict: true });
  }

  schemaVersion(): number {
    const row = this.#sql
      .query<{ version: number }, []>("SELECT max(version) AS version FROM schema_migration")
      .get();
    return row?.version ?? 0;
  }

  /** Null in a store that no server has opened yet. */
  storeId(): StoreId | null {
    return this.#sql.query<{ id: StoreId }, []>("SELECT id FROM store WHERE pk = 1").get()?.id ?? null;
  }

  /** The contents that are files, in the order of their digests. */
  contents(): IterableIterator<SnapshotContent> {
    return this.#sql
      .query<SnapshotContent, []>(
        `SELECT digest, size FROM blob b
          WHERE NOT EXISTS (SELECT 1 FROM small_content c WHERE c.blob = b.pk) ORDER BY digest`,
      )
      .iterate();
  }

  /** Some files that have this content. */
  filesWith(digest: Digest, limit: number): SnapshotFile[] {
    return this.#sql
      .query<SnapshotFile, [Digest, number]>(
        `SELECT d.id AS drive, f.path FROM blob b JOIN file f ON f.blob = b.pk JOIN drive d ON d.pk = f.drive
          WHERE b.digest = ? LIMIT ?`,
      )
      .all(digest, limit);
  }

  [Symbol.dispose](): void {
    this.#sql.close();
  }
}
