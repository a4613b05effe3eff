import { driveIsAlive } from "../alive.ts";
import type { Drive } from "../../domain/drives/drive.ts";
import type { DriveId, DrivePk, UserId, UserPk } from "../../domain/id.ts";
import type { Database } from "../engine/database.ts";
import type { Parameters } from "../engine/parameters.ts";

/** When a drive expires that is not born yet: long ago for everybody. */
const UNBORN = 1;

/** A drive to be created; times are milliseconds since the epoch. */
export interface NewDrive {
  readonly id: DriveId;
  readonly user: UserPk | null;
  readonly name: string;
  readonly slug: string | null;
  readonly description: string;
  readonly expiresAt: number | null;
  readonly createdAt: number;
}

/** What the owner may change of a drive. */
export type DriveNaming = Pick<Drive, "name" | "slug" | "description">;

interface DriveRow extends Omit<Drive, "owner"> {
  readonly userPk: UserPk | null;
  readonly userId: UserId | null;
}

// Readers do not see expired files, but the counts include them until the sweep removes them.
const SELECT = `
  SELECT d.pk, d.id, d.name, d.slug, d.description, u.pk AS userPk, u.id AS userId,
         r.file_count - (SELECT count(*) FROM file f WHERE f.drive = d.pk AND f.expires_at <= :now) AS fileCount,
         r.total_size - (SELECT ifnull(sum(f.size), 0) FROM file f WHERE f.drive = d.pk AND f.expires_at <= :now)
           AS totalSize,
         d.expires_at AS expiresAt, d.created_at AS createdAt, d.updated_at AS updatedAt
    FROM drive d
    JOIN folder r ON r.drive = d.pk AND r.path = ''
    LEFT JOIN user u ON u.pk = d.user
   WHERE ${driveIsAlive(":now")}`;

/** Drives. Readers never see deleted and expired ones. */
export class DrivesTable {
  readonly #sql;

  constructor({ sql }: Database) {
    this.#sql = {
      byId: sql.prepare<DriveRow, [{ id: DriveId; now: number }]>(`${SELECT} AND d.id = :id`),
      byPk: sql.prepare<DriveRow, [{ pk: DrivePk; now: number }]>(`${SELECT} AND d.pk = :pk`),
      exists: sql.prepare<object, [DrivePk, number]>(
        `SELECT 1 FROM drive d WHERE d.pk = ?1 AND ${driveIsAlive("?2")}`,
      ),
      bySlug: sql.prepare<DriveRow, [{ slug: string; now: number }]>(`${SELECT} AND d.slug = :slug`),
      byUser: sql.prepare<DriveRow, [{ user: UserPk; now: number }]>(
        `${SELECT} AND d.user = :user ORDER BY d.created_at, d.pk`,
      ),
      sharedWith: sql.prepare<DriveRow, [{ user: UserPk; now: number }]>(
        `${SELECT} AND d.pk IN (SELECT drive FROM drive_member WHERE user = :user) ORDER BY d.created_at, d.pk`,
      ),
      countOf: sql.prepare<{ drives: number }, [UserPk, number]>(
        `SELECT count(*) AS drives FROM drive d WHERE d.user = ?1 AND ${driveIsAlive("?2")}`,
      ),
      ownerOf: sql.prepare<{ user: UserPk | null }, [DrivePk]>("SELECT user FROM drive WHERE pk = ?"),
      insert: sql.prepare<{ pk: DrivePk }, [Parameters<NewDrive>]>(
        `INSERT INTO drive (id, user, name, slug, description, expires_at, created_at, updated_at)
       VALUES (:id, :user, :name, :slug, :description, :expiresAt, :createdAt, :createdAt) RETURNING pk`,
      ),
      bear: sql.prepare<never, [{ pk: DrivePk; slug: string; now: number }]>(
        "UPDATE drive SET slug = :slug, expires_at = NULL, updated_at = :now WHERE pk = :pk",
      ),
      claim: sql.prepare<never, [{ pk: DrivePk; user: UserPk; slug: string; now: number }]>(
        "UPDATE drive SET user = :user, slug = :slug, expires_at = NULL, updated_at = :now WHERE pk = :pk",
      ),
      rename: sql.prepare<never, [Parameters<DriveNaming> & { pk: DrivePk; now: number }]>(
        `UPDATE drive SET name = :name, slug = :slug, description = :description, updated_at = :now
        WHERE pk = :pk`,
      ),
      touch: sql.prepare<never, [number, DrivePk]>("UPDATE drive SET updated_at = ? WHERE pk = ?"),
      slugTaken: sql.prepare<object, [string]>("SELECT 1 FROM drive WHERE slug = ?"),
      storedBy: sql.prepare<{ bytes: number }, [{ user: UserPk; now: number }]>(
        `SELECT ifnull(sum(totalSize), 0) AS bytes FROM (${SELECT} AND d.user = :user)`,
      ),
      recordsOf: sql.prepare<{ bytes: number }, [DrivePk]>(
        "SELECT record_size AS bytes FROM drive WHERE pk = ?",
      ),
      recordsBy: sql.prepare<{ bytes: number }, [UserPk]>(
        "SELECT ifnull(sum(record_size), 0) AS bytes FROM drive WHERE user = ? AND deleted_at IS NULL",
      ),
      markDeleted: sql.prepare<never, [number, DrivePk]>(
        "UPDATE drive SET deleted_at = ?, slug = NULL WHERE pk = ? AND deleted_at IS NULL",
      ),
      expired: sql.prepare<{ pk: DrivePk }, [number, number]>(
        `SELECT pk FROM drive WHERE expires_at <= ? AND deleted_at IS NULL
          AND NOT EXISTS (SELECT 1 FROM folder_work w WHERE w.to_drive = drive.pk AND w.kind = 'fork')
        ORDER BY expires_at LIMIT ?`,
      ),
      deleted: sql.prepare<{ pk: DrivePk }, [number]>(
        "SELECT pk FROM drive WHERE deleted_at IS NOT NULL ORDER BY deleted_at LIMIT ?",
      ),
      remove: sql.prepare<never, [DrivePk]>("DELETE FROM drive WHERE pk = ?"),
    };
  }

  byId(id: DriveId, now: number): Drive | null {
    return fromRow(this.#sql.byId.get({ id, now }));
  }

  byPk(pk: DrivePk, now: number): Drive | null {
    return fromRow(this.#sql.byPk.get({ pk, now }));
  }

  bySlug(slug: string, now: number): Drive | null {
    return fromRow(this.#sql.bySlug.get({ slug, now }));
  }

  /** Whether a drive exists; cheaper than reading it. */
  exists(pk: DrivePk, now: number): boolean {
    return this.#sql.exists.get(pk, now) !== null;
  }

  /** A user's drives, oldest first. */
  byUser(user: UserPk, now: number): Drive[] {
    return this.#sql.byUser.all({ user, now }).flatMap((row) => fromRow(row) ?? []);
  }

  /** The drives that others share with a user, oldest first. */
  sharedWith(user: UserPk, now: number): Drive[] {
    return this.#sql.sharedWith.all({ user, now }).flatMap((row) => fromRow(row) ?? []);
  }

  countOf(user: UserPk, now: number): number {
    return this.#sql.countOf.get(user, now)?.drives ?? 0;
  }

  /** The owner of a drive, which may be deleted; null if there is none. */
  ownerOf(pk: DrivePk): UserPk | null {
    return this.#sql.ownerOf.get(pk)?.user ?? null;
  }

  /** Bytes in all drives of a user. */
  storedBy(user: UserPk, now: number): number {
    return this.#sql.storedBy.get({ user, now })?.bytes ?? 0;
  }

  /** The room that the records of a drive take, in bytes. Expired files count until the sweep removes them. */
  recordsOf(pk: DrivePk): number {
    return this.#sql.recordsOf.get(pk)?.bytes ?? 0;
  }

  /** The same for all drives of a user. */
  recordsBy(user: UserPk): number {
    return this.#sql.recordsBy.get(user)?.bytes ?? 0;
  }

  /** The first of `slug`, `slug-2`, `slug-3` ... that is free or equals `own`. Inside a write. */
  freeSlug(slug: string, own: string | null = null): string {
    let candidate = slug;
    for (let n = 2; candidate !== own && this.#sql.slugTaken.get(candidate) !== null; n += 1) {
      candidate = `${slug}-${n}`;
    }
    return candidate;
  }

  /** Inside a write. */
  insert(drive: NewDrive): DrivePk {
    const row = this.#sql.insert.get({ ...drive });
    if (row === null) throw new Error("an inserted drive came back without a row");
    return row.pk;
  }

  /** Inserts a drive that nobody sees until `bear`; the sweep removes it, unless a fork fills it. Inside a write. */
  insertUnborn(drive: Omit<NewDrive, "expiresAt">): DrivePk {
    return this.insert({ ...drive, expiresAt: UNBORN });
  }

  unborn(pk: DrivePk): Drive | null {
    return this.byPk(pk, UNBORN - 1);
  }

  /** Shows a drive that is whole. Inside a write. */
  bear(pk: DrivePk, slug: string, now: number): void {
    this.#sql.bear.run({ pk, slug, now });
  }

  /** Gives an unclaimed drive to a user. Inside a write. */
  claim(pk: DrivePk, user: UserPk, slug: string, now: number): void {
    this.#sql.claim.run({ pk, user, slug, now });
  }

  /** Changes a drive's name, slug and description. Inside a write. */
  rename(pk: DrivePk, naming: DriveNaming, now: number): void {
    this.#sql.rename.run({ ...naming, pk, now });
  }

  /** Stores when the drive's contents last changed. Inside a write. */
  touch(pk: DrivePk, now: number): void {
    this.#sql.touch.run(now, pk);
  }

  /** Hides a drive and frees its slug; the sweep removes the rest. Inside a write. */
  markDeleted(pk: DrivePk, now: number): void {
    this.#sql.markDeleted.run(now, pk);
  }

  /** Some drives that have expired and are not yet marked deleted. */
  expired(now: number, limit: number): DrivePk[] {
    return this.#sql.expired.all(now, limit).map((row) => row.pk);
  }

  deleted(limit: number): DrivePk[] {
    return this.#sql.deleted.all(limit).map((row) => row.pk);
  }

  /** Removes the row of a deleted drive, once nothing refers to it. Inside a write. */
  remove(pk: DrivePk): void {
    this.#sql.remove.run(pk);
  }
}

function fromRow(row: DriveRow | null): Drive | null {
  if (row === null) return null;
  const { userPk, userId, ...drive } = row;
  return { ...drive, owner: userPk === null || userId === null ? null : { pk: userPk, id: userId } };
}
