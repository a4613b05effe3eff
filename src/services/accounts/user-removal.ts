import type { Within } from "../../db/engine/database.ts";
import { stampOf } from "../../domain/changes/change.ts";
import type { Caller } from "../../domain/accounts/caller.ts";
import type { User } from "../../domain/accounts/user.ts";
import { ofDrive, userSubject } from "../../domain/audit/subjects.ts";
import { type Drive, slugOf } from "../../domain/drives/drive.ts";
import { CofferError, invalid } from "../../domain/errors.ts";
import type { UserId } from "../../domain/id.ts";
import { ROOT } from "../../domain/files/path.ts";
import type { Parts } from "../parts.ts";
import { Service } from "../service.ts";
import { inPieces } from "../pieces.ts";
import { removeSomeOfWebhook } from "../webhooks/outbox.ts";
import type { EndedKeys } from "./ended-keys.ts";
import type { Users } from "./users.ts";

/** How many rows one transaction removes or changes. */
const PIECE = 20;

/** What becomes of a user's drives: they are deleted too, or another user gets them, by username. */
export type DrivesAfter = { readonly drives: "delete" } | { readonly drives: "give"; readonly to: string };

/**
 * Deletes users. One is disabled first, so nothing of theirs works from then on; then what they have goes in pieces, and
 * at last the user. Where that is cut short, the user stays disabled, and the next request goes on. Their row stays.
 */
export class UserRemoval extends Service<
  Pick<Parts, "tables" | "access" | "audit" | "changes" | "locks" | "clock"> & {
    users: Users;
    endedKeys: EndedKeys;
  }
> {
  /** Throws FORBIDDEN, also for administrators and oneself; NOT_FOUND, VALIDATION_ERROR for `to`; Busy. */
  async remove(
    caller: Caller,
    reference: string,
    after: DrivesAfter,
    within?: Within<UserId>,
  ): Promise<UserId> {
    const { access, audit, tables, users, endedKeys, clock } = this.parts;
    const write = <Result>(work: (user: User) => Result) =>
      access.writeFromReserve(caller, undefined, () => work(this.#removable(caller, reference)));
    await write((user) => {
      this.#heir(user, after);
      users.disable(user.pk);
    });
    await inPieces(() => write((user) => this.#removeSome(caller, user, after)));
    await endedKeys.removeMost();
    return access.writeFromReserve(caller, within, () => {
      const user = this.#removable(caller, reference);
      const { pk, id } = user;
      tables.sessions.removeAllOf(pk);
      tables.identities.removeOf(pk);
      tables.visits.removeAllOf(pk);
      tables.users.markDeleted(pk, clock.now());
      audit.add(caller, {
        action: "user.deleted",
        subject: userSubject(user),
        detail: { drives: after.drives, to: after.drives === "give" ? after.to : null },
      });
      return id;
    });
  }

  /** Not an administrator, so never the last one, and never oneself. */
  #removable(caller: Caller, reference: string): User {
    const user = this.parts.users.managedBy(caller, reference);
    if (user.admin !== null)
      throw new CofferError("FORBIDDEN", "An administrator cannot be deleted. Take that away first.");
    return user;
  }

  /** Who gets the drives; null if they are deleted. */
  #heir(user: User, after: DrivesAfter): User | null {
    if (after.drives === "delete") return null;
    const heir = this.parts.tables.users.byUsername(after.to.toLowerCase());
    if (heir === null || heir.disabledAt !== null || heir.pk === user.pk)
      throw invalid("to", "must be the username of another user, who is not disabled");
    return heir;
  }

  /** Removes some of what a user has. Returns how much. */
  #removeSome(caller: Caller, user: User, after: DrivesAfter): number {
    const { apiKeys, drives, members, usageDays } = this.parts.tables;
    const stamp = stampOf(caller, this.parts.clock.now());
    // Also those of the drives: whoever gets these must not share them with who had them.
    const keys = apiKeys.removeSomeOfUser(user.pk, PIECE);
    if (keys > 0) return keys;
    const shared = drives.sharedWith(user.pk, stamp.now).slice(0, PIECE);
    for (const { pk } of shared) {
      members.remove(pk, user.pk);
      this.parts.changes.add({ drive: pk, type: "member.removed", path: ROOT, ref: user.id, stamp });
    }
    if (shared.length > 0) return shared.length;
    const own = drives.byUser(user.pk, stamp.now).slice(0, PIECE);
    const heir = this.#heir(user, after);
    for (const drive of own) {
      this.parts.locks.requireNoMove(drive.pk);
      if (heir === null) {
        drives.markDeleted(drive.pk, stamp.now);
        this.parts.audit.add(caller, { action: "drive.deleted", ...ofDrive(drive) });
      } else if (!this.#give(caller, drive, heir)) break;
    }
    return own.length > 0 ? own.length : usageDays.removeSomeOfUser(user.pk, PIECE);
  }

  /** Gives a drive to another user. Returns false if its webhooks, which tell its former owner, are not all gone yet. */
  #give(caller: Caller, drive: Drive, heir: User): boolean {
    const { tables, changes, clock } = this.parts;
    const webhook = tables.webhooks.anyOf(drive.pk);
    if (webhook !== null) {
      removeSomeOfWebhook(tables, webhook);
      return false;
    }
    const stamp = stampOf(caller, clock.now());
    tables.members.remove(drive.pk, heir.pk);
    tables.drives.give(
      drive.pk,
      heir.pk,
      tables.drives.freeSlug(slugOf(heir.username, drive.name)),
      stamp.now,
    );
    changes.add({ drive: drive.pk, type: "drive.updated", path: ROOT, stamp });
    this.parts.audit.add(caller, {
      action: "drive.given",
      ...ofDrive(drive),
      detail: { to: heir.username },
    });
    return true;
  }
}
