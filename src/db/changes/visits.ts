import type { ChangeNumber } from "../../domain/changes/change.ts";
import type { DrivePk, UserPk } from "../../domain/id.ts";
import type { Database } from "../engine/database.ts";

/** How far somebody has seen what happened in a drive. */
export type Visit = {
  readonly drive: DrivePk;
  /** The newest change that was there. */
  readonly change: ChangeNumber;
  /** When that was, in milliseconds since the epoch. */
  readonly at: number;
};

/** Visits of people in drives: the last of each. They go with the drive, with the membership and with the user. */
export function visits({ sql }: Database) {
  return {
    of: sql.all<Visit, [user: UserPk]>("SELECT drive, change, at FROM drive_visit WHERE user = ?"),
    /** Inside a write. */
    put: sql.write<[Visit & { readonly user: UserPk }]>(
      `INSERT INTO drive_visit (drive, user, change, at) VALUES (:drive, :user, :change, :at)
       ON CONFLICT (user, drive) DO UPDATE SET change = max(change, excluded.change), at = excluded.at`,
    ),
    removeAllOf: sql.write<[user: UserPk]>("DELETE FROM drive_visit WHERE user = ?"),
  };
}
