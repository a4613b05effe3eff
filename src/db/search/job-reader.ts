import { Database as Sqlite } from "bun:sqlite";
import type { Digest } from "../../domain/contents/digest.ts";
import type { BlobPk, DriveId, DrivePk, FilePk } from "../../domain/id.ts";
import type { FilePath } from "../../domain/files/path.ts";

/** Something to do for a file in the index. */
export interface SearchJob {
  readonly ticket: number;
  readonly file: FilePk;
}

/** A file whose names are to be indexed. */
export interface NameJob extends SearchJob {
  readonly drive: DrivePk;
  readonly path: FilePath;
  readonly filename: string;
  readonly tags: readonly string[];
}

/** A file whose text is to be indexed. */
export interface TextJob extends SearchJob {
  readonly drive: DrivePk;
  readonly driveId: DriveId;
  readonly path: FilePath;
  readonly blob: BlobPk;
  readonly digest: Digest;
  /** Bytes. */
  readonly size: number;
  readonly mimeType: string;
  readonly isDamaged: 0 | 1;
}

export interface JobQuery {
  /** Null for all drives. */
  readonly drive: DrivePk | null;
  /** Only newer tickets; 0 for all. */
  readonly after: number;
  /** The newest ticket. */
  readonly upTo: number;
  /** How many of each part. */
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
  readonly #sql: Sqlite;
  readonly #names;
  readonly #texts;
  readonly #gone;
  readonly #nextText;
  readonly #current;
  readonly #bytes;
  readonly #files;

  /** @param path of the database */
  constructor(path: string) {
    const sql = new Sqlite(path, { readonly: true, strict: true });
    sql.run("PRAGMA busy_timeout = 10000");
    sql.run("PRAGMA cache_size = -2000");
    this.#sql = sql;
    this.#names = byDriveOrAll<NameRow>(sql, NAMES, 0);
    this.#texts = byDriveOrAll<TextJob>(sql, TEXTS, 1);
    this.#gone = byDriveOrAll<SearchJob>(sql, GONE, 2);
    this.#nextText = sql.prepare<TextJob, [DrivePk | null, number]>(
      `${TEXT} FROM search_job j INDEXED BY search_job_drive ${OF_JOB}
        WHERE j.drive > coalesce(?, 0) AND j.part = 1 AND j.ticket <= ? ORDER BY j.drive LIMIT 1`,
    );
    this.#current = sql.prepare<object, [number]>("SELECT 1 FROM search_job WHERE ticket = ?");
    this.#bytes = sql.prepare<{ bytes: Uint8Array<ArrayBuffer> }, [BlobPk]>(
      "SELECT bytes FROM small_content WHERE blob = ?",
    );
    this.#files = sql.prepare<{ pk: FilePk }, [FilePk, number]>(
      "SELECT pk FROM file WHERE pk > ? ORDER BY pk LIMIT ?",
    );
  }

  /** Runs `read` on one state of the database. */
  atOnce<T>(read: () => T): T {
    return this.#sql.transaction(read).deferred();
  }

  /** The oldest first. */
  names(query: JobQuery): NameJob[] {
    return this.#names(query).map((row) => {
      const tags: string[] = JSON.parse(row.tags);
      return { ...row, tags };
    });
  }

  /** The oldest first. */
  texts(query: JobQuery): TextJob[] {
    return this.#texts(query);
  }

  /** A text job of the next drive after one, or of the first; null if there is none up to a ticket. */
  nextText(after: DrivePk | null, upTo: number): TextJob | null {
    return this.#nextText.get(after, upTo);
  }

  /** Whether a job is still there: no newer one has replaced it. */
  has(ticket: number): boolean {
    return this.#current.get(ticket) !== null;
  }

  /** Files that have gone, the oldest first. */
  gone(query: JobQuery): SearchJob[] {
    return this.#gone(query);
  }

  /** The bytes of a small content; null where it is none. */
  smallBytes(blob: BlobPk): Uint8Array<ArrayBuffer> | null {
    return this.#bytes.get(blob)?.bytes ?? null;
  }

  /** The next files after one, in order. */
  filesAfter(file: FilePk, limit: number): FilePk[] {
    return this.#files.all(file, limit).map(({ pk }) => pk);
  }

  close(): void {
    this.#sql.close(true);
  }
}

function byDriveOrAll<Row>(sql: Sqlite, select: string, part: 0 | 1 | 2): (query: JobQuery) => Row[] {
  const [where, order] = [`j.part = ${part} AND j.ticket > ? AND j.ticket <= ?`, "ORDER BY j.ticket LIMIT ?"];
  const all = sql.prepare<Row, [number, number, number]>(`${select} WHERE ${where} ${order}`);
  const ofDrive = sql.prepare<Row, [DrivePk, number, number, number]>(
    `${select} WHERE j.drive = ? AND ${where} ${order}`,
  );
  return ({ drive, after, upTo, limit }) =>
    drive === null ? all.all(after, upTo, limit) : ofDrive.all(drive, after, upTo, limit);
}
