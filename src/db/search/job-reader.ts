import type { File } from "../../domain/files/file.ts";
import type { BlobPk, DrivePk, FilePk } from "../../domain/id.ts";
import { type Connection, openReader } from "../engine/connection.ts";
import { PART } from "./jobs.ts";

export interface SearchJob {
  readonly ticket: number;
  readonly file: FilePk;
}

interface NameJob extends SearchJob, Pick<File, "path" | "filename" | "tags"> {
  readonly drive: DrivePk;
}

export interface TextJob extends SearchJob, Pick<File, "driveId" | "path" | "digest" | "size" | "mimeType"> {
  readonly drive: DrivePk;
  readonly blob: BlobPk;
  readonly isDamaged: 0 | 1;
}

interface JobQuery {
  readonly drive: DrivePk | null;
  /** Only newer tickets; 0 for all. */
  readonly after: number;
  readonly upTo: number;
  readonly limit: number;
}

type NameRow = Omit<NameJob, "tags"> & { readonly tags: string };

const NAMES = `SELECT j.ticket, j.file, f.drive, f.path, f.filename, f.tags
  FROM search_job j CROSS JOIN file f ON f.pk = j.file`;
const TEXT = `SELECT j.ticket, j.file, f.drive, d.id AS driveId, f.path, f.blob, b.digest, f.size,
  f.mime_type AS mimeType, EXISTS (SELECT 1 FROM damaged_content x WHERE x.digest = b.digest) AS isDamaged`;
const OF_JOB =
  "CROSS JOIN file f ON f.pk = j.file JOIN blob b ON b.pk = f.blob JOIN drive d ON d.pk = f.drive";
const TEXTS = `${TEXT} FROM search_job j ${OF_JOB}`;
const GONE = "SELECT j.ticket, j.file FROM search_job j";

/** Reads jobs, and what they need, on a connection of its own. */
export class JobReader {
  readonly #sql: Connection;
  /** The oldest first. */
  readonly names;
  /** The oldest first. */
  readonly texts;
  /** Files that have gone, the oldest first. */
  readonly gone;
  /** A text job of the next drive after one, or of the first; null if there is none up to a ticket. */
  readonly nextText;
  /** Whether the job of a text is still there: no newer one has replaced it. */
  readonly hasText;
  /** The bytes of a small content; null where it is none. */
  readonly smallBytes;
  readonly filesAfter;

  constructor(path: string) {
    const sql = openReader(path, 2000);
    this.#sql = sql;
    this.names = byDriveOrAll(sql, NAMES, [1, 3], (row: NameRow): NameJob => ({
      ...row,
      tags: JSON.parse(row.tags),
    }));
    this.texts = byDriveOrAll(sql, TEXTS, [2, 3], (row: TextJob) => row);
    this.gone = byDriveOrAll(sql, GONE, [4], (row: SearchJob) => row);
    this.nextText = sql.get<TextJob, [after: DrivePk | null, upTo: number]>(
      `${TEXT} FROM search_job j INDEXED BY search_job_drive ${OF_JOB}
        WHERE j.drive > coalesce(?, 0) AND j.parts & ${PART.text} AND j.ticket <= ? ORDER BY j.drive LIMIT 1`,
    );
    this.hasText = sql.has<[ticket: number]>(
      `SELECT 1 FROM search_job WHERE ticket = ? AND parts & ${PART.text}`,
    );
    this.smallBytes = sql.value<Uint8Array<ArrayBuffer>, [blob: BlobPk]>(
      "SELECT bytes FROM small_content WHERE blob = ?",
    );
    this.filesAfter = sql.values<FilePk, [file: FilePk, limit: number]>(
      "SELECT pk FROM file WHERE pk > ? ORDER BY pk LIMIT ?",
    );
  }

  atOnce<T>(read: () => T): T {
    return this.#sql.atOnce(read);
  }

  /** Gives back memory: the pages that it keeps. */
  release(): void {
    this.#sql.run("PRAGMA shrink_memory");
  }

  close(): void {
    this.#sql.close();
  }
}

/** Jobs with one of some sums of parts, which an index gives for a drive; for all drives, every newer job is looked at. */
function byDriveOrAll<Row, Job extends SearchJob>(
  sql: Connection,
  select: string,
  sums: readonly number[],
  fromRow: (row: Row) => Job,
) {
  const within = "j.ticket > ? AND j.ticket <= ? ORDER BY j.ticket LIMIT ?";
  const all = sql.all<Row, [after: number, upTo: number, limit: number], Job>(
    `${select} WHERE j.parts IN (${sums.join()}) AND ${within}`,
    fromRow,
  );
  const ofDrive = sql.all<
    Row,
    [drive: DrivePk, sum: number, after: number, upTo: number, limit: number],
    Job
  >(`${select} WHERE j.drive = ? AND j.parts = ? AND ${within}`, fromRow);
  return ({ drive, after, upTo, limit }: JobQuery) =>
    drive === null
      ? all(after, upTo, limit)
      : sums
          .flatMap((sum) => ofDrive(drive, sum, after, upTo, limit))
          .toSorted((a, b) => a.ticket - b.ticket)
          .slice(0, limit);
}
