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
export function heldRows({ sql }: Database) {
  return { held_file: statementsOf(sql, "held_file"), held_folder: statementsOf(sql, "held_folder") };
}

function statementsOf(sql: Connection, held: Held) {
  return {
    /** Some rows of a drive after a position, in order; only those before an `until`, unless that is null. */
    some: sql.all<
      HeldRow,
      [drive: DrivePk, afterUntil: number, afterPk: number, before: number | null, limit: number]
    >(
      `SELECT pk, era, until FROM ${held} INDEXED BY ${held}_until
        WHERE drive = ? AND (until, pk) > (?, ?) AND until < ifnull(?, ${Number.MAX_SAFE_INTEGER}) ORDER BY until, pk LIMIT ?`,
    ),
    remove: sql.write<[pk: number]>(`DELETE FROM ${held} WHERE pk = ?`),
    removeSomeOf: sql.write<[drive: DrivePk, limit: number]>(
      `DELETE FROM ${held} WHERE pk IN (SELECT pk FROM ${held} WHERE drive = ? LIMIT ?)`,
    ),
  };
}
