import { fileIsAlive } from "../alive.ts";
import { setImmediate as nextTurn } from "node:timers/promises";
import type { Digest } from "../../domain/contents/digest.ts";
import type { DrivePk } from "../../domain/id.ts";
import { type FilePath, type FolderPath, isFolderPath } from "../../domain/files/path.ts";
import type { SnapshotNumber } from "../../domain/snapshots/snapshot.ts";
import { ALL_FILES, ALL_FOLDERS, stepParts } from "../snapshots/snapshot-walk.ts";
import { type Connection, openReader } from "../engine/connection.ts";
import type { Database } from "../engine/database.ts";
import type { Parameters } from "../engine/parameters.ts";
import { firstAfter, type PathRange, rangeOf } from "./path-range.ts";

/** Rows per statement, so that no request waits long for one. */
const PIECE = 500;

/** A file of a drive, or a folder; a folder's digest is null. */
export interface ArchiveRow {
  /** Counts from 1, in path order. */
  readonly number: number;
  readonly path: FilePath | FolderPath;
  readonly digest: Digest | null;
  /** Bytes. */
  readonly size: number;
  /** Milliseconds since the epoch; for a folder, when it was created. */
  readonly modifiedAt: number;
}

/** What is packed: what a drive holds, or what it held in a snapshot. */
interface ArchiveScope {
  readonly drive: DrivePk;
  /** Null for what it holds now. */
  readonly at: SnapshotNumber | null;
  /** Files that have expired by this time are left out. */
  readonly now: number;
}

type Selection = ArchiveScope & PathRange;

/** The tables with what was in a snapshot, and which of their rows were. */
const PAST = [
  { table: ALL_FILES.live, isIn: "f.era < :at", isFile: true },
  { table: ALL_FILES.held, isIn: "f.era < :at AND f.until >= :at", isFile: true },
  { table: ALL_FOLDERS.live, isIn: "f.era < :at", isFile: false },
  { table: ALL_FOLDERS.held, isIn: "f.era < :at AND f.until >= :at", isFile: false },
] as const;

/** The lists of what archives hold, each on a connection of its own. */
export function archiveLists({ sql }: Database) {
  return {
    /** An empty list. The caller must dispose of it. */
    open: () => new ArchiveList(sql.filename),
  };
}

/**
 * What an archive holds, copied from one snapshot of the database: sending an archive may take hours, too long to
 * hold a snapshot. The copy is in a temporary table: a long one goes to the disk, and it ends with the connection,
 * even in a crash.
 */
class ArchiveList implements Disposable {
  readonly #sql: Connection;
  readonly #take;
  readonly #takePast;
  readonly #pastPart;
  readonly #last;
  readonly #page;

  constructor(path: string) {
    const sql = openReader(path, 1000);
    this.#sql = sql;
    sql.run("PRAGMA temp_store = FILE");
    sql.run(
      `CREATE TEMP TABLE entry (number INTEGER PRIMARY KEY, path TEXT NOT NULL, digest TEXT,
                                size INTEGER NOT NULL, modified_at INTEGER NOT NULL)`,
    );
    this.#take = sql.write<[Parameters<Selection> & { readonly limit: number }]>(
      `INSERT INTO entry (path, digest, size, modified_at)
       SELECT f.path, b.digest, f.size, f.updated_at
         FROM file f INDEXED BY file_path JOIN blob b ON b.pk = f.blob
        WHERE f.drive = :drive AND f.path >= :from AND f.path < :to
          AND ${fileIsAlive(":now")}
       UNION ALL
       SELECT path, NULL, 0, created_at FROM folder
        WHERE drive = :drive AND path >= :from AND path < :to AND parent IS NOT NULL
        ORDER BY 1 LIMIT :limit`,
    );
    this.#takePast = sql.write<[Parameters<Selection>]>(
      `INSERT INTO entry (path, digest, size, modified_at) ${PAST.map(({ table, isIn, isFile }) =>
        isFile
          ? `SELECT f.path, (SELECT digest FROM blob WHERE pk = f.blob), f.size, f.updated_at
               FROM ${table} AND f.path >= :from AND f.path < :to AND ${isIn} AND ${fileIsAlive(":now")}`
          : `SELECT f.path, NULL, 0, f.created_at
               FROM ${table} AND f.path >= :from AND f.path < :to AND ${isIn} AND f.path <> ''`,
      ).join(" UNION ALL ")} ORDER BY 1`,
    );
    this.#pastPart = stepParts(
      sql,
      PAST.map(({ table }) => table),
    );
    this.#last = sql.get<{ number: number; path: string }, []>(
      "SELECT number, path FROM entry ORDER BY number DESC LIMIT 1",
    );
    this.#page = sql.all<ArchiveRow, [after: number, limit: number]>(
      `SELECT number, path, digest, size, modified_at AS modifiedAt FROM entry
        WHERE number > ? ORDER BY number LIMIT ?`,
    );
  }

  /**
   * Copies what is at these places, all from one state of the database.
   *
   * @param places none inside another, in path order
   * @returns the number of rows; null if one of the places is empty
   */
  async collect(scope: ArchiveScope, places: readonly (FilePath | FolderPath)[]): Promise<number | null> {
    this.#sql.run("BEGIN");
    for (const place of places) {
      const isThere = await (scope.at === null
        ? this.#takeAll(scope, place)
        : this.#takeAllPast(scope, place));
      if (!isThere && place !== "") return null;
    }
    this.#sql.run("COMMIT");
    return this.#last()?.number ?? 0;
  }

  /** The rows in path order, read in batches. */
  *rows(): Generator<ArchiveRow> {
    for (let after = 0, isMore = true; isMore; after += PIECE) {
      const rows = this.#page(after, PIECE);
      yield* rows;
      isMore = rows.length === PIECE;
    }
  }

  [Symbol.dispose](): void {
    this.#sql.close();
  }

  /** Copies what is at a place. Returns whether there is anything. */
  async #takeAll(scope: ArchiveScope, place: FilePath | FolderPath): Promise<boolean> {
    const { from, to } = placeRange(place);
    let taken = this.#take({ ...scope, from, to, limit: PIECE });
    const isThere = taken > 0;
    while (taken === PIECE) {
      await nextTurn();
      const { path } = this.#last() ?? { path: from };
      taken = this.#take({ ...scope, from: firstAfter(path), to, limit: PIECE });
    }
    return isThere;
  }

  /** Like `#takeAll`, of a snapshot. Each step looks at so many rows, in the snapshot or not: see `snapshotWalk`. */
  async #takeAllPast(scope: ArchiveScope, place: FilePath | FolderPath): Promise<boolean> {
    let isThere = false;
    for (let range = placeRange(place); ;) {
      const { from, to, rest } = this.#pastPart({ ...scope }, range);
      if (this.#takePast({ ...scope, from, to }) > 0) isThere = true;
      if (rest === null) return isThere;
      range = rest;
      await nextTurn();
    }
  }
}

function placeRange(place: FilePath | FolderPath): PathRange {
  return isFolderPath(place) ? rangeOf(place) : { from: place, to: firstAfter(place) };
}
