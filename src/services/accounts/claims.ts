import type { Within } from "../../db/engine/database.ts";
import { hashSecret, type SecretHash } from "../../domain/accounts/api-key.ts";
import { type Caller, requirePerson } from "../../domain/accounts/caller.ts";
import { ofDrive } from "../../domain/audit/subjects.ts";
import { type Drive, type SeenDrive, slugOf } from "../../domain/drives/drive.ts";
import { CofferError } from "../../domain/errors.ts";
import type { Parts } from "../parts.ts";
import { Service } from "../service.ts";

export class Claims extends Service<Pick<Parts, "tables" | "access" | "audit" | "quota" | "clock">> {
  /** What anyone with the token may see. Throws NOT_FOUND; CONFLICT for a used token, GONE for an expired one. */
  preview(token: string): Drive {
    return this.#unclaimed(hashSecret(token), this.parts.clock.now());
  }

  /** Gives a drive to the caller's account; its keys still work. Throws like `preview`, FORBIDDEN, QUOTA_EXCEEDED. */
  claim(caller: Caller, token: string, within?: Within<SeenDrive>): Promise<SeenDrive> {
    const { userPk } = requirePerson(caller);
    const hash = hashSecret(token);
    const { claimTokens, drives, users } = this.parts.tables;
    return this.parts.access.write(caller, within, () => {
      const now = this.parts.clock.now();
      const unclaimed = this.#unclaimed(hash, now);
      const slug = drives.freeSlug(slugOf(users.existing(userPk).username, unclaimed.name));
      drives.claim(unclaimed.pk, userPk, slug, now);
      this.parts.tables.webhooks.giveTo(userPk, unclaimed.pk);
      claimTokens.markUsed(hash, now);
      const drive = this.parts.access.drive(caller, unclaimed.id);
      this.parts.quota.requireRoom(drive, now);
      this.parts.quota.requireRecordRoom(drive);
      this.parts.audit.add(caller, { action: "drive.claimed", ...ofDrive(drive) });
      return drive;
    });
  }

  #unclaimed(hash: SecretHash, now: number): Drive {
    const claim = this.parts.tables.claimTokens.find(hash);
    if (claim === null)
      throw new CofferError("NOT_FOUND", "No such claim token. Check that the claim link is complete.");
    if (claim.usedAt !== null)
      throw new CofferError(
        "CONFLICT",
        "This drive was already claimed. If it was you, it is among your drives.",
      );
    const isLate = claim.drive === null || claim.expiresAt <= now;
    const drive = isLate ? null : this.parts.tables.drives.byPk(claim.drive, now);
    if (drive === null)
      throw new CofferError(
        "GONE",
        "This drive has expired: it was not claimed in time. Its files are gone, and a new drive can be made.",
      );
    return drive;
  }
}
