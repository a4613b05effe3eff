import { type Actor, actorText, namedActor } from "../../domain/changes/change.ts";
import type { DrivePk, KeyId, UserPk } from "../../domain/id.ts";
import type { Member } from "../../domain/accounts/user.ts";
import type { MemberRole } from "../../domain/accounts/roles.ts";
import { actorColumns, type ActorRow, keyIsAlive } from "../expressions.ts";
import type { Database } from "../engine/database.ts";

type NewMember = Pick<Member, "role" | "createdAt"> & {
  readonly drive: DrivePk;
  readonly user: UserPk;
  readonly addedBy: Actor | null;
  /** The key that lets it in, with which it goes; null for a person. */
  readonly madeBy: KeyId | null;
};

type Row = Omit<Member, "createdBy"> & ActorRow;

const SELECT = `SELECT u.id AS userId, u.username, m.role, m.created_at AS createdAt, ${actorColumns("m.added_by")}
                  FROM drive_member m JOIN user u ON u.pk = m.user WHERE m.drive = ?`;

function isThere(column: "m.made_by" | "m.raised_by"): string {
  return `EXISTS (SELECT 1 FROM api_key k WHERE k.id = ${column} AND ${keyIsAlive("?3")})`;
}

/** Users with whom drives are shared. They go with the row of the drive. */
export function members({ sql }: Database) {
  const role = sql.value<MemberRole, [drive: DrivePk, user: UserPk, now: number]>(
    `SELECT iif(m.raised_by IS NULL OR ${isThere("m.raised_by")}, m.role, 'reader')
       FROM drive_member m JOIN drive d ON d.pk = m.drive JOIN user o ON o.pk = d.user
      WHERE m.drive = ?1 AND m.user = ?2 AND o.disabled_at IS NULL
        AND (m.made_by IS NULL OR ${isThere("m.made_by")})`,
  );
  const insert = sql.write<[Omit<NewMember, "addedBy"> & { addedBy: string | null }]>(
    `INSERT INTO drive_member (drive, user, role, changes_from, added_by, made_by, created_at)
     VALUES (:drive, :user, :role, (SELECT ifnull(max(pk), 0) FROM change), :addedBy, :madeBy, :createdAt)`,
  );
  return {
    /** The number of the last change before a user became a member; 0 for who is none. */
    changesFrom: sql.number<[drive: DrivePk, user: UserPk]>(
      "SELECT changes_from FROM drive_member WHERE drive = ? AND user = ?",
    ),
    /** To read, if a key raised it that has ended. Null if such a key let it in, or the owner is disabled. */
    roleOf: (drive: DrivePk, { userPk }: { readonly userPk: UserPk }, now: number) =>
      role(drive, userPk, now),
    find: sql.get<Row, [drive: DrivePk, user: UserPk], Member>(`${SELECT} AND m.user = ?`, fromRow),
    of: sql.all<Row, [drive: DrivePk], Member>(`${SELECT} ORDER BY m.created_at, m.user`, fromRow),
    /** Whether a drive has at least `count` members; `count` is at least 1. */
    driveHasAtLeast: sql.has<[count: number, drive: DrivePk]>(
      "SELECT 1 FROM drive_member WHERE drive = ?2 LIMIT 1 OFFSET ?1 - 1",
    ),
    /** Whether at least `count` drives are shared with a user; `count` is at least 1. */
    userHasAtLeast: sql.has<[count: number, user: UserPk]>(
      "SELECT 1 FROM drive_member WHERE user = ?2 LIMIT 1 OFFSET ?1 - 1",
    ),
    /** Inside a write. */
    insert: (member: NewMember) => insert({ ...member, addedBy: actorText(member.addedBy) }),
    /** Who sets a role lets the member in from then on, if a key had; a key that makes an editor is remembered. */
    setRole: sql.write<[drive: DrivePk, user: UserPk, role: MemberRole, madeBy: KeyId | null]>(
      `UPDATE drive_member
          SET role = ?3, made_by = iif(made_by IS NULL, NULL, ?4),
              raised_by = iif(?3 = 'editor' AND (role = 'reader' OR raised_by IS NOT NULL), ?4, NULL)
        WHERE drive = ?1 AND user = ?2`,
    ),
    lower: sql.write<[drive: DrivePk, user: UserPk]>(
      "UPDATE drive_member SET role = 'reader', raised_by = NULL WHERE drive = ? AND user = ?",
    ),
    remove: sql.write<[drive: DrivePk, user: UserPk]>(
      "DELETE FROM drive_member WHERE drive = ? AND user = ?",
    ),
  };
}

function fromRow({ actor, actorName, ...member }: Row): Member {
  return { ...member, createdBy: namedActor(actor, actorName) };
}
