import { SMALL_CONTENT_BYTES } from "../../domain/limits.ts";
import { Database as Sqlite, SQLiteError } from "bun:sqlite";
import type { ContentFacts, Digest, StoredPlace } from "../../domain/contents/content.ts";
import type { StoreId } from "../../domain/id.ts";
import { type Finding, quoted } from "../../domain/upkeep/finding.ts";
import { CONTENT_PLACES, SMALL_BYTES } from "../expressions.ts";
import { Connection } from "../engine/connection.ts";
import { requireNewestSchema } from "../engine/opening.ts";
import { MIGRATIONS } from "../engine/migrations.ts";
import { hadNoRoomToOpen } from "../engine/write-failures.ts";
import { check, type Check, damage } from "./check.ts";
import { wrongCounts, wrongPlaces, wrongRecords, wrongTags } from "./counts.ts";
import { wrongKept, wrongTrash } from "./kept.ts";
import { IndexUnread, wrongIndex } from "./search-index.ts";
import { wrongSnapshots } from "./snapshots.ts";

const CHECKS: Readonly<Record<string, readonly Check[]>> = {
  brokenParts: [
    damage("main", "database-corrupt"),
    check<{ table: string; rowid: number | null; parent: string }>(
      "row-missing",
      "PRAGMA foreign_key_check",
      ({ table, rowid, parent }) =>
        `${rowid === null ? "a row" : `row ${rowid}`} of ${table}: it names a row of ${parent} that is not there`,
    ),
  ],
  wrongPlaces,
  wrongCounts,
  wrongKept,
  wrongTrash,
  wrongSnapshots,
  wrongTags,
  wrongRecords,
  wrongIndex: [wrongIndex],
};

/** A database that is only read, beside a server or without one. */
export class VerifiedDatabase implements Disposable {
  readonly #sql: Sqlite;
  /** What could not be checked, and why. */
  readonly #unchecked: string[] = [];
  readonly contents;
  readonly countContents;
  /** How many contents are no rows, and their bytes. */
  readonly placedContents;
  /** The bytes of a small content; null where it is none. */
  readonly bytesOf;
  readonly has;
  readonly isRefused;
  /** The identity of the store; null in a database of an earlier version. */
  readonly storeId;
  readonly #places;

  private constructor(sql: Sqlite) {
    this.#sql = sql;
    const connection = new Connection(sql);
    this.contents = connection.all<ContentFacts, [after: string, limit: number]>(
      "SELECT digest, size FROM blob WHERE digest > ? ORDER BY digest LIMIT ?",
    );
    this.countContents = connection.number<[]>("SELECT count(*) FROM blob");
    this.placedContents = connection.one<{ readonly count: number; readonly bytes: number }, []>(
      `SELECT count(*) AS count, ifnull(sum(size), 0) AS bytes FROM blob WHERE size > ${SMALL_CONTENT_BYTES}`,
    );
    this.bytesOf = connection.value<Uint8Array, [digest: Digest]>(SMALL_BYTES);
    this.has = connection.has<[digest: Digest]>("SELECT 1 FROM blob WHERE digest = ?");
    this.isRefused = connection.has<[digest: Digest]>("SELECT 1 FROM damaged_content WHERE digest = ?");
    this.storeId = connection.value<StoreId, []>("SELECT id FROM store WHERE pk = 1");
    this.#places = connection.get<StoredPlace, [digest: Digest, limit: number]>(CONTENT_PLACES);
  }

  /** It must have our schema. Throws an Error whose message tells the operator what to do. */
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

  /** Each statement sees one state; a snapshot for all would keep a server from emptying its log for longer. */
  *findings(): Generator<Finding> {
    for (const [name, checks] of Object.entries(CHECKS)) yield* this.#attempt(name, checks);
  }

  /** A check that cannot read the database is a finding: the others may still find more. */
  *#attempt(name: string, checks: readonly Check[]): Generator<Finding> {
    try {
      for (const each of checks) yield* each(this.#sql);
    } catch (error) {
      if (error instanceof IndexUnread) this.#unchecked.push(error.message);
      else yield unreadable(error, name);
    }
  }

  /** After the findings: what could not be checked, and what is to be known of each change of a folder that has not ended. */
  notes(): string[] {
    return [...this.#unchecked, ...unendedWorks(this.#sql)];
  }

  /** A file that a blob belongs to, or what is kept of one; null if there is none. */
  placeOf(digest: Digest): StoredPlace | null {
    return this.#places(digest, 1);
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

/** The bytes of a small content in any database, not checked. Null if it does not have them, or cannot be read. */
export function spareBytes(path: string, digest: Digest): Uint8Array | null {
  try {
    using sql = new Sqlite(path, { readonly: true, strict: true });
    return new Connection(sql).value<Uint8Array, [Digest]>(SMALL_BYTES)(digest);
  } catch (error) {
    if (error instanceof SQLiteError) return null;
    throw error;
  }
}

interface Row {
  readonly kind: string;
  readonly undone: 0 | 1;
  readonly drive: string;
  readonly path: string;
  readonly toDrive: string | null;
  readonly toPath: string | null;
  readonly done: number;
  readonly total: number | null;
}

const WORKS = `
  SELECT w.kind, w.undone, d.id AS drive, w.path, t.id AS toDrive, w.to_path AS toPath, w.files_done AS done,
         w.files_total AS total
    FROM folder_work w JOIN drive d ON d.pk = w.drive LEFT JOIN drive t ON t.pk = w.to_drive ORDER BY w.pk`;

const NAMES: Readonly<Record<string, string>> = {
  copy: "a copy",
  move: "a move",
  remove: "a deletion",
  restore: "a restore from the trash",
  rewind: "a restore of a snapshot",
  fork: "a fork",
};

/** Says of each change of a folder that has not ended how far it is. That is nothing wrong: the server ends it. */
function unendedWorks(sql: Sqlite): string[] {
  return sql.query<Row, []>(WORKS).all().map(sentenceOf);
}

function sentenceOf({ kind, undone, drive, path, toDrive, toPath, done, total }: Row): string {
  const from = `${quoted(path)} in drive ${drive}`;
  const to = toDrive === null || toPath === null ? "" : ` to ${quoted(toPath)} in drive ${toDrive}`;
  const far = `${done}${total === null ? "" : ` of ${total}`} files are done`;
  const what = `${NAMES[kind] ?? kind} of ${from}${to}`;
  if (undone === 1)
    return `${what} is being given up: ${far}; a running server, or its next start, goes on with that`;
  const rest = kind === "remove" || kind === "rewind" ? "goes on with it" : "takes it back";
  return `${what} is under way: ${far}; a running server goes on with it, the next start ${rest}`;
}
