import { fileIsAlive } from "./alive.ts";
import { Database as Sqlite } from "bun:sqlite";
import { setImmediate as nextTurn } from "node:timers/promises";
import type { Digest } from "../domain/digest.ts";
import type { DrivePk } from "../domain/id.ts";
import { type FilePath, type FolderPath, isFolderPath } from "../domain/path.ts";
import type { Database } from "./database.ts";
import type { Parameters } from "./parameters.ts";
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

interface Selection extends PathRange {
  readonly drive: DrivePk;
  readonly now: number;
  readonly limit: number;
}

/** Creates the lists of what archives hold, each on its own connection. */
export class ArchiveLists {
  readonly #path: string;

  constructor({ sql }: Database) {
    this.#path = sql.filename;
  }

  /** An empty list. The caller must dispose of it. */
  open(): ArchiveList {
    return new ArchiveList(this.#path);
  }
}

/**
 * What an archive holds, copied from one snapshot of the database: sending an archive may take hours, too long to
 * hold a snapshot. The copy is in a temporary table: a long one goes to the disk, and it ends with the connection,
 * even in a crash.
 */
export class ArchiveList implements Disposable {
  readonly #sql: Sqlite;
  readonly #take;
  readonly #last;
  readonly #page;

  constructor(path: string) {
    this.#sql = new Sqlite(path, { readonly: true, strict: true });
    this.#sql.run("PRAGMA busy_timeout = 10000");
    this.#sql.run("PRAGMA temp_store = FILE");
    this.#sql.run("PRAGMA cache_size = -1000");
    this.#sql.run(
      `CREATE TEMP TABLE entry (number INTEGER PRIMARY KEY, path TEXT NOT NULL, digest TEXT,
                                size INTEGER NOT NULL, modified_at INTEGER NOT NULL)`,
    );
    this.#take = this.#sql.prepare<never, [Parameters<Selection>]>(
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
    this.#last = this.#sql.prepare<{ number: number; path: string }, []>(
      "SELECT number, path FROM entry ORDER BY number DESC LIMIT 1",
    );
    this.#page = this.#sql.prepare<ArchiveRow, [number, number]>(
      `SELECT number, path, digest, size, modified_at AS modifiedAt FROM entry
        WHERE number > ? ORDER BY number LIMIT ?`,
    );
  }

  /**
   * Copies what is at these places of a drive, all from one snapshot.
   *
   * @param places none inside another, in path order
   * @returns the number of rows; null if one of the places is empty
   */
  async fill(
    drive: DrivePk,
    places: readonly (FilePath | FolderPath)[],
    now: number,
  ): Promise<number | null> {
    this.#sql.run("BEGIN");
    for (const place of places) {
      const isThere = await this.#takeAll(drive, place, now);
      if (!isThere && place !== "") return null;
    }
    this.#sql.run("COMMIT");
    return this.#last.get()?.number ?? 0;
  }

  /** The rows in path order, read in batches. */
  *rows(): Generator<ArchiveRow> {
    for (let after = 0, isMore = true; isMore; after += PIECE) {
      const rows = this.#page.all(after, PIECE);
      yield* rows;
      isMore = rows.length === PIECE;
    }
  }

  [Symbol.dispose](): void {
    for (const statement of [this.#take, this.#last, this.#page]) statement.finalize();
    this.#sql.close(true);
  }

  /** Copies what is at a place. Returns whether there is anything. */
  async #takeAll(drive: DrivePk, place: FilePath | FolderPath, now: number): Promise<boolean> {
    const { from, to } = isFolderPath(place) ? rangeOf(place) : { from: place, to: firstAfter(place) };
    let taken = this.#take.run({ drive, now, from, to, limit: PIECE }).changes;
    const isThere = taken > 0;
    while (taken === PIECE) {
      await nextTurn();
      const { path } = this.#last.get() ?? { path: from };
      taken = this.#take.run({ drive, now, from: firstAfter(path), to, limit: PIECE }).changes;
    }
    return isThere;
  }
}
