import type { Database as Sqlite } from "bun:sqlite";
import type { File } from "../domain/file.ts";
import type { DrivePk, FolderPk } from "../domain/id.ts";
import type { FolderPath } from "../domain/path.ts";
import type { Database } from "./database.ts";
import { FILE_COLUMNS, FILE_JOINS, fileFromRow, type FileRow } from "./file-rows.ts";
import type { Parameters } from "./parameters.ts";
import { type PathRange, rangeOf } from "./path-range.ts";

/** Which files a list is about: all of a drive or, with `folder`, those directly in that folder. */
export interface ListScope {
  readonly drive: DrivePk;
  readonly folder: FolderPk | null;
  /** Only paths that start with it. */
  readonly prefix: string;
  /** Only files that carry every one of these. */
  readonly tags: readonly string[];
  /** Files that expired by now are not there. */
  readonly now: number;
}

/** Which part of a list is wanted: after a path, or after a number of files. */
export interface ListWindow {
  readonly limit: number;
  readonly offset: number;
  /** Only paths after this one; null for the start. */
  readonly after: string | null;
}

interface Selection extends PathRange {
  readonly drive: DrivePk;
  readonly folder: FolderPk | null;
  readonly now: number;
  readonly tag: string | null;
  readonly otherTags: string;
}

interface ChildRange extends PathRange {
  readonly drive: DrivePk;
  readonly parent: FolderPath;
  readonly now: number;
}

/** What has expired anywhere below a folder; sizes in bytes. */
export interface ExpiredBelow {
  readonly folder: FolderPath;
  readonly files: number;
  readonly bytes: number;
}

type Page = Selection & Pick<ListWindow, "limit" | "offset">;

// INDEXED BY makes a statement whose index went missing an error instead of a slow answer.
const IN_DRIVE = "file f INDEXED BY file_path WHERE f.drive = :drive AND f.path >= :from AND f.path < :to";
const IN_FOLDER =
  "file f INDEXED BY file_folder WHERE f.folder = :folder AND f.path >= :from AND f.path < :to";
const TAGGED = `file_tag t JOIN file f ON f.pk = t.file
  WHERE t.drive = :drive AND t.tag = :tag AND t.path >= :from AND t.path < :to
    AND (:folder IS NULL OR f.folder = :folder)
    AND NOT EXISTS (
      SELECT 1 FROM json_each(:otherTags) o
       WHERE NOT EXISTS (SELECT 1 FROM file_tag x WHERE x.drive = :drive AND x.tag = o.value AND x.path = t.path))`;
const ALIVE = " AND (f.expires_at IS NULL OR f.expires_at > :now)";

/**
 * Pages of files in path order, and how many files there are. The pages before the one wanted are
 * skipped within the index; only where files of the drive await the sweep is each looked at.
 */
export class FileLists {
  readonly #inDrive;
  readonly #inDriveAlive;
  readonly #inFolder;
  readonly #inFolderAlive;
  readonly #tagged;
  readonly #countInFolder;
  readonly #countTagged;
  readonly #expired;
  readonly #expiredBelow;
  readonly #hasExpired;

  constructor({ sql }: Database) {
    this.#inDrive = preparePage(sql, IN_DRIVE, "f.path");
    this.#inDriveAlive = preparePage(sql, IN_DRIVE + ALIVE, "f.path");
    this.#inFolder = preparePage(sql, IN_FOLDER, "f.path");
    this.#inFolderAlive = preparePage(sql, IN_FOLDER + ALIVE, "f.path");
    this.#tagged = preparePage(sql, TAGGED + ALIVE, "t.path");
    this.#countInFolder = prepareCount(sql, IN_FOLDER);
    this.#countTagged = prepareCount(sql, TAGGED + ALIVE);
    this.#expired = prepareCount(
      sql,
      `file f INDEXED BY file_drive_expiry
        WHERE f.drive = :drive AND f.expires_at <= :now AND f.path >= :from AND f.path < :to
          AND (:folder IS NULL OR f.folder = :folder)`,
    );
    this.#expiredBelow = sql.prepare<ExpiredBelow, [Parameters<ChildRange>]>(
      `SELECT substr(path, 1, length(:parent) + instr(substr(path, length(:parent) + 1), '/')) AS folder,
              count(*) AS files, sum(size) AS bytes
         FROM file INDEXED BY file_drive_expiry
        WHERE drive = :drive AND expires_at <= :now AND path >= :from AND path < :to
          AND instr(substr(path, length(:parent) + 1), '/') > 0
        GROUP BY 1`,
    );
    this.#hasExpired = sql.prepare<object, [DrivePk, number]>(
      "SELECT 1 FROM file INDEXED BY file_drive_expiry WHERE drive = ? AND expires_at <= ? LIMIT 1",
    );
  }

  /** The files of one page, in path order (UTF-8 bytes). */
  page(scope: ListScope, window: ListWindow): File[] {
    const page = { ...selectionOf(scope, window.after), limit: window.limit, offset: window.offset };
    return this.#pageStatement(scope).all(page).map(fileFromRow);
  }

  /** How many files carry the scope's tags; costs as much as carry the first of them. */
  countTagged(scope: ListScope): number {
    return this.#countTagged.get(selectionOf(scope, null))?.files ?? 0;
  }

  /** How many files stand directly in the scope's folder, expired ones included; costs as many as match. */
  countInFolder(scope: ListScope): number {
    return this.#countInFolder.get(selectionOf(scope, null))?.files ?? 0;
  }

  /** How many files of the scope have expired and await the sweep: what the kept counts still include. */
  countExpired(scope: ListScope): number {
    return this.#expired.get(selectionOf(scope, null))?.files ?? 0;
  }

  /**
   * What of each of some folders has expired and awaits the sweep, as `countExpired` says it of one scope;
   * costs as much as has expired in the drive. Folders of which nothing has are left out.
   *
   * @param folders in path order, all directly in `parent`
   */
  expiredBelow(
    drive: DrivePk,
    parent: FolderPath,
    folders: readonly FolderPath[],
    now: number,
  ): Map<FolderPath, ExpiredBelow> {
    const { from } = rangeOf(folders.at(0) ?? parent);
    const { to } = rangeOf(folders.at(-1) ?? parent);
    const rows = this.#expiredBelow.all({ drive, parent, now, from, to });
    return new Map(rows.map((row) => [row.folder, row]));
  }

  #pageStatement(scope: ListScope) {
    if (scope.tags.length > 0) return this.#tagged;
    const alive = this.#hasExpired.get(scope.drive, scope.now) !== null;
    if (scope.folder === null) return alive ? this.#inDriveAlive : this.#inDrive;
    return alive ? this.#inFolderAlive : this.#inFolder;
  }
}

function preparePage(sql: Sqlite, selection: string, order: string) {
  return sql.prepare<FileRow, [Parameters<Page>]>(
    `SELECT ${FILE_COLUMNS}
       FROM (SELECT f.pk FROM ${selection} ORDER BY ${order} LIMIT :limit OFFSET :offset) page
       JOIN file f ON f.pk = page.pk ${FILE_JOINS}
      ORDER BY f.path`,
  );
}

function prepareCount(sql: Sqlite, selection: string) {
  return sql.prepare<{ files: number }, [Parameters<Selection>]>(
    `SELECT count(*) AS files FROM ${selection}`,
  );
}

function selectionOf(scope: ListScope, after: string | null): Selection {
  const { from, to } = rangeOf(scope.prefix);
  const [tag = null, ...otherTags] = scope.tags;
  return {
    drive: scope.drive,
    folder: scope.folder,
    now: scope.now,
    from: after === null ? from : later(from, firstAfter(after)),
    to,
    tag,
    otherTags: JSON.stringify(otherTags),
  };
}

/** No path lies between a path and this, since paths hold no control characters. */
function firstAfter(path: string): string {
  return `${path}\u0001`;
}

/** The later of two strings in UTF-8 byte order, which is the order of the index. */
function later(a: string, b: string): string {
  return Buffer.compare(Buffer.from(a), Buffer.from(b)) < 0 ? b : a;
}
