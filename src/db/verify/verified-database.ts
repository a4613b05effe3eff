import { Database as Sqlite, SQLiteError, type Statement } from "bun:sqlite";
import type { Digest } from "../../domain/contents/digest.ts";
import type { Finding } from "../../domain/upkeep/finding.ts";
import type { StoredPlace } from "../../domain/contents/stored-place.ts";
import { CONTENT_PLACES } from "../contents/content-places.ts";
import { requireNewestSchema } from "../engine/migrate.ts";
import { MIGRATIONS } from "../engine/migrations.ts";
import { hadNoRoomToOpen } from "../engine/write-failures.ts";
import { wrongCounts, wrongPlaces } from "./counts.ts";
import { brokenParts } from "./integrity.ts";
import { wrongKept } from "./kept-counts.ts";
import { IndexUnread, wrongIndex } from "./search-index.ts";
import { wrongSnapshots } from "./snapshots.ts";
import { wrongTags } from "./tags.ts";
import { wrongTrash } from "./trash.ts";
import { unendedWorks } from "./works.ts";

/** A content as its row says. */
export interface StoredContent {
  readonly digest: Digest;
  /** Bytes. */
  readonly size: number;
}

/** The checks of the database, in their order. */
const CHECKS = [
  brokenParts,
  wrongPlaces,
  wrongCounts,
  wrongKept,
  wrongTrash,
  wrongSnapshots,
  wrongTags,
  wrongIndex,
] as const;

/** A database that is only read, beside a server or without one. */
export class VerifiedDatabase implements Disposable {
  readonly #sql: Sqlite;
  /** What could not be checked, and why. */
  readonly #unchecked: string[] = [];
  readonly #contents: Statement<StoredContent, [string, number]>;
  readonly #bytes: Statement<{ bytes: Uint8Array }, [Digest]>;
  readonly #has: Statement<object, [Digest]>;
  readonly #places: Statement<StoredPlace, [Digest, number]>;
  readonly #isRefused: Statement<object, [Digest]>;

  private constructor(sql: Sqlite) {
    this.#sql = sql;
    this.#contents = sql.prepare("SELECT digest, size FROM blob WHERE digest > ? ORDER BY digest LIMIT ?");
    this.#bytes = sql.prepare(
      "SELECT c.bytes FROM blob b JOIN small_content c ON c.blob = b.pk WHERE b.digest = ?",
    );
    this.#has = sql.prepare("SELECT 1 FROM blob WHERE digest = ?");
    this.#places = sql.prepare(CONTENT_PLACES);
    this.#isRefused = sql.prepare("SELECT 1 FROM damaged_content WHERE digest = ?");
  }

  /**
   * Opens a database. It must have the schema of this executable.
   *
   * @throws Error whose message tells the operator what to do
   */
  static open(path: string): VerifiedDatabase {
    let sql: Sqlite | null = null;
    try {
      sql = new Sqlite(path, { readonly: true, strict: true });
      sql.run("PRAGMA busy_timeout = 10000");
      sql.run("PRAGMA temp_store = MEMORY");
      requireNewestSchema(sql, path, MIGRATIONS);
      return new VerifiedDatabase(sql);
    } catch (error) {
      sql?.close();
      if (!(error instanceof SQLiteError)) throw error;
      const advice = hadNoRoomToOpen(error)
        ? "Free some space on its disk."
        : "Make it readable for this user; if it is damaged, restore it from a backup.";
      throw new Error(`The database ${path} cannot be read: ${error.message}. ${advice}`, { cause: error });
    }
  }

  /**
   * Everything that is wrong with the database itself. Each statement sees one state of it; a snapshot for all would
   * keep a server from emptying its log for longer.
   */
  *findings(): Generator<Finding> {
    for (const check of CHECKS) yield* this.#attempt(check);
  }

  /** A check that cannot read the database is a finding: the others may still find more. */
  *#attempt(check: (sql: Sqlite) => Generator<Finding>): Generator<Finding> {
    try {
      yield* check(this.#sql);
    } catch (error) {
      if (error instanceof IndexUnread) this.#unchecked.push(error.message);
      else yield unreadable(error, check.name);
    }
  }

  /** After the findings: what could not be checked, and what is to be known of each change of a folder that has not ended. */
  notes(): string[] {
    return [...this.#unchecked, ...unendedWorks(this.#sql)];
  }

  /** Some contents after a digest, in the order of their digests, as they are now. */
  contents(after: string, limit: number): StoredContent[] {
    return this.#contents.all(after, limit);
  }

  countContents(): number {
    return this.#sql.query<{ n: number }, []>("SELECT count(*) AS n FROM blob").get()?.n ?? 0;
  }

  /** The bytes of a small content; null where it is none. */
  bytesOf(digest: Digest): Uint8Array | null {
    return this.#bytes.get(digest)?.bytes ?? null;
  }

  /** Whether a row names this content now. */
  has(digest: Digest): boolean {
    return this.#has.get(digest) !== null;
  }

  /** A file that a content belongs to, or what is kept of one; null if there is none. */
  placeOf(digest: Digest): StoredPlace | null {
    return this.#places.get(digest, 1);
  }

  /** Whether the server refuses to send a content. */
  isRefused(digest: Digest): boolean {
    return this.#isRefused.get(digest) !== null;
  }

  /** The identity of the store; null in a database of an earlier version. */
  storeId(): string | null {
    return this.#sql.query<{ id: string }, []>("SELECT id FROM store WHERE pk = 1").get()?.id ?? null;
  }

  [Symbol.dispose](): void {
    this.#sql.close();
  }
}

/** The finding for an error, if it is that the database cannot be read; else throws it. */
export function unreadable(error: unknown, what: string): Finding {
  if (!(error instanceof SQLiteError)) throw error;
  return { code: "database-corrupt", about: `${what}: ${error.message}` };
}
