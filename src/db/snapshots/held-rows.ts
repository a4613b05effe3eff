import type { DrivePk } from "../../domain/id.ts";
import type { Connection } from "../engine/connection.ts";
import type { Database } from "../engine/database.ts";

/** The kinds of rows that are held for snapshots. */
export const HELD = ["held_file", "held_folder"] as const;
export type Held = (typeof HELD)[number];

/** A held row: it is in the snapshots after `era`, up to `until`. */
interface HeldRow {
  readonly pk: number;
  readonly era: number;
  readonly until: number;
}

/** Where a walk over held rows is. */
export type HeldPosition = Pick<HeldRow, "pk" | "until">;

/**
 * What files and folders were when a snapshot was taken, if they have changed since. Triggers insert these rows; here
 * they are removed.
 */
export class HeldRows {
  readonly #file;
  readonly #folder;

  constructor({ sql }: Database) {
    this.#file = prepareAll(sql, "held_file");
    this.#folder = prepareAll(sql, "held_folder");
  }

  /** Some rows of a drive after a position, up to an `until`, in order. */
  some(
    held: Held,
    drive: DrivePk,
    after: HeldPosition,
    before: number | null,
    limit: number,
  ): readonly HeldRow[] {
    const { until, pk } = after;
    return this.#of(held).some.all(drive, until, pk, before ?? Number.MAX_SAFE_INTEGER, limit);
  }

  /** Inside a write. */
  remove(held: Held, pk: number): void {
    this.#of(held).remove.run(pk);
  }

  /** Removes some rows of a deleted drive. Returns how many. Inside a write. */
  removeSomeOf(held: Held, drive: DrivePk, limit: number): number {
    return this.#of(held).removeSome.run(drive, limit).changes;
  }

  #of(held: Held) {
    return held === "held_file" ? this.#file : this.#folder;
  }
}

function prepareAll(sql: Connection, held: Held) {
  return {
    some: sql.prepare<HeldRow, [DrivePk, number, number, number, number]>(
      `SELECT pk, era, until FROM ${held} INDEXED BY ${held}_until
        WHERE drive = ? AND (until, pk) > (?, ?) AND until < ? ORDER BY until, pk LIMIT ?`,
    ),
    remove: sql.prepare<never, [number]>(`DELETE FROM ${held} WHERE pk = ?`),
    removeSome: sql.prepare<never, [DrivePk, number]>(
      `DELETE FROM ${held} WHERE pk IN (SELECT pk FROM ${held} WHERE drive = ? LIMIT ?)`,
    ),
  };
}
