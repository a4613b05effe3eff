import type { Within } from "../../db/engine/database.ts";
import { actorOf, stampOf } from "../../domain/changes/change.ts";
import { type Caller, requirePerson } from "../../domain/accounts/caller.ts";
import { userSubject } from "../../domain/audit/subjects.ts";
import type { Drive } from "../../domain/drives/drive.ts";
import { CofferError, notFound, present } from "../../domain/errors.ts";
import { parseId, type UserId, type UserPk } from "../../domain/id.ts";
import { MEMBERS } from "../../domain/limits.ts";
import type { Member } from "../../domain/accounts/user.ts";
import { ROOT } from "../../domain/files/path.ts";
import type { MemberRole } from "../../domain/accounts/roles.ts";
import type { Parts } from "../parts.ts";
import { Service } from "../service.ts";

/** A member after a request to add one; `created` is false if only the role was set. */
interface AddedMember {
  readonly member: Member;
  readonly created: boolean;
}

/** Shares drives with other users, as readers or editors. Only people do: see `requirePerson`. */
export class Members extends Service<Pick<Parts, "tables" | "access" | "audit" | "changes" | "clock">> {
  /** Shares a drive, or sets a member's role. Throws NOT_FOUND, FORBIDDEN, CONFLICT for the owner, QUOTA_EXCEEDED. */
  add(caller: Caller, driveRef: string, username: string, role: MemberRole, within?: Within<AddedMember>) {
    const { users, members } = this.parts.tables;
    return this.parts.access.write(caller, within, () => {
      const drive = this.#managed(caller, driveRef);
      const user = users.byUsername(username.toLowerCase());
      // A disabled user must not be told apart.
      if (user === null || user.disabledAt !== null)
        throw new CofferError("NOT_FOUND", "No such user. Ask the person for their username on this server.");
      if (user.pk === drive.owner?.pk)
        throw new CofferError("CONFLICT", "The owner of a drive cannot be its member.");
      if (members.find(drive.pk, user.pk) !== null)
        return { member: this.#setRole(caller, drive, user.pk, role), created: false };
      this.#requireRoom(drive, user.pk);
      const by = { addedBy: actorOf(caller), madeBy: caller.keyId, createdAt: this.parts.clock.now() };
      members.insert({ drive: drive.pk, user: user.pk, role, ...by });
      const member = this.#existing(drive, user.pk);
      this.#tell("member.added", caller, drive, member);
      return { member, created: true };
    });
  }

  /** All members, for who may manage the drive; for a member, only itself. Throws NOT_FOUND, FORBIDDEN. */
  list(caller: Caller, driveRef: string): Member[] {
    const own = this.#ownMembership(caller, driveRef);
    if (own !== null) return [own];
    return this.parts.tables.members.of(this.parts.access.driveToManage(caller, driveRef).pk);
  }

  /** Throws NOT_FOUND, FORBIDDEN. */
  change(caller: Caller, driveRef: string, userId: string, role: MemberRole, within?: Within<Member>) {
    return this.parts.access.write(caller, within, () => {
      const drive = this.#managed(caller, driveRef);
      return this.#setRole(caller, drive, this.#memberPk(drive, userId), role);
    });
  }

  /** Ends a membership; a member can end its own. Returns whose it was. Throws NOT_FOUND, FORBIDDEN. */
  remove(caller: Caller, driveRef: string, userId: string, within?: Within<UserId>): Promise<UserId> {
    return this.parts.access.writeFromReserve(caller, within, () => {
      const isOwn = this.#ownMembership(caller, driveRef)?.userId === parseId<UserId>(userId);
      const drive = isOwn ? this.parts.access.drive(caller, driveRef) : this.#managed(caller, driveRef);
      requirePerson(caller);
      const user = this.#memberPk(drive, userId);
      const member = this.#existing(drive, user);
      this.parts.tables.members.remove(drive.pk, user);
      this.#tell("member.removed", caller, drive, member);
      return member.userId;
    });
  }

  /** The drive, for a person who manages it. Throws NOT_FOUND, FORBIDDEN. */
  #managed(caller: Caller, driveRef: string): Drive {
    const drive = this.parts.access.driveToManage(caller, driveRef);
    requirePerson(caller);
    return drive;
  }

  /** The caller's own membership; null if it is not a member. Throws NOT_FOUND for the drive. */
  #ownMembership(caller: Caller, driveRef: string): Member | null {
    const drive = this.parts.access.drive(caller, driveRef);
    return caller.kind === "account" ? this.parts.tables.members.find(drive.pk, caller.userPk) : null;
  }

  #setRole(caller: Caller, drive: Drive, user: UserPk, role: MemberRole): Member {
    const before = this.#existing(drive, user);
    this.parts.tables.members.setRole(drive.pk, user, role, caller.keyId);
    if (before.role === role) return before;
    const member = this.#existing(drive, user);
    this.#tell("member.changed", caller, drive, member);
    return member;
  }

  #tell(type: `member.${"added" | "changed" | "removed"}`, caller: Caller, drive: Drive, member: Member) {
    const stamp = stampOf(caller, this.parts.clock.now());
    const { userId, username, role } = member;
    this.parts.audit.add(caller, {
      action: type,
      subject: userSubject({ id: userId, username }),
      driveId: drive.id,
      detail: { drive: drive.name, role },
    });
    this.parts.changes.add({ drive: drive.pk, type, path: ROOT, ref: userId, stamp });
  }

  #memberPk(drive: Drive, reference: string): UserPk {
    const id = parseId<UserId>(reference);
    const user = id === null ? null : this.parts.tables.users.byId(id);
    if (user === null || this.parts.tables.members.find(drive.pk, user.pk) === null) throw notFound("member");
    return user.pk;
  }

  #existing(drive: Drive, user: UserPk): Member {
    return present(this.parts.tables.members.find(drive.pk, user), "a member");
  }

  #requireRoom(drive: Drive, user: UserPk): void {
    const { members } = this.parts.tables;
    const isFull = members.driveHasAtLeast(MEMBERS.drive, drive.pk);
    if (!isFull && !members.userHasAtLeast(MEMBERS.user, user)) return;
    throw new CofferError(
      "QUOTA_EXCEEDED",
      isFull
        ? `This drive already has the maximum of ${MEMBERS.drive} members. Remove some first.`
        : `Already ${MEMBERS.user} drives are shared with this user, the maximum. They must leave some first.`,
    );
  }
}
