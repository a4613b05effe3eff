import type { BatchId, DrivePk, FilePk } from "../../domain/id.ts";
import type { Database } from "../engine/database.ts";

/** What an index lacks of some files. */
export interface LackingFiles {
  /** Files whose names it lacks. */
  readonly names: readonly FilePk[];
  /** Files whose texts it lacks; also those that have none. */
  readonly texts: readonly FilePk[];
  /** The last of the files; null if there are no more. */
  readonly filledTo: FilePk | null;
}

/** The jobs to update the full-text index. Triggers create them when files change. */
export class SearchJobs {
  readonly #sql;

  constructor({ sql }: Database) {
    this.#sql = {
      waiting: sql.prepare<object, [DrivePk, number, number]>(
        `SELECT 1 FROM search_job WHERE drive = ?1 AND part = 0
       UNION ALL SELECT 1 FROM search_job j WHERE drive = ?1 AND part = 1 AND ticket > ?2
          AND NOT EXISTS (SELECT 1 FROM document_retry r JOIN file f ON f.pk = r.file
                           WHERE r.file = j.file AND r.next_at IS NULL AND f.blob = r.blob) LIMIT ?3`,
      ),
      lastTicket: sql.prepare<{ ticket: number | null }, []>("SELECT max(ticket) AS ticket FROM search_job"),
      finish: sql.prepare<never, [string]>(
        "DELETE FROM search_job WHERE ticket IN (SELECT value FROM json_each(?))",
      ),
      state: sql.prepare<{ batch: BatchId | null; filledTo: FilePk | null }, []>(
        "SELECT batch, filled_to AS filledTo FROM search_index WHERE pk = 1",
      ),
      setBatch: sql.prepare<never, [BatchId]>("UPDATE search_index SET batch = ? WHERE pk = 1"),
      restart: sql.prepare<never, [BatchId]>("UPDATE search_index SET batch = ?, filled_to = 0 WHERE pk = 1"),
      add: sql.prepare<never, [0 | 1, string]>(
        `INSERT OR IGNORE INTO search_job (file, part, drive)
       SELECT f.pk, ?, f.drive FROM json_each(?) c CROSS JOIN file f ON f.pk = c.value`,
      ),
      setFilledTo: sql.prepare<never, [FilePk | null]>("UPDATE search_index SET filled_to = ? WHERE pk = 1"),
      unfilled: sql.prepare<object, [FilePk, number]>("SELECT 1 FROM file WHERE pk > ? LIMIT ?"),
    };
  }

  /**
   * The number of names and texts to index in these drives, at most `most`. Documents that are read again do not count:
   * nobody waits for them.
   *
   * @param after the ticket after which texts count; 0 for all
   */
  waiting(drives: readonly DrivePk[], most: number, after: number): number {
    let jobs = 0;
    for (const drive of drives) {
      jobs += this.#sql.waiting.all(drive, after, most - jobs).length;
      if (jobs >= most) break;
    }
    return jobs;
  }

  /** The ticket of the newest job; null if there is none. */
  lastTicket(): number | null {
    return this.#sql.lastTicket.get()?.ticket ?? null;
  }

  /** Removes the jobs of a batch that is in the index, and is on the disk there. Inside a write. */
  finish(tickets: readonly number[], batch: BatchId): void {
    this.#sql.finish.run(JSON.stringify(tickets));
    this.#sql.setBatch.run(batch);
  }

  /** The last batch in the index; null if there is no index yet. */
  batch(): BatchId | null {
    return this.#sql.state.get()?.batch ?? null;
  }

  /** Records that the index is new, and has nothing. Inside a write. */
  restart(batch: BatchId): void {
    this.#sql.restart.run(batch);
  }

  /** How many files a new index may lack without a job for them, at most `most`. */
  unfilled(most: number): number {
    const filledTo = this.filledTo();
    return filledTo === null ? 0 : this.#sql.unfilled.all(filledTo, most).length;
  }

  /** Up to which file a new index is filled, or has jobs to be; null if that is done. */
  filledTo(): FilePk | null {
    return this.#sql.state.get()?.filledTo ?? null;
  }

  /** Adds the jobs that a new index lacks for the next files. Inside a write. */
  fill({ names, texts, filledTo }: LackingFiles): void {
    this.#sql.add.run(0, JSON.stringify(names));
    this.#sql.add.run(1, JSON.stringify(texts));
    this.#sql.setFilledTo.run(filledTo);
  }
}
