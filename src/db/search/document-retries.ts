import { RETRY_PAUSES_MS } from "../../domain/contents/extraction.ts";
import type { BlobPk, FilePk } from "../../domain/id.ts";
import type { Database } from "../engine/database.ts";

/** A document that was read. */
export interface TriedDocument {
  readonly file: FilePk;
  /** Of the content that was read. */
  readonly blob: BlobPk;
  /** Whether it has no text for a reason that may pass. */
  readonly isPassing: boolean;
}

/** How many jobs are made at once. */
const JOBS = 100;

/** Due at a time, also if the clock was set back since. */
const DUE = "next_at <= ?1 OR next_at > ?1 + ?2";
const LONGEST_MS = Math.max(...RETRY_PAUSES_MS);

/** Documents that are read again later. Times are milliseconds since the epoch. */
export class DocumentRetries {
  readonly #sql;

  constructor({ sql }: Database) {
    this.#sql = {
      due: sql.prepare<object, [number, number]>(`SELECT 1 FROM document_retry WHERE ${DUE} LIMIT 1`),
      some: sql.prepare<{ file: FilePk }, [number, number]>(
        `SELECT file FROM document_retry WHERE ${DUE} LIMIT ${JOBS}`,
      ),
      // A file that has changed since has, or had, a job of its own.
      removeChanged: sql.prepare<never, [string]>(
        `DELETE FROM document_retry WHERE file IN (SELECT value FROM json_each(?))
        AND blob <> (SELECT f.blob FROM file f WHERE f.pk = document_retry.file)`,
      ),
      addJobs: sql.prepare<never, [string]>(
        `INSERT OR IGNORE INTO search_job (file, part, drive)
       SELECT f.pk, 1, f.drive FROM document_retry r JOIN file f ON f.pk = r.file
        WHERE r.file IN (SELECT value FROM json_each(?))`,
      ),
      await: sql.prepare<never, [string]>(
        "UPDATE document_retry SET next_at = NULL WHERE file IN (SELECT value FROM json_each(?))",
      ),
      tries: sql.prepare<{ tries: number }, [FilePk, BlobPk]>(
        "SELECT tries FROM document_retry WHERE file = ? AND blob = ?",
      ),
      put: sql.prepare<never, [FilePk, BlobPk, number, number]>(
        `INSERT OR REPLACE INTO document_retry (file, blob, tries, next_at)
       SELECT pk, ?2, ?3, ?4 FROM file WHERE pk = ?1`,
      ),
      remove: sql.prepare<never, [FilePk]>("DELETE FROM document_retry WHERE file = ?"),
      clear: sql.prepare<never, []>("DELETE FROM document_retry"),
    };
  }

  /** Whether a document is to be read again by `now`. */
  isDue(now: number): boolean {
    return this.#sql.due.get(now, LONGEST_MS) !== null;
  }

  /** Makes jobs of some documents that are to be read again by `now`. Inside a write. */
  makeJobs(now: number): void {
    const files = JSON.stringify(this.#sql.some.all(now, LONGEST_MS).map(({ file }) => file));
    this.#sql.removeChanged.run(files);
    this.#sql.addJobs.run(files);
    this.#sql.await.run(files);
  }

  /** Plans when documents are read again that were read in vain at `now`, or gives them up. Inside a write. */
  record(documents: readonly TriedDocument[], now: number): void {
    for (const { file, blob, isPassing } of documents) {
      const tries = 1 + (this.#sql.tries.get(file, blob)?.tries ?? 0);
      const pause = isPassing ? RETRY_PAUSES_MS[tries - 1] : undefined;
      if (pause === undefined) this.#sql.remove.run(file);
      else this.#sql.put.run(file, blob, tries, now + pause);
    }
  }

  /** Plans nothing more: a new index has every document read. Inside a write. */
  clear(): void {
    this.#sql.clear.run();
  }
}
