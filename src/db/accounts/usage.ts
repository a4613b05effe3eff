import type { DriveId, DrivePk, UserPk } from "../../domain/id.ts";
import type { Usage } from "../../domain/accounts/usage.ts";
import type { Database } from "../engine/database.ts";
import type { Parameters } from "../engine/parameters.ts";

/** What a drive or account used since the last write. */
interface Increment<Who> extends Usage {
  readonly who: Who;
  /** The first millisecond of the month. */
  readonly month: number;
}

const ADD =
  "DO UPDATE SET operations = operations + excluded.operations, bandwidth = bandwidth + excluded.bandwidth";
const NOTHING: Usage = { operations: 0, bandwidth: 0 };

/** The usage of drives and accounts, by month. */
export class UsageTable {
  readonly #sql;

  constructor({ sql }: Database) {
    this.#sql = {
      addToDrive: sql.prepare<never, [Parameters<Increment<DriveId>>]>(
        `INSERT INTO drive_usage (drive, month, operations, bandwidth)
       SELECT pk, :month, :operations, :bandwidth FROM drive WHERE id = :who AND deleted_at IS NULL
       ON CONFLICT (drive, month) ${ADD}`,
      ),
      addToOwner: sql.prepare<never, [Parameters<Increment<DriveId>>]>(
        `INSERT INTO account_usage (user, month, operations, bandwidth)
       SELECT user, :month, :operations, :bandwidth FROM drive WHERE id = :who AND user IS NOT NULL
       ON CONFLICT (user, month) ${ADD}`,
      ),
      addToAccount: sql.prepare<never, [Parameters<Increment<UserPk>>]>(
        `INSERT INTO account_usage (user, month, operations, bandwidth)
       VALUES (:who, :month, :operations, :bandwidth) ON CONFLICT (user, month) ${ADD}`,
      ),
      ofDrive: sql.prepare<Usage, [DrivePk, number]>(
        "SELECT operations, bandwidth FROM drive_usage WHERE drive = ? AND month = ?",
      ),
      ofAccount: sql.prepare<Usage, [UserPk, number]>(
        "SELECT operations, bandwidth FROM account_usage WHERE user = ? AND month = ?",
      ),
      ofDrivesOf: sql.prepare<Usage, [UserPk, number]>(
        `SELECT ifnull(sum(u.operations), 0) AS operations, ifnull(sum(u.bandwidth), 0) AS bandwidth
         FROM drive d JOIN drive_usage u ON u.drive = d.pk
        WHERE d.user = ? AND d.deleted_at IS NULL AND u.month = ?`,
      ),
    };
  }

  /** Adds to a drive's usage, or to its owner's if it was deleted meanwhile. Inside a write. */
  addToDrive(increment: Increment<DriveId>): void {
    if (this.#sql.addToDrive.run({ ...increment }).changes === 0) this.#sql.addToOwner.run({ ...increment });
  }

  /** Adds to an account's usage outside its drives. Inside a write. */
  addToAccount(increment: Increment<UserPk>): void {
    this.#sql.addToAccount.run({ ...increment });
  }

  ofDrive(drive: DrivePk, month: number): Usage {
    return this.#sql.ofDrive.get(drive, month) ?? NOTHING;
  }

  /** The usage of an account and all its drives together. */
  ofAccount(user: UserPk, month: number): Usage {
    const own = this.#sql.ofAccount.get(user, month) ?? NOTHING;
    const drives = this.#sql.ofDrivesOf.get(user, month) ?? NOTHING;
    return {
      operations: own.operations + drives.operations,
      bandwidth: own.bandwidth + drives.bandwidth,
    };
  }
}
