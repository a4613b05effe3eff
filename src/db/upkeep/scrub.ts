import type { Digest } from "../../domain/contents/digest.ts";
import type { Database } from "../engine/database.ts";
import type { Parameters } from "../engine/parameters.ts";

/** How far the check of all contents has come. Times are milliseconds since the epoch. */
export interface ScrubState {
  /** When the round began. */
  readonly startedAt: number;
  /** The last digest that was checked; empty at the start of a round. */
  readonly reached: string;
  /** How many contents the round has checked. */
  readonly contents: number;
  /** When the last round ended; null if none has. */
  readonly finishedAt: number | null;
}

/** A content of some file. */
export interface NamedContent {
  readonly digest: Digest;
  /** Bytes. */
  readonly size: number;
}

/** The progress of the check of all contents. */
export class ScrubTable {
  readonly #sql;

  constructor({ sql }: Database) {
    this.#sql = {
      state: sql.prepare<ScrubState, []>(
        "SELECT started_at AS startedAt, reached, contents, finished_at AS finishedAt FROM scrub WHERE pk = 1",
      ),
      put: sql.prepare<never, [Parameters<ScrubState>]>(
        `INSERT OR REPLACE INTO scrub (pk, started_at, reached, contents, finished_at)
       VALUES (1, :startedAt, :reached, :contents, :finishedAt)`,
      ),
      next: sql.prepare<NamedContent, [string, string, number]>(
        "SELECT digest, size FROM blob WHERE digest > ? AND digest <= ? AND refs > 0 ORDER BY digest LIMIT ?",
      ),
    };
  }

  /** Null before the first round. */
  state(): ScrubState | null {
    return this.#sql.state.get();
  }

  /** Inside a write. */
  put(state: ScrubState): void {
    this.#sql.put.run({ ...state });
  }

  /** Some contents of files after a digest and up to another, in the order of their digests. */
  contents(after: string, to: string, limit: number): NamedContent[] {
    return this.#sql.next.all(after, to, limit);
  }
}
