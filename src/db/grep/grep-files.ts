import type { FileFacts } from "../../domain/files/file.ts";
import type { DrivePk } from "../../domain/id.ts";
import { fileIsAlive, type Flagged } from "../expressions.ts";
import type { FactsRow, PathRange } from "../files/files.ts";
import { FACT_COLUMNS, factsFromRow, FILE_JOINS, firstAfter, rangeFrom } from "../files/files.ts";
import { type Connection, openReader } from "../engine/connection.ts";

/** Rows per statement: each may bring a small content with it. */
const PIECE = 64;

export interface GrepFile {
  readonly facts: FileFacts;
  /** Null if the content is a file. */
  readonly bytes: Uint8Array<ArrayBuffer> | null;
  readonly isDamaged: boolean;
}

type Selection = PathRange & {
  readonly drive: DrivePk;
  readonly now: number;
  readonly limit: number;
};

type Row = FactsRow & Flagged<Omit<GrepFile, "facts">, "isDamaged">;

/** Reads files and their small contents, on a connection of its own: for a thread that searches their lines. */
export class GrepFiles {
  readonly #sql: Connection;
  readonly #page;

  constructor(path: string) {
    this.#sql = openReader(path, 2000);
    // See `pageOf` of the lists for the `+`.
    this.#page = this.#sql.all<Row, [Selection], GrepFile>(
      `SELECT ${FACT_COLUMNS}, c.bytes,
              EXISTS (SELECT 1 FROM damaged_content x WHERE x.digest = b.digest) AS isDamaged
         FROM file f INDEXED BY file_path ${FILE_JOINS} LEFT JOIN small_content c ON c.blob = f.blob
        WHERE f.drive = :drive AND f.path >= :from AND f.path < :to AND ${fileIsAlive(":now")}
        ORDER BY f.path LIMIT +:limit`,
      (row) => ({ facts: factsFromRow(row), bytes: row.bytes, isDamaged: row.isDamaged === 1 }),
    );
  }

  /** The files of a drive that have not expired, in path order. A file that comes meanwhile may be among them. */
  *files(drive: DrivePk, paths: PathRange, now: number): Generator<GrepFile> {
    for (let range = paths, isMore = true; isMore;) {
      const files = this.#page({ ...range, drive, now, limit: PIECE });
      yield* files;
      isMore = files.length === PIECE;
      range = rangeFrom(range, firstAfter(files.at(-1)?.facts.path ?? ""));
    }
  }

  close(): void {
    this.#sql.close();
  }
}
