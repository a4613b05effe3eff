import type { ContentFacts } from "../../domain/contents/content.ts";
import type { Database } from "../engine/database.ts";

/** How far the check of all contents has come. Times are milliseconds since the epoch. */
export type ScrubState = {
  /** When the round began. */
  readonly startedAt: number;
  /** The last digest that was checked; empty at the start of a round. */
  readonly reached: string;
  /** How many contents the round has checked. */
  readonly contents: number;
  /** When the last round ended; null if none has. */
  readonly finishedAt: number | null;
};

/** The progress of the check of all contents. */
export function scrub({ sql }: Database) {
  return {
    /** Null before the first round. */
    state: sql.get<ScrubState, []>(
      "SELECT started_at AS startedAt, reached, contents, finished_at AS finishedAt FROM scrub WHERE pk = 1",
    ),
    put: sql.write<[ScrubState]>(
      `INSERT OR REPLACE INTO scrub (pk, started_at, reached, contents, finished_at)
       VALUES (1, :startedAt, :reached, :contents, :finishedAt)`,
    ),
    /** Some blobs of files after a digest and up to another, in the order of their digests. */
    contents: sql.all<ContentFacts, [after: string, to: string, limit: number]>(
      "SELECT digest, size FROM blob WHERE digest > ? AND digest <= ? AND refs > 0 ORDER BY digest LIMIT ?",
    ),
  };
}
