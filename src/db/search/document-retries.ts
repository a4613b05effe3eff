import { RETRY_PAUSES_MS } from "../../domain/contents/extraction.ts";
import type { BlobPk, FilePk } from "../../domain/id.ts";
import type { Database } from "../engine/database.ts";

/** A document that was read. */
interface TriedDocument {
  readonly file: FilePk;
  /** Of the content that was read. */
  readonly blob: BlobPk;
  /** Whether it has no text for a reason that may pass. */
  readonly isPassing: boolean;
}

/** How many jobs are made at once. */
const JOBS = 100;

/** Due at a time, also if the clock was set back since. */
const DUE = `next_at <= ?1 OR next_at > ?1 + ${Math.max(...RETRY_PAUSES_MS)}`;

/** Documents that are read again later. Times are milliseconds since the epoch. */
export function documentRetries({ sql }: Database) {
  const some = sql.values<FilePk, [now: number]>(
    `SELECT file FROM document_retry WHERE ${DUE} LIMIT ${JOBS}`,
  );
  // A file that has changed since has, or had, a job of its own.
  const removeChanged = sql.write<[files: string]>(
    `DELETE FROM document_retry WHERE file IN (SELECT value FROM json_each(?))
      AND blob <> (SELECT f.blob FROM file f WHERE f.pk = document_retry.file)`,
  );
  const addJobs = sql.write<[files: string]>(
    `INSERT OR IGNORE INTO search_job (file, part, drive)
     SELECT f.pk, 1, f.drive FROM document_retry r JOIN file f ON f.pk = r.file
      WHERE r.file IN (SELECT value FROM json_each(?))`,
  );
  const waitFor = sql.write<[files: string]>(
    "UPDATE document_retry SET next_at = NULL WHERE file IN (SELECT value FROM json_each(?))",
  );
  const triesOf = sql.number<[file: FilePk, blob: BlobPk]>(
    "SELECT tries FROM document_retry WHERE file = ? AND blob = ?",
  );
  const put = sql.write<[file: FilePk, blob: BlobPk, tries: number, nextAt: number]>(
    `INSERT OR REPLACE INTO document_retry (file, blob, tries, next_at)
     SELECT pk, ?2, ?3, ?4 FROM file WHERE pk = ?1`,
  );
  const remove = sql.write<[file: FilePk]>("DELETE FROM document_retry WHERE file = ?");
  return {
    /** Whether a document is to be read again by `now`. */
    isDue: sql.has<[now: number]>(`SELECT 1 FROM document_retry WHERE ${DUE} LIMIT 1`),
    /** Makes jobs of some documents that are to be read again by `now`. Inside a write. */
    makeJobs: (now: number) => {
      const files = JSON.stringify(some(now));
      removeChanged(files);
      addJobs(files);
      waitFor(files);
    },
    /** Plans when documents are read again that were read in vain at `now`, or gives them up. Inside a write. */
    record: (documents: readonly TriedDocument[], now: number) => {
      for (const { file, blob, isPassing } of documents) {
        const tries = 1 + triesOf(file, blob);
        const pause = isPassing ? RETRY_PAUSES_MS[tries - 1] : undefined;
        if (pause === undefined) remove(file);
        else put(file, blob, tries, now + pause);
      }
    },
    /** Plans nothing more: a new index has every document read. */
    clear: sql.write<[]>("DELETE FROM document_retry"),
  };
}
