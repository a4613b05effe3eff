import { type Actor, actorText, namedActor } from "../../domain/changes/actor.ts";
import type { DrivePk, KeyId, UserPk } from "../../domain/id.ts";
import type { Member } from "../../domain/accounts/member.ts";
import type { MemberRole } from "../../domain/accounts/role.ts";
import { actorName } from "../changes/actor-names.ts";
import { KEY_IS_ALIVE } from "../alive.ts";
import type { Database } from "../engine/database.ts";

/** A user with whom a drive is to be shared. */
export interface NewMember {
  readonly drive: DrivePk;
  readonly user: UserPk;
  readonly role: MemberRole;
  readonly addedBy: Actor | null;
  /** The key that lets it in, with which it goes; null for a person. */
  readonly madeBy: KeyId | null;
  /** Milliseconds since the epoch. */
  readonly createdAt: number;
}

type Row = Omit<Member, "createdBy"> & {
  readonly addedBy: string | null;
  readonly addedByName: string | null;
};

const SELECT = `SELECT u.id AS userId, u.username, m.role, m.created_at AS createdAt, m.added_by AS addedBy,
                       ${actorName("m.added_by")} AS addedByName
                  FROM drive_member m JOIN user u ON u.pk = m.user WHERE m.drive = ?`;

/** Whether the key works whose id is in a column. */
function isThere(column: "m.made_by" | "m.raised_by"): string {
  return `EXISTS (SELECT 1 FROM api_key k WHERE k.id = ${column} AND ${KEY_IS_ALIVE})`;
}

/** Users with whom drives are shared. They go with the row of the drive. */
export class MembersTable {
  readonly #sql;

  constructor({ sql }: Database) {
    this.#sql = {
      roleOf: sql.prepare<{ role: MemberRole }, [{ drive: DrivePk; user: UserPk; now: number }]>(
        `SELECT iif(m.raised_by IS NULL OR ${isThere("m.raised_by")}, m.role, 'reader') AS role
         FROM drive_member m JOIN drive d ON d.pk = m.drive JOIN user o ON o.pk = d.user
        WHERE m.drive = :drive AND m.user = :user AND o.disabled_at IS NULL
          AND (m.made_by IS NULL OR ${isThere("m.made_by")})`,
      ),
      find: sql.prepare<Row, [DrivePk, UserPk]>(`${SELECT} AND m.user = ?`),
      of: sql.prepare<Row, [DrivePk]>(`${SELECT} ORDER BY m.created_at, m.user`),
      driveHas: sql.prepare<object, [DrivePk, number]>(
        "SELECT 1 FROM drive_member WHERE drive = ? LIMIT 1 OFFSET ?",
      ),
      userHas: sql.prepare<object, [UserPk, number]>(
        "SELECT 1 FROM drive_member WHERE user = ? LIMIT 1 OFFSET ?",
      ),
      insert: sql.prepare<never, [DrivePk, UserPk, MemberRole, string | null, KeyId | null, number]>(
        `INSERT INTO drive_member (drive, user, role, changes_from, added_by, made_by, created_at)
       VALUES (?, ?, ?, (SELECT ifnull(max(pk), 0) FROM change), ?, ?, ?)`,
      ),
      setRole: sql.prepare<never, [{ role: MemberRole; madeBy: KeyId | null; drive: DrivePk; user: UserPk }]>(
        `UPDATE drive_member
          SET role = :role, made_by = iif(made_by IS NULL, NULL, :madeBy),
              raised_by = iif(:role = 'editor' AND (role = 'reader' OR raised_by IS NOT NULL), :madeBy, NULL)
        WHERE drive = :drive AND user = :user`,
      ),
      lower: sql.prepare<never, [DrivePk, UserPk]>(
        "UPDATE drive_member SET role = 'reader', raised_by = NULL WHERE drive = ? AND user = ?",
      ),
      remove: sql.prepare<never, [DrivePk, UserPk]>("DELETE FROM drive_member WHERE drive = ? AND user = ?"),
      changesFrom: sql.prepare<{ changesFrom: number }, [DrivePk, UserPk]>(
        "SELECT changes_from AS changesFrom FROM drive_member WHERE drive = ? AND user = ?",
      ),
    };
  }

  /** The number of the last change before a user became a member; 0 for who is none. */
  changesFrom(drive: DrivePk, user: UserPk): number {
    return this.#sql.changesFrom.get(drive, user)?.changesFrom ?? 0;
  }

  /**
   * What a member may do in a drive: to read, if a key raised it that has ended. Null for others, for one whom such a key
   * let in, and for all members while the owner is disabled.
   */
  roleOf(drive: DrivePk, { userPk: user }: { readonly userPk: UserPk }, now: number): MemberRole | null {
    return this.#sql.roleOf.get({ drive, user, now })?.role ?? null;
  }

  find(drive: DrivePk, user: UserPk): Member | null {
    const row = this.#sql.find.get(drive, user);
    return row === null ? null : fromRow(row);
  }

  /** All members of a drive, in the order in which they were added. */
  of(drive: DrivePk): Member[] {
    return this.#sql.of.all(drive).map(fromRow);
  }

  /** Whether a drive has at least `count` members; `count` is at least 1. */
  driveHasAtLeast(count: number, drive: DrivePk): boolean {
    return this.#sql.driveHas.get(drive, count - 1) !== null;
  }

  /** Whether at least `count` drives are shared with a user; `count` is at least 1. */
  userHasAtLeast(count: number, user: UserPk): boolean {
    return this.#sql.userHas.get(user, count - 1) !== null;
  }

  /** Inside a write. */
  insert({ drive, user, role, addedBy, madeBy, createdAt }: NewMember): void {
    this.#sql.insert.run(drive, user, role, actorText(addedBy), madeBy, createdAt);
  }

  /**
   * Whoever sets the role of a member that a key let in, lets it in from then on. Of one that a person let in, a key that
   * makes it an editor is remembered. Inside a write.
   */
  setRole(drive: DrivePk, user: UserPk, role: MemberRole, madeBy: KeyId | null): void {
    this.#sql.setRole.run({ drive, user, role, madeBy });
  }

  /** Makes a member a reader whom a key had raised. Inside a write. */
  lower(drive: DrivePk, user: UserPk): void {
    this.#sql.lower.run(drive, user);
  }

  /** Inside a write. */
  remove(drive: DrivePk, user: UserPk): void {
    this.#sql.remove.run(drive, user);
  }
}

function fromRow({ addedBy, addedByName, ...member }: Row): Member {
  return { ...member, createdBy: namedActor(addedBy, addedByName) };
}
