import type { DrivePk, FilePk } from "../../domain/id.ts";
import { SLICE_UNITS, SLICES_A_FILE } from "../../domain/search/slices.ts";
import { fileIsAlive } from "../expressions.ts";
import type { Connection } from "../engine/connection.ts";
import type { PathRange } from "../files/files.ts";
import type { IndexSchema } from "./index-tables.ts";
import { PART } from "./jobs.ts";
import { postingsStatements } from "./postings.ts";
import type { SearchFilters, SearchRequest } from "./request.ts";

type Selection = PathRange &
  Omit<SearchFilters, "tags"> & {
    readonly drive: DrivePk;
    readonly now: number;
    /** A JSON array. */
    readonly tags: string;
  };

export interface Changed {
  readonly pk: FilePk;
  readonly updatedAt: number;
  /** Bytes. */
  readonly size: number;
}

/** A file in the order of updates, and whether it passes the filters. */
export interface Walked extends Changed {
  readonly fits: 0 | 1;
}

export interface Some {
  readonly count: number;
  /** A JSON array of their handles. */
  readonly files: string;
}

/** Where a list in the order of updates continues, and for how many rows. */
type Window = {
  readonly updatedAt: number;
  readonly pk: number;
  /** The tag of the files; null for all files of the drive. */
  readonly tag: string | null;
  readonly limit: number;
};

const FITS = `f.drive = :drive AND f.path >= :from AND f.path < :to
  AND ${fileIsAlive(":now")}
  AND (:minSize IS NULL OR f.size >= :minSize) AND (:maxSize IS NULL OR f.size <= :maxSize)
  AND (:updatedFrom IS NULL OR f.updated_at >= :updatedFrom)
  AND (:updatedBefore IS NULL OR f.updated_at < :updatedBefore)
  AND (:mimeType IS NULL OR substr(f.mime_type, 1, length(:mimeType)) = :mimeType
       AND (substr(:mimeType, -1) = '/' OR substr(f.mime_type, length(:mimeType) + 1, 1) IN ('', ';', ' ', char(9))))
  AND (:tags = '[]' OR NOT EXISTS (
    SELECT 1 FROM json_each(:tags) o
     WHERE NOT EXISTS (SELECT 1 FROM file_tag x WHERE x.drive = f.drive AND x.tag = o.value AND x.path = f.path)))`;

/** Whether what the index has of a part of a file is out of date. */
function isStale(file: string, part: number): string {
  return `EXISTS (SELECT 1 FROM main.search_job j WHERE j.file = ${file} AND j.parts & ${part}) AS isStale`;
}

const NAMES = `SELECT rowid AS file, NULL AS slice, ${isStale("search_name.rowid", PART.names)}
  FROM search_name WHERE search_name MATCH ?1`;
const TEXT_FILE = `search_text.rowid / ${SLICES_A_FILE}`;
const TEXTS = `SELECT ${TEXT_FILE} AS file, rowid % ${SLICES_A_FILE} AS slice, ${isStale(TEXT_FILE, PART.text)}
  FROM search_text WHERE search_text MATCH ?1`;

/** The files of a list that were updated before a certain file, the latest first, and whether they fit. */
function inOrder(list: string, file: string): string {
  const part = (after: string) =>
    `SELECT x.${file} AS pk, x.updated_at AS updatedAt FROM ${list} AND ${after}
        AND x.updated_at >= coalesce(:updatedFrom, 0)`;
  // Two parts: SQLite does not search an index for a pair of a column and the rowid.
  return `SELECT f.pk, f.updated_at AS updatedAt, f.size, (${FITS}) AS fits
    FROM (${part(`x.updated_at = :updatedAt AND x.${file} < :pk`)}
          UNION ALL ${part("x.updated_at < :updatedAt")}
          ORDER BY updatedAt DESC, pk DESC LIMIT :limit) c
    CROSS JOIN file f ON f.pk = c.pk`;
}

export type SearchStatements = ReturnType<typeof searchStatements>;

/** None reads more rows than it gives, but for phrases and filters. @param index where the index is */
export function searchStatements(sql: Connection, index: IndexSchema) {
  sql.run("DROP TABLE IF EXISTS temp.search_term");
  sql.run(`CREATE VIRTUAL TABLE temp.search_term USING fts5vocab (${index}, search_text, instance)`);
  const namesInRange = `${NAMES} AND rowid BETWEEN ?2 AND ?3`;
  const textsInRange = `${TEXTS} AND rowid BETWEEN ?2 * ${SLICES_A_FILE} AND ?3 * ${SLICES_A_FILE} + ${SLICES_A_FILE - 1}`;
  const some = <Values extends (string | number | Uint8Array)[]>(where: string) =>
    sql.get<Some, [drive: DrivePk, ...Values, limit: number]>(
      `SELECT count(*) AS count, json_group_array(c.pk) AS files FROM (SELECT ${where} LIMIT ?) c`,
    );
  const walk = (list: string, file: string) => sql.all<Walked, [Selection & Window]>(inOrder(list, file));
  return {
    names: postingsStatements(
      sql,
      `${NAMES} AND rowid <= ?2`,
      namesInRange,
      "length(f.path) + length(f.filename) + length(f.tags)",
    ),
    /** Slice by slice. */
    texts: postingsStatements(
      sql,
      `${TEXTS} AND rowid <= ?2 * ${SLICES_A_FILE} + ${SLICES_A_FILE - 1}`,
      textsInRange,
      `min(f.size, ${SLICE_UNITS})`,
    ),
    /** The text of a document; see `createIndexTables`. */
    document: sql.value<Uint8Array<ArrayBuffer>, [file: FilePk]>(
      `SELECT text FROM ${index}.search_document WHERE file = ?`,
    ),
    /** The first term of texts at or after a term. */
    nextTerm: sql.value<string, [term: string]>("SELECT term FROM temp.search_term WHERE term >= ? LIMIT 1"),
    fitting: sql.all<Changed, [Selection & { files: string }]>(
      `SELECT f.pk, f.updated_at AS updatedAt, f.size FROM json_each(:files) c CROSS JOIN file f ON f.pk = c.value WHERE ${FITS}`,
    ),
    changedInDrive: walk("file x INDEXED BY file_updated WHERE x.drive = :drive AND :tag IS NULL", "pk"),
    changedWithTag: walk(
      "file_tag x INDEXED BY file_tag_updated WHERE x.drive = :drive AND x.tag = :tag",
      "file",
    ),
    lastChanged: sql.values<FilePk, [drive: DrivePk, limit: number]>(
      "SELECT pk FROM file INDEXED BY file_updated WHERE drive = ? ORDER BY updated_at DESC LIMIT ?",
    ),
    someWithTag: some<[tag: string]>(
      "file AS pk FROM file_tag INDEXED BY file_tag_updated WHERE drive = ? AND tag = ?",
    ),
    someInPaths: some<[from: string, to: string | Uint8Array]>(
      "pk FROM file INDEXED BY file_path WHERE drive = ? AND path >= ? AND path < ?",
    ),
    someInTime: some<[from: number, before: number]>(
      "pk FROM file INDEXED BY file_updated WHERE drive = ? AND updated_at >= ? AND updated_at < ?",
    ),
    someOfSize: some<[least: number, most: number]>(
      "pk FROM file INDEXED BY file_size WHERE drive = ? AND size BETWEEN ? AND ?",
    ),
    someOfType: some<[from: string, to: string | Uint8Array]>(
      "pk FROM file INDEXED BY file_type WHERE drive = ? AND mime_type >= ? AND mime_type < ?",
    ),
  };
}

export function selectionOf(drive: DrivePk, { paths, filters, now }: SearchRequest): Selection {
  return { ...paths, ...filters, tags: JSON.stringify(filters.tags), drive, now };
}
