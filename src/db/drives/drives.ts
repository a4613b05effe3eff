import { driveIsAlive, firstOf } from "../expressions.ts";
import type { Drive } from "../../domain/drives/drive.ts";
import type { DriveId, DrivePk, UserId, UserPk } from "../../domain/id.ts";
import type { Database } from "../engine/database.ts";
import { type Cached, VersionCache } from "../engine/version-cache.ts";

/** When a drive expires that is not born yet: long ago for everybody. */
const UNBORN = 1;

export type NewDrive = DriveNaming &
  Pick<Drive, "id" | "expiresAt" | "createdAt"> & {
    readonly user: UserPk | null;
  };

type DriveNaming = Pick<Drive, "name" | "slug" | "description">;

interface DriveRow extends Omit<Drive, "owner"> {
  readonly userPk: UserPk | null;
  readonly userId: UserId | null;
}

// Readers do not see expired files, but the counts include them until the sweep removes them.
const select = (more = "") => `
  SELECT d.pk, d.id, d.name, d.slug, d.description, u.pk AS userPk, u.id AS userId,
         r.file_count - (SELECT count(*) FROM file f WHERE f.drive = d.pk AND f.expires_at <= ?2) AS fileCount,
         r.total_size - (SELECT ifnull(sum(f.size), 0) FROM file f WHERE f.drive = d.pk AND f.expires_at <= ?2)
           AS totalSize,
         d.expires_at AS expiresAt, d.created_at AS createdAt, d.updated_at AS updatedAt ${more}
    FROM drive d
    JOIN folder r ON r.drive = d.pk AND r.path = ''
    LEFT JOIN user u ON u.pk = d.user
   WHERE ${driveIsAlive("?2")}`;
const SELECT = select();
/** When a drive, or what is counted of it, changes by itself. */
const UNTIL = firstOf(
  "d.expires_at",
  "(SELECT min(f.expires_at) FROM file f WHERE f.drive = d.pk AND f.expires_at > ?2)",
);

/** Drives. Readers never see deleted and expired ones. */
export function drives(database: Database) {
  const { sql } = database;
  const kept = new VersionCache<string, Drive>(database);
  const keptBy = <Reference extends string>(column: "id" | "slug") => {
    const find = sql.get<DriveRow & { until: number }, [reference: Reference, now: number], Cached<Drive>>(
      `${select(`, ${UNTIL} AS until`)} AND d.${column} = ?1`,
      ({ until, ...row }) => ({ value: fromRow(row), until }),
    );
    // What is like an id is never looked for as a slug.
    return (reference: Reference, now: number) => kept.get(reference, now, () => find(reference, now));
  };
  const byPk = sql.get<DriveRow, [pk: DrivePk, now: number], Drive>(`${SELECT} AND d.pk = ?1`, fromRow);
  const isTaken = sql.has<[slug: string]>("SELECT 1 FROM drive WHERE slug = ?");
  const insert = sql.writeOne<DrivePk, [NewDrive]>(
    `INSERT INTO drive (id, user, name, slug, description, expires_at, created_at, updated_at)
     VALUES (:id, :user, :name, :slug, :description, :expiresAt, :createdAt, :createdAt) RETURNING pk`,
  );
  const rename = sql.write<[DriveNaming & { pk: DrivePk; now: number }]>(
    "UPDATE drive SET name = :name, slug = :slug, description = :description, updated_at = :now WHERE pk = :pk",
  );
  return {
    byId: keptBy<DriveId>("id"),
    byPk,
    bySlug: keptBy<string>("slug"),
    /** Whether a drive exists; cheaper than reading it. */
    exists: sql.has<[pk: DrivePk, now: number]>(
      `SELECT 1 FROM drive d WHERE d.pk = ?1 AND ${driveIsAlive("?2")}`,
    ),
    byUser: sql.all<DriveRow, [user: UserPk, now: number], Drive>(
      `${SELECT} AND d.user = ?1 ORDER BY d.created_at, d.pk`,
      fromRow,
    ),
    sharedWith: sql.all<DriveRow, [user: UserPk, now: number], Drive>(
      `${SELECT} AND d.pk IN (SELECT drive FROM drive_member WHERE user = ?1) ORDER BY d.created_at, d.pk`,
      fromRow,
    ),
    countOf: sql.number<[user: UserPk, now: number]>(
      `SELECT count(*) FROM drive d WHERE d.user = ?1 AND ${driveIsAlive("?2")}`,
    ),
    /** The owner of a drive, which may be deleted; null if there is none. */
    ownerOf: sql.value<UserPk, [pk: DrivePk]>("SELECT user FROM drive WHERE pk = ?"),
    /** Bytes in all drives of a user. */
    storedBy: sql.number<[user: UserPk, now: number]>(
      `SELECT ifnull(sum(totalSize), 0) FROM (${SELECT} AND d.user = ?1)`,
    ),
    /** The room that the records of a drive take, in bytes. Expired files count until the sweep removes them. */
    recordsOf: sql.number<[pk: DrivePk]>("SELECT record_size FROM drive WHERE pk = ?"),
    /** The same for all drives of a user. */
    recordsBy: sql.number<[user: UserPk]>(
      "SELECT ifnull(sum(record_size), 0) FROM drive WHERE user = ? AND deleted_at IS NULL",
    ),
    /** The first of `slug`, `slug-2`, `slug-3` ... that is free or equals `own`. Inside a write. */
    freeSlug: (slug: string, own: string | null = null) => {
      let candidate = slug;
      for (let n = 2; candidate !== own && isTaken(candidate); n += 1) candidate = `${slug}-${n}`;
      return candidate;
    },
    insert,
    /** Inserts a drive that nobody sees until `bear`; the sweep removes it, unless a fork fills it. Inside a write. */
    insertUnborn: (drive: Omit<NewDrive, "expiresAt">) => insert({ ...drive, expiresAt: UNBORN }),
    unborn: (pk: DrivePk) => byPk(pk, UNBORN - 1),
    bear: sql.write<[pk: DrivePk, slug: string, now: number]>(
      "UPDATE drive SET slug = ?2, expires_at = NULL, updated_at = ?3 WHERE pk = ?1",
    ),
    claim: sql.write<[pk: DrivePk, user: UserPk, slug: string, now: number]>(
      "UPDATE drive SET user = ?2, slug = ?3, expires_at = NULL, updated_at = ?4 WHERE pk = ?1",
    ),
    /** Gives a drive to another user. */
    give: sql.write<[pk: DrivePk, user: UserPk, slug: string, now: number]>(
      "UPDATE drive SET user = ?2, slug = ?3, updated_at = ?4 WHERE pk = ?1",
    ),
    /** Inside a write. */
    rename: (pk: DrivePk, naming: DriveNaming, now: number) => rename({ ...naming, pk, now }),
    touch: sql.write<[pk: DrivePk, now: number]>("UPDATE drive SET updated_at = ?2 WHERE pk = ?1"),
    /** Hides a drive and frees its slug; the sweep removes the rest. */
    markDeleted: sql.write<[pk: DrivePk, now: number]>(
      "UPDATE drive SET deleted_at = ?2, slug = NULL WHERE pk = ?1 AND deleted_at IS NULL",
    ),
    expired: sql.values<DrivePk, [now: number, limit: number]>(
      `SELECT pk FROM drive WHERE expires_at <= ? AND deleted_at IS NULL
          AND NOT EXISTS (SELECT 1 FROM folder_work w WHERE w.to_drive = drive.pk AND w.kind = 'fork')
        ORDER BY expires_at LIMIT ?`,
    ),
    deleted: sql.values<DrivePk, [limit: number]>(
      "SELECT pk FROM drive WHERE deleted_at IS NOT NULL ORDER BY deleted_at LIMIT ?",
    ),
    /** Removes the row of a deleted drive, once nothing refers to it. */
    remove: sql.write<[pk: DrivePk]>("DELETE FROM drive WHERE pk = ?"),
  };
}

function fromRow({ userPk, userId, ...drive }: DriveRow): Drive {
  return { ...drive, owner: userPk === null || userId === null ? null : { pk: userPk, id: userId } };
}
