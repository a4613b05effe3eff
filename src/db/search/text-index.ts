import { driveIsAlive, fileIsAlive } from "../alive.ts";
import type { Digest } from "../../domain/digest.ts";
import type { File } from "../../domain/file.ts";
import type { DriveId, DrivePk, FilePk } from "../../domain/id.ts";
import type { FilePath } from "../../domain/path.ts";
import { SLICES_A_FILE } from "../../domain/search/slices.ts";
import type { Database } from "../database.ts";
import { FILE_COLUMNS, FILE_JOINS, fileFromRow, type FileRow } from "../file-rows.ts";

/** A file whose names are to be indexed. */
export interface NameJob {
  readonly ticket: number;
  readonly file: FilePk;
  readonly drive: DrivePk;
  readonly path: FilePath;
  readonly filename: string;
  readonly tags: readonly string[];
}

/** A file whose text is to be indexed. */
export interface TextJob {
  readonly ticket: number;
  readonly file: FilePk;
  readonly drive: DrivePk;
  readonly driveId: DriveId;
  readonly path: FilePath;
  readonly digest: Digest;
  readonly size: number;
  readonly mimeType: string;
}

const NAME_JOB = `SELECT j.ticket, j.file, f.drive, f.path, f.filename, f.tags FROM search_job j JOIN file f ON f.pk = j.file`;
const TEXT_JOB = `SELECT j.ticket, j.file, f.drive, d.id AS driveId, f.path, b.digest, f.size, f.mime_type AS mimeType
  FROM search_job j JOIN file f ON f.pk = j.file JOIN blob b ON b.pk = f.blob JOIN drive d ON d.pk = f.drive`;

type NameRow = Omit<NameJob, "tags"> & { readonly tags: string };

/** The full-text index, and the jobs to update it. Triggers create the jobs when files change. */
export class SearchIndex {
  readonly #waiting;
  readonly #nameJobs;
  readonly #nameJobsOf;
  readonly #textJobs;
  readonly #textJobsOf;
  readonly #isCurrent;
  readonly #finish;
  readonly #putNames;
  readonly #putText;
  readonly #gone;
  readonly #removeNames;
  readonly #removeText;
  readonly #forget;
  readonly #visible;

  constructor({ sql }: Database) {
    this.#waiting = sql.prepare<object, [DrivePk, number]>(
      "SELECT 1 FROM search_job WHERE drive = ? LIMIT ?",
    );
    this.#nameJobs = sql.prepare<NameRow, [number]>(`${NAME_JOB} WHERE j.part = 0 ORDER BY j.ticket LIMIT ?`);
    this.#nameJobsOf = sql.prepare<NameRow, [DrivePk, number]>(
      `${NAME_JOB} WHERE j.drive = ? AND j.part = 0 ORDER BY j.ticket LIMIT ?`,
    );
    this.#textJobs = sql.prepare<TextJob, [number]>(`${TEXT_JOB} WHERE j.part = 1 ORDER BY j.ticket LIMIT ?`);
    this.#textJobsOf = sql.prepare<TextJob, [DrivePk, number]>(
      `${TEXT_JOB} WHERE j.drive = ? AND j.part = 1 ORDER BY j.ticket LIMIT ?`,
    );
    this.#isCurrent = sql.prepare<object, [number]>("SELECT 1 FROM search_job WHERE ticket = ?");
    this.#finish = sql.prepare<never, [number]>("DELETE FROM search_job WHERE ticket = ?");
    this.#putNames = sql.prepare<never, [FilePk, string]>(
      "INSERT OR REPLACE INTO search_name (rowid, tokens) VALUES (?, ?)",
    );
    this.#putText = sql.prepare<never, [FilePk, number, string]>(
      `INSERT OR REPLACE INTO search_text (rowid, tokens) VALUES (?1 * ${SLICES_A_FILE} + ?2, ?3)`,
    );
    this.#gone = sql.prepare<{ file: FilePk }, [number]>(
      "SELECT file FROM search_gone ORDER BY file LIMIT ?",
    );
    this.#removeNames = sql.prepare<never, [FilePk]>("DELETE FROM search_name WHERE rowid = ?");
    this.#removeText = sql.prepare<never, [FilePk]>(
      `DELETE FROM search_text
        WHERE rowid BETWEEN ?1 * ${SLICES_A_FILE} AND ?1 * ${SLICES_A_FILE} + ${SLICES_A_FILE - 1}`,
    );
    this.#forget = sql.prepare<never, [FilePk]>("DELETE FROM search_gone WHERE file = ?");
    this.#visible = sql.prepare<FileRow, [FilePk, number]>(
      `SELECT ${FILE_COLUMNS} FROM file f ${FILE_JOINS}
        WHERE f.pk = ?1 AND ${fileIsAlive("?2")} AND ${driveIsAlive("?2")}`,
    );
  }

  /** Whether one of these drives has jobs. */
  waitsFor(drives: readonly DrivePk[]): boolean {
    return this.waiting(drives, 1) > 0;
  }

  /** The number of names and texts to index in these drives, at most `most`. */
  waiting(drives: readonly DrivePk[], most: number): number {
    let jobs = 0;
    for (const drive of drives) {
      jobs += this.#waiting.all(drive, most - jobs).length;
      if (jobs >= most) break;
    }
    return jobs;
  }

  /** Files whose names must be indexed, of one drive or of all, oldest job first. */
  nameJobs(drive: DrivePk | null, limit: number): NameJob[] {
    const rows = drive === null ? this.#nameJobs.all(limit) : this.#nameJobsOf.all(drive, limit);
    return rows.map((row) => {
      const tags: string[] = JSON.parse(row.tags);
      return { ...row, tags };
    });
  }

  /** Files whose text must be indexed, of one drive or of all, oldest job first. */
  textJobs(drive: DrivePk | null, limit: number): TextJob[] {
    return drive === null ? this.#textJobs.all(limit) : this.#textJobsOf.all(drive, limit);
  }

  /** Whether the file has not changed since the job was read. Inside a write. */
  isCurrent(ticket: number): boolean {
    return this.#isCurrent.get(ticket) !== null;
  }

  /** Removes a job. Inside a write. */
  finish(ticket: number): void {
    this.#finish.run(ticket);
  }

  /** Inside a write. */
  putNames(file: FilePk, tokens: string): void {
    this.#putNames.run(file, tokens);
  }

  /** Inside a write; `slice` counts from 0. */
  putText(file: FilePk, slice: number, tokens: string): void {
    this.#putText.run(file, slice, tokens);
  }

  /** Some removed files whose terms are still in the index. */
  gone(limit: number): FilePk[] {
    return this.#gone.all(limit).map(({ file }) => file);
  }

  /** Removes the terms of a removed file. Inside a write. */
  removeGone(file: FilePk): void {
    this.#removeNames.run(file);
    this.#removeText.run(file);
    this.#forget.run(file);
  }

  /** A file by its pk; null if it or its drive has expired or is gone. */
  visible(pk: FilePk, now: number): File | null {
    const row = this.#visible.get(pk, now);
    return row === null ? null : fileFromRow(row);
  }
}
