import type { DriveId, DrivePk, UserPk } from "../../domain/id.ts";
import type { Database } from "../engine/database.ts";

export interface Usage {
  /** Requests with a valid key. */
  readonly operations: number;
  /** Bytes of content sent and received. */
  readonly bandwidth: number;
}

/** What a drive or account used since the last write. */
type Increment<Who> = Pick<Usage, "operations" | "bandwidth"> & {
  readonly who: Who;
  /** The first millisecond of the month. */
  readonly month: number;
};

const ADD =
  "DO UPDATE SET operations = operations + excluded.operations, bandwidth = bandwidth + excluded.bandwidth";
const NOTHING: Usage = { operations: 0, bandwidth: 0 };

export function usage({ sql }: Database) {
  const addToDrive = sql.write<[Increment<DriveId>]>(
    `INSERT INTO drive_usage (drive, month, operations, bandwidth)
     SELECT pk, :month, :operations, :bandwidth FROM drive WHERE id = :who AND deleted_at IS NULL
     ON CONFLICT (drive, month) ${ADD}`,
  );
  const addToOwner = sql.write<[Increment<DriveId>]>(
    `INSERT INTO account_usage (user, month, operations, bandwidth)
     SELECT user, :month, :operations, :bandwidth FROM drive WHERE id = :who AND user IS NOT NULL
     ON CONFLICT (user, month) ${ADD}`,
  );
  const ofDrive = sql.get<Usage, [drive: DrivePk, month: number]>(
    "SELECT operations, bandwidth FROM drive_usage WHERE drive = ? AND month = ?",
  );
  return {
    /** Adds to a drive's usage, or to its owner's if it was deleted meanwhile. Inside a write. */
    addToDrive: (increment: Increment<DriveId>) => {
      if (addToDrive(increment) === 0) addToOwner(increment);
    },
    addToAccount: sql.write<[Increment<UserPk>]>(
      `INSERT INTO account_usage (user, month, operations, bandwidth)
       VALUES (:who, :month, :operations, :bandwidth) ON CONFLICT (user, month) ${ADD}`,
    ),
    ofDrive: (drive: DrivePk, month: number) => ofDrive(drive, month) ?? NOTHING,
    /** The usage of an account and all its drives together. */
    ofAccount: sql.one<Usage, [user: UserPk, month: number]>(
      `SELECT ifnull(sum(operations), 0) AS operations, ifnull(sum(bandwidth), 0) AS bandwidth FROM (
         SELECT operations, bandwidth FROM account_usage WHERE user = ?1 AND month = ?2
         UNION ALL SELECT u.operations, u.bandwidth FROM drive d JOIN drive_usage u ON u.drive = d.pk
           WHERE d.user = ?1 AND d.deleted_at IS NULL AND u.month = ?2)`,
    ),
  };
}
