import type { IndexBatchId, BlobPk, DrivePk, FilePk } from "../../domain/id.ts";
import type { Database } from "../engine/database.ts";
import { RETRY_PAUSES_MS } from "../../domain/contents/extraction.ts";

/** What a job is for. Its row has the sum: the names and the text of a new file are one job. */
export const PART = { names: 1, text: 2, gone: 4 } as const;

/** The ticket of a job, and the sum of what was done of it. */
export type DoneJob = readonly [ticket: number, parts: number];

export interface LackingFiles {
  readonly names: readonly FilePk[];
  /** Files whose texts it lacks; also those that have none. */
  readonly texts: readonly FilePk[];
  /** The last of the files; null if there are no more. */
  readonly filledTo: FilePk | null;
}

/** The jobs to update the full-text index. Triggers create them when files change. */
export function searchJobs({ sql }: Database) {
  const waiting = sql.all<object, [drive: DrivePk, after: number, most: number]>(
    `SELECT 1 FROM search_job WHERE drive = ?1 AND parts IN (1, 3)
     UNION ALL SELECT 1 FROM search_job j WHERE drive = ?1 AND parts IN (2, 3) AND ticket > ?2
        AND NOT EXISTS (SELECT 1 FROM document_retry r JOIN file f ON f.pk = r.file
                         WHERE r.file = j.file AND r.next_at IS NULL AND f.blob = r.blob) LIMIT ?3`,
  );
  const some = "ticket IN (SELECT value FROM json_each(?2))";
  const finish = sql.write<[parts: number, tickets: string]>(
    `DELETE FROM search_job WHERE ${some} AND parts & ~?1 = 0`,
  );
  const finishPart = sql.write<[parts: number, tickets: string]>(
    `UPDATE search_job SET parts = parts & ~?1 WHERE ${some}`,
  );
  const setBatch = sql.write<[batch: IndexBatchId]>("UPDATE search_index SET batch = ? WHERE pk = 1");
  const add = sql.write<[part: number, files: string]>(
    addMissing("?1", "json_each(?) c CROSS JOIN file f ON f.pk = c.value"),
  );
  const filledTo = sql.value<FilePk, []>("SELECT filled_to FROM search_index WHERE pk = 1");
  const setFilledTo = sql.write<[file: FilePk | null]>("UPDATE search_index SET filled_to = ? WHERE pk = 1");
  const unfilled = sql.all<object, [filledTo: FilePk, most: number]>(
    "SELECT 1 FROM file WHERE pk > ? LIMIT ?",
  );
  return {
    /** At most `most`, without documents that are read again: nobody waits for them. @param after where texts begin */
    waiting: (drives: readonly DrivePk[], most: number, after: number) => {
      let jobs = 0;
      for (const drive of drives) {
        jobs += waiting(drive, after, most - jobs).length;
        if (jobs >= most) break;
      }
      return jobs;
    },
    /** How many there are in all, at most `most`. */
    count: sql.number<[most: number]>(
      "SELECT count(*) FROM (SELECT 1 FROM search_job WHERE ticket > 0 LIMIT ?) page",
    ),
    lastTicket: sql.value<number, []>("SELECT max(ticket) FROM search_job"),
    /** Takes what is done from the jobs of a batch that is in the index, and is on the disk there. Inside a write. */
    finish: (done: readonly DoneJob[], batch: IndexBatchId) => {
      for (const [parts, jobs] of Map.groupBy(done, (job) => job[1])) {
        const tickets = JSON.stringify(jobs.map(([ticket]) => ticket));
        finish(parts, tickets);
        finishPart(parts, tickets);
      }
      setBatch(batch);
    },
    /** The last batch in the index; null if there is no index yet. */
    batch: sql.value<IndexBatchId, []>("SELECT batch FROM search_index WHERE pk = 1"),
    restart: sql.write<[batch: IndexBatchId]>(
      "UPDATE search_index SET batch = ?, filled_to = 0 WHERE pk = 1",
    ),
    /** How many files a new index may lack without a job for them, at most `most`. */
    unfilled: (most: number) => {
      const file = filledTo();
      return file === null ? 0 : unfilled(file, most).length;
    },
    /** Up to which file a new index is filled, or has jobs to be; null if that is done. */
    filledTo,
    /** Adds the jobs that a new index lacks for the next files. Inside a write. */
    fill: (lacking: LackingFiles) => {
      add(PART.names, JSON.stringify(lacking.names));
      add(PART.text, JSON.stringify(lacking.texts));
      setFilledTo(lacking.filledTo);
    },
  };
}

/** Adds jobs for a part of files that have none for it. @param files joins `file f`, and ends with a condition */
function addMissing(part: string, files: string): string {
  return `INSERT INTO search_job (file, parts, drive) SELECT f.pk, ${part}, f.drive FROM ${files}
    AND NOT EXISTS (SELECT 1 FROM search_job j WHERE j.file = f.pk AND j.parts & ${part})`;
}

/** A document, or another text, that was read. */
export interface TriedDocument {
  readonly file: FilePk;
  readonly blob: BlobPk;
  readonly retry: Retry;
}

/** How often a text is read again: a few times where it has failed, always where its content was out of reach. */
export type Retry = "never" | "few" | "always";

/** How long to wait after so many tries, from 1 on, in milliseconds; undefined if there is no other. */
function pauseAfter(tries: number, retry: Retry): number | undefined {
  switch (retry) {
    case "never":
      return undefined;
    case "few":
      return RETRY_PAUSES_MS[tries - 1];
    case "always":
      return RETRY_PAUSES_MS[tries - 1] ?? RETRY_PAUSES_MS.at(-1);
  }
}

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
    addMissing(
      `${PART.text}`,
      "document_retry r JOIN file f ON f.pk = r.file WHERE r.file IN (SELECT value FROM json_each(?))",
    ),
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
      for (const { file, blob, retry } of documents) {
        const tries = 1 + triesOf(file, blob);
        const pause = pauseAfter(tries, retry);
        if (pause === undefined) remove(file);
        else put(file, blob, tries, now + pause);
      }
    },
    /** Plans nothing more: a new index has every document read. */
    clear: sql.write<[]>("DELETE FROM document_retry"),
  };
}
