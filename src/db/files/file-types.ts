import type { DrivePk, FilePk } from "../../domain/id.ts";
import type { Database } from "../engine/database.ts";

/** Some files of one type. */
interface SomeOfType {
  readonly files: number;
  readonly bytes: number;
  /** The last of them; null if there were none. */
  readonly last: FilePk | null;
}

/** What the files of a drive are, to be counted in pieces: there is no count of each type. */
export function fileTypes({ sql }: Database) {
  return {
    /** The first type after another, in their order; null at the end. Before all is the empty text. */
    after: sql.value<string | null, [drive: DrivePk, type: string]>(
      "SELECT min(mime_type) FROM file INDEXED BY file_type WHERE drive = ? AND mime_type > ?",
    ),
    /** The next files of a type after one of them, 0 for the first. */
    some: sql.one<SomeOfType, [drive: DrivePk, type: string, after: FilePk | 0, limit: number]>(
      `SELECT count(*) AS files, ifnull(sum(size), 0) AS bytes, max(pk) AS last
         FROM (SELECT pk, size FROM file INDEXED BY file_type
                WHERE drive = ? AND mime_type = ? AND pk > ? ORDER BY pk LIMIT ?)`,
    ),
  };
}
