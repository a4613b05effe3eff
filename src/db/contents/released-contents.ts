import type { ContentFacts } from "../../domain/contents/content.ts";
import type { Drive } from "../../domain/drives/drive.ts";
import type { BlobPk, DrivePk, UserPk } from "../../domain/id.ts";
import type { Connection } from "../engine/connection.ts";
import type { Database } from "../engine/database.ts";

/** Who released a blob last: an unclaimed drive, or the account that owned its drive. */
export type Releaser =
  { readonly kind: "drive"; readonly pk: DrivePk } | { readonly kind: "user"; readonly pk: UserPk };

export function releaserOf({ pk, owner }: Drive): Releaser {
  return owner === null ? { kind: "drive", pk } : { kind: "user", pk: owner.pk };
}

/**
 * A statement about an owner's drives: an unclaimed one, or those of an account that are not deleted.
 *
 * @param make gets the condition for a drive `d`
 */
export function byOwner<Found>(make: (isOwned: string) => (pk: Releaser["pk"]) => Found) {
  const [ofDrive, ofUser] = [make("d.pk = ?"), make("d.user = ? AND d.deleted_at IS NULL")];
  return ({ kind, pk }: Releaser) => (kind === "drive" ? ofDrive(pk) : ofUser(pk));
}

/** An orphan that is still on the disk. */
export interface ReleasedContent extends ContentFacts {
  readonly pk: BlobPk;
}

/** Orphans by who released them last. Triggers record it. */
export function releasedContents({ sql }: Database) {
  const ofDrives = statementsOf<DrivePk>(sql, "drive");
  const ofUsers = statementsOf<UserPk>(sql, "user");
  const of = ({ kind }: Releaser) => (kind === "drive" ? ofDrives : ofUsers);
  return {
    /** The bytes that an owner has released, including deleted drives. Constant cost. */
    size: (owner: Releaser) => of(owner).size(owner.pk),
    /** The bytes that all owners have released and that are not removed yet. The cost grows with the number of owners. */
    sizeOfAll: sql.number<[]>(
      `SELECT (SELECT ifnull(sum(released_size), 0) FROM drive) + (SELECT ifnull(sum(released_size), 0) FROM user)`,
    ),
    /** Everyone with released contents that still exist. */
    releasers: (): Releaser[] => [
      ...each(ofDrives.next).map((pk) => ({ kind: "drive" as const, pk })),
      ...each(ofUsers.next).map((pk) => ({ kind: "user" as const, pk })),
    ],
    /** Whether the grace period of some released contents has not started yet. */
    hasUnstamped: (owner: Releaser) => of(owner).hasUnstamped(owner.pk),
    /** Starts the grace period of up to `limit` released contents. Inside a write. */
    stamp: (owner: Releaser, now: number, limit: number) => of(owner).stamp(owner.pk, now, limit),
    /** Some released contents whose grace period started by `before`, oldest first. */
    oldest: (owner: Releaser, before: number, limit: number) => of(owner).oldest(owner.pk, before, limit),
    /** Removes a drive as the releaser of up to `limit` contents. */
    clearReleaser: sql.write<[drive: DrivePk, limit: number]>(
      `UPDATE blob SET released_drive = NULL
        WHERE pk IN (SELECT pk FROM blob WHERE released_drive = ? LIMIT ?)`,
    ),
  };
}

/** All keys, in order. The cost grows with the number of releasers, not with that of their contents. */
function each<Pk extends number>(next: (after: Pk | 0) => Pk | null): Pk[] {
  const found: Pk[] = [];
  for (let pk = next(0); pk !== null; pk = next(pk)) found.push(pk);
  return found;
}

/** The bytes in an account's deleted drives, and of what they keep. An overestimate while the sweep removes them. */
const IN_DELETED_DRIVES = `(
  SELECT ifnull(sum(r.total_size + d.kept_size), 0) FROM drive d JOIN folder r ON r.drive = d.pk AND r.path = ''
   WHERE d.user = user.pk AND d.deleted_at IS NOT NULL)`;

function statementsOf<Pk extends Releaser["pk"]>(sql: Connection, kind: Releaser["kind"]) {
  const column = `released_${kind}`;
  const contents = `blob INDEXED BY blob_released_${kind}`;
  return {
    size: sql.number<[pk: Releaser["pk"]]>(
      `SELECT released_size + ${kind === "user" ? IN_DELETED_DRIVES : 0} FROM ${kind} WHERE pk = ?`,
    ),
    next: sql.value<Pk, [after: Pk | 0]>(`SELECT min(${column}) FROM ${contents} WHERE ${column} > ?`),
    hasUnstamped: sql.has<[pk: Releaser["pk"]]>(
      `SELECT 1 FROM ${contents} WHERE ${column} = ? AND orphaned_at IS NULL LIMIT 1`,
    ),
    stamp: sql.write<[pk: Releaser["pk"], now: number, limit: number]>(
      `UPDATE blob SET orphaned_at = ?2
        WHERE pk IN (SELECT pk FROM ${contents} WHERE ${column} = ?1 AND orphaned_at IS NULL LIMIT ?3)`,
    ),
    oldest: sql.all<ReleasedContent, [pk: Releaser["pk"], before: number, limit: number]>(
      `SELECT pk, digest, size FROM ${contents} WHERE ${column} = ? AND orphaned_at <= ?
        ORDER BY orphaned_at LIMIT ?`,
    ),
  };
}
