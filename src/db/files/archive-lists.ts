import { fileIsAlive } from "../expressions.ts";
import { setImmediate as nextTurn } from "node:timers/promises";
import type { Digest } from "../../domain/contents/content.ts";
import { type FilePath, type FolderPath, isFolderPath } from "../../domain/files/path.ts";
import type { SnapshotNumber } from "../../domain/snapshots/snapshot.ts";
import { ALL_FILES, ALL_FOLDERS, type SnapshotScope, stepParts } from "../snapshots/snapshot-lists.ts";
import { type Connection, openReader } from "../engine/connection.ts";
import type { Database } from "../engine/database.ts";
import { firstAfter, type PathRange, rangeOf } from "./files.ts";

/** Rows per statement, so that no request waits long for one. */
const PIECE = 500;

/** A file of a drive, or a folder; a folder's digest is null. */
interface ArchiveRow {
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
type ArchiveScope = Omit<SnapshotScope, "at"> & {
  /** Null for what it holds now. */
  readonly at: SnapshotNumber | null;
};

type Selection = ArchiveScope & PathRange;

interface Source {
  readonly table: string;
  readonly isIn: string;
  readonly isFile: boolean;
}

const LIVE: readonly Source[] = [
  { table: ALL_FILES.live, isIn: "1", isFile: true },
  { table: ALL_FOLDERS.live, isIn: "1", isFile: false },
];
const PAST: readonly Source[] = [
  { table: ALL_FILES.live, isIn: "f.era < :at", isFile: true },
  { table: ALL_FILES.held, isIn: "f.era < :at AND f.until >= :at", isFile: true },
  { table: ALL_FOLDERS.live, isIn: "f.era < :at", isFile: false },
  { table: ALL_FOLDERS.held, isIn: "f.era < :at AND f.until >= :at", isFile: false },
];

/** Statements that copy what is in a range of paths, step by step: see `snapshotWalk`. */
function takeFrom(sql: Connection, sources: readonly Source[]) {
  const selects = sources.map(({ table, isIn, isFile }) =>
    isFile
      ? `SELECT f.path, (SELECT digest FROM blob WHERE pk = f.blob), f.size, f.updated_at
           FROM ${table} AND f.path >= :from AND f.path < :to AND ${isIn} AND ${fileIsAlive(":now")}`
      : `SELECT f.path, NULL, 0, f.created_at
           FROM ${table} AND f.path >= :from AND f.path < :to AND ${isIn} AND f.path <> ''`,
  );
  const tables = sources.map(({ table }) => table);
  return {
    partOf: stepParts(sql, tables),
    take: sql.write<[Selection]>(
      `INSERT INTO entry (path, digest, size, modified_at) ${selects.join(" UNION ALL ")} ORDER BY 1`,
    ),
  };
}

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
  readonly #live;
  readonly #past;
  readonly #page;
  readonly #count;

  constructor(path: string) {
    const sql = openReader(path, 1000);
    this.#sql = sql;
    sql.run("PRAGMA temp_store = FILE");
    sql.run(
      `CREATE TEMP TABLE entry (number INTEGER PRIMARY KEY, path TEXT NOT NULL, digest TEXT,
                                size INTEGER NOT NULL, modified_at INTEGER NOT NULL)`,
    );
    this.#live = takeFrom(sql, LIVE);
    this.#past = takeFrom(sql, PAST);
    this.#page = sql.all<ArchiveRow, [after: number, limit: number]>(
      `SELECT number, path, digest, size, modified_at AS modifiedAt FROM entry
        WHERE number > ? ORDER BY number LIMIT ?`,
    );
    this.#count = sql.number<[]>("SELECT max(number) FROM entry");
  }

  /** Rows of one state. @param places none inside another, in path order @returns how many; null if a place is empty */
  async collect(scope: ArchiveScope, places: readonly (FilePath | FolderPath)[]): Promise<number | null> {
    this.#sql.run("BEGIN");
    for (const place of places) {
      const isThere = await this.#takeAll(scope, place);
      if (!isThere && place !== "") return null;
    }
    this.#sql.run("COMMIT");
    return this.#count();
  }

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

  async #takeAll(scope: ArchiveScope, place: FilePath | FolderPath): Promise<boolean> {
    const { partOf, take } = scope.at === null ? this.#live : this.#past;
    let isThere = false;
    const whole: PathRange = isFolderPath(place) ? rangeOf(place) : { from: place, to: firstAfter(place) };
    for (let range = whole; ;) {
      const { from, to, rest } = partOf(scope, range);
      if (take({ ...scope, from, to }) > 0) isThere = true;
      if (rest === null) return isThere;
      range = rest;
      await nextTurn();
    }
  }
}
