import { driveIsAlive } from "../expressions.ts";
import type { DriveId, DrivePk, UserId } from "../../domain/id.ts";
import type { Database } from "../engine/database.ts";

/** What is in a drive. */
export interface DriveSize {
  readonly pk: DrivePk;
  readonly id: DriveId;
  /** Both null for an unclaimed drive. */
  readonly userId: UserId | null;
  readonly username: string | null;
  /** Expired ones count until the sweep removes them. */
  readonly files: number;
  readonly bytes: number;
  /** Bytes of contents that no file has; versions, the trash and snapshots keep them. */
  readonly kept: number;
  /** Whether it is neither deleted nor expired. */
  readonly isAlive: boolean;
}

type Row = Omit<DriveSize, "isAlive"> & { readonly isAlive: 0 | 1 };

/** How many drives one statement reads. */
const ROWS = 100;

/** The drives of all. */
export function driveSizes({ sql }: Database) {
  const some = sql.all<Row, [after: DrivePk | 0, now: number], DriveSize>(
    `SELECT page.pk, page.id, u.id AS userId, u.username, ifnull(r.file_count, 0) AS files,
            ifnull(r.total_size, 0) AS bytes, page.kept, page.isAlive
       FROM (SELECT d.pk, d.id, d.user, d.kept_size AS kept, ${driveIsAlive("?2")} AS isAlive
               FROM drive d WHERE d.pk > ?1 ORDER BY d.pk LIMIT ${ROWS}) page
       LEFT JOIN folder r ON r.drive = page.pk AND r.path = '' LEFT JOIN user u ON u.pk = page.user
      ORDER BY page.pk`,
    (row) => ({ ...row, isAlive: row.isAlive === 1 }),
  );
  return {
    /** Every drive, some in one statement: who goes through all gives others their turn in between. */
    *each(now: number): Generator<DriveSize> {
      for (let after: DrivePk | 0 | undefined = 0; after !== undefined;) {
        const rows = some(after, now);
        yield* rows;
        after = rows.length === ROWS ? rows.at(-1)?.pk : undefined;
      }
    },
  };
}
