import type {
  AccountWho,
  DayCounts,
  ServerWho,
  SomeonesDay,
  UsageDay,
} from "../../domain/accounts/usage-day.ts";
import type { DriveId, UserId, UserPk } from "../../domain/id.ts";
import { USAGE_DAYS } from "../../domain/limits.ts";
import type { Database } from "../engine/database.ts";

const COUNTS = ["requests", "client_errors", "server_errors", "received", "sent"];
const GIVEN = ":requests, :clientErrors, :serverErrors, :received, :sent";
const READ =
  "x.day, x.who, x.requests, x.client_errors AS clientErrors, x.server_errors AS serverErrors, x.received, x.sent";
const ADD = `DO UPDATE SET ${COUNTS.map((column) => `${column} = ${column} + excluded.${column}`).join(", ")}`;

/** Who gets a row: words, which are shorter than ids, have one each; of ids that have none yet only so many get one. */
function whoWithRow(table: string, sameDay: string): string {
  return `CASE WHEN length(:who) < 36
                 OR EXISTS (SELECT 1 FROM ${table} WHERE ${sameDay} AND who = :who)
                 OR (SELECT count(*) FROM ${table} WHERE ${sameDay}) < ${USAGE_DAYS.rows}
            THEN :who ELSE 'other' END`;
}

export function usageDays({ sql }: Database) {
  const inAccount = whoWithRow("account_usage_day", "user = u.pk AND day = :day");
  const addToAccount = (owner: string) =>
    `INSERT INTO account_usage_day (user, day, who, ${COUNTS.join(", ")})
     SELECT u.pk, :day, ${inAccount}, ${GIVEN} FROM ${owner} AND u.deleted_at IS NULL
         ON CONFLICT (user, day, who) ${ADD}`;
  return {
    /** Nothing is added for a user who has been deleted. */
    addOfUser: sql.write<[DayCounts<AccountWho> & { readonly user: UserId }]>(
      addToAccount("user u WHERE u.id = :user"),
    ),
    /** For the owner of a drive, if it has one. */
    addOfDrive: sql.write<[DayCounts<AccountWho> & { readonly drive: DriveId }]>(
      addToAccount("drive d JOIN user u ON u.pk = d.user WHERE d.id = :drive"),
    ),
    addOfServer: sql.write<[DayCounts<ServerWho>]>(
      `INSERT INTO server_usage_day (day, who, ${COUNTS.join(", ")})
       SELECT :day, ${whoWithRow("server_usage_day", "day = :day")}, ${GIVEN} WHERE true
           ON CONFLICT (day, who) ${ADD}`,
    ),
    /** Oldest first. */
    ofUser: sql.all<UsageDay<AccountWho>, [user: UserPk, from: number]>(
      `SELECT ${READ}, k.name FROM account_usage_day x LEFT JOIN api_key k ON k.id = x.who
        WHERE x.user = ? AND x.day >= ? ORDER BY x.day, x.who`,
    ),
    ofServer: sql.all<UsageDay<ServerWho>, [from: number]>(
      `SELECT ${READ}, u.username AS name FROM server_usage_day x LEFT JOIN user u ON u.id = x.who
        WHERE x.day >= ? ORDER BY x.day, x.who`,
    ),
    /** What was done in all accounts on a day: the next rows after one of them, 0 for the first. */
    someOfDay: sql.all<SomeonesDay, [day: number, after: number, limit: number]>(
      `SELECT ${READ}, k.name, x.pk, u.id AS userId, u.username
         FROM account_usage_day x INDEXED BY account_usage_day_age
         JOIN user u ON u.pk = x.user LEFT JOIN api_key k ON k.id = x.who
        WHERE x.day = ? AND x.pk > ? ORDER BY x.pk LIMIT ?`,
    ),
    removeSomeOfUser: sql.removeSome<[user: UserPk]>("account_usage_day", "user = ?"),
    removeOldOfUsers: sql.removeSome<[before: number]>("account_usage_day", "day < ?"),
    removeOldOfServer: sql.removeSome<[before: number]>("server_usage_day", "day < ?"),
  };
}
