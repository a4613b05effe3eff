import { Database as Sqlite } from "bun:sqlite";
import type { NewAuditEvent } from "../../domain/audit/audit-event.ts";
import type { ContentFacts, Digest, StoredPlace } from "../../domain/contents/content.ts";
import type { StoreId } from "../../domain/id.ts";
import { auditEvents } from "../audit/audit-events.ts";
import { Connection } from "../engine/connection.ts";
import { CONTENT_PLACES, FILE_PLACES } from "../expressions.ts";
import { CallFailure } from "../../process/answer-calls.ts";
import { AskedThread } from "../../process/threads.ts";
import { isFull } from "../engine/write-failures.ts";
import type { CopyCalls } from "./database-copy-worker.ts";

/** The disk had no room for a snapshot. */
export class NoRoomForCopy extends Error {
  override readonly name = "NoRoomForCopy";
}

/** Copies a database to a new file, not synced, while others use it. In a thread. Throws NoRoomForCopy. */
export async function copyDatabase(from: string, to: string): Promise<void> {
  const thread = new AskedThread<CopyCalls>({
    module: new URL("./database-copy-worker.ts", import.meta.url).href,
    what: "the copy of the database",
    keepsProcess: true,
  });
  try {
    await thread.ask("copy", from, to);
  } catch (error) {
    if (!(error instanceof CallFailure)) throw error;
    const text = `the database could not be copied: ${error.thrown}`;
    throw isFull(error) ? new NoRoomForCopy(text) : new Error(text);
  } finally {
    thread.end();
  }
}

type SmallContent = ContentFacts & { readonly bytes: Uint8Array };

/** The first version of the schema with contents in the database. */
const SMALL_CONTENTS_VERSION = 15;
/** The first version of the schema with files that are kept besides those of drives. */
const HISTORY_VERSION = 27;
/** The first version of the schema with an audit log. */
const AUDIT_VERSION = 43;

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
  contents(): IterableIterator<ContentFacts> {
    return this.#sql
      .query<ContentFacts, []>(
        `SELECT digest, size FROM blob b
          WHERE NOT EXISTS (SELECT 1 FROM small_content c WHERE c.blob = b.pk) ORDER BY digest`,
      )
      .iterate();
  }

  smallContents(): Iterable<SmallContent> {
    if (this.schemaVersion() < SMALL_CONTENTS_VERSION) return [];
    return this.#sql
      .query<SmallContent, []>(
        "SELECT b.digest, b.size, c.bytes FROM small_content c JOIN blob b ON b.pk = c.blob",
      )
      .iterate();
  }

  placesOf(digest: Digest, limit: number): StoredPlace[] {
    const query = this.schemaVersion() < HISTORY_VERSION ? `${FILE_PLACES} LIMIT ?2` : CONTENT_PLACES;
    return this.#sql.query<StoredPlace, [Digest, number]>(query).all(digest, limit);
  }

  [Symbol.dispose](): void {
    this.#sql.close();
  }
}

/**
 * Adds an event to a copy of a database that nobody has opened yet; to one from before the audit log, nothing. After it
 * all is synced and in that one file; if the process ends before, the copy is of no use. Throws SQLiteError.
 */
export function recordInCopy(path: string, event: NewAuditEvent): void {
  {
    using snapshot = new Snapshot(path);
    if (snapshot.schemaVersion() < AUDIT_VERSION) return;
  }
  using sql = new Sqlite(path, { readwrite: true, create: false, strict: true });
  sql.run("PRAGMA journal_mode = MEMORY");
  sql.run("PRAGMA synchronous = FULL");
  auditEvents({ sql: new Connection(sql) }).insert(event);
}
