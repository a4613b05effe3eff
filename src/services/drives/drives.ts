import type { Within } from "../../db/engine/database.ts";
import type { NewDrive } from "../../db/drives/drives.ts";
import { newClaimToken, newProvisionedKey } from "../../domain/accounts/api-key.ts";
import { stampOf } from "../../domain/changes/change.ts";
import { type Caller, requireAccount } from "../../domain/accounts/caller.ts";
import { ofDrive } from "../../domain/audit/subjects.ts";
import { type Drive, parseDescription, type SeenDrive, slugOf } from "../../domain/drives/drive.ts";
import { type DriveId, type DrivePk, type KeyId, newId } from "../../domain/id.ts";
import { UNCLAIMED_LIFETIME_MS } from "../../domain/limits.ts";
import { ROOT } from "../../domain/files/path.ts";
import { parseName } from "../../domain/contents/texts/text.ts";
import { seenCounts } from "../files/folder-counts.ts";
import type { Parts } from "../parts.ts";
import { Service } from "../service.ts";

/** A drive created without an account. Its two secrets are shown only once. */
export interface Provisioned {
  readonly driveId: DriveId;
  readonly name: string;
  readonly keyId: KeyId;
  readonly apiKey: string;
  readonly claimToken: string;
  /** Milliseconds since the epoch. */
  readonly expiresAt: number;
}

export class Drives extends Service<
  Pick<Parts, "tables" | "access" | "audit" | "locks" | "clock" | "changes"> & { keyPrefix: string }
> {
  provision(name: string, within?: Within<Provisioned>): Promise<Provisioned> {
    const parsed = parseName("name", name);
    const key = newProvisionedKey(this.parts.keyPrefix);
    const token = newClaimToken();
    return this.parts.tables.write(() => {
      const now = this.parts.clock.now();
      const driveId = newId<DriveId>(now);
      const keyId = newId<KeyId>(now);
      const expiresAt = now + UNCLAIMED_LIFETIME_MS;
      const unclaimed = { id: driveId, user: null, slug: null, name: parsed, description: "", expiresAt };
      const drive = this.#insert({ ...unclaimed, createdAt: now });
      const { hash, prefix } = key;
      const stored = { id: keyId, hash, prefix, createdAt: now, expiresAt: null, madeBy: null } as const;
      this.parts.tables.apiKeys.insert(
        { ...stored, name: "Provisioned with the drive", scope: "read-write" },
        { drive, prefix: ROOT },
      );
      this.parts.tables.claimTokens.insert(token.hash, drive, expiresAt, now);
      return { driveId, name: parsed, keyId, apiKey: key.secret, claimToken: token.secret, expiresAt };
    }, within);
  }

  /** Creates a drive in the caller's account. Throws FORBIDDEN for a drive caller. */
  create(caller: Caller, name: string, description: string, within?: Within<SeenDrive>): Promise<SeenDrive> {
    const { userPk } = requireAccount(caller);
    const parsed = {
      name: parseName("name", name),
      description: parseDescription("description", description),
    };
    return this.parts.access.write(caller, within, () => {
      const now = this.parts.clock.now();
      const owner = this.parts.tables.users.existing(userPk);
      const slug = this.parts.tables.drives.freeSlug(slugOf(owner.username, parsed.name));
      const id = newId<DriveId>(now);
      this.#insert({ ...parsed, id, user: userPk, slug, expiresAt: null, createdAt: now });
      return this.parts.access.drive(caller, id);
    });
  }

  /** The caller's drives, then those that are shared with it; or the one that `slug` names. */
  list(caller: Caller, slug: string | null): SeenDrive[] {
    if (slug === null) return this.parts.access.drives(caller).map((drive) => this.#shown(caller, drive));
    const drive = this.parts.access.findDrive(caller, slug);
    return drive === null ? [] : [this.#shown(caller, drive)];
  }

  /** By id or slug. Throws NOT_FOUND. */
  get(caller: Caller, reference: string): SeenDrive {
    return this.#shown(caller, this.parts.access.drive(caller, reference));
  }

  #shown(caller: Caller, drive: SeenDrive): SeenDrive {
    const prefix = this.parts.access.prefixOf(caller, drive);
    return { ...drive, ...seenCounts(this.parts.tables, drive, prefix, this.parts.clock.now()) };
  }

  /** What is undefined stays. A new name changes the slug, unless it gives the same. Throws NOT_FOUND, VALIDATION_ERROR. */
  update(
    caller: Caller,
    reference: string,
    { name, description }: Readonly<Record<"name" | "description", string | undefined>>,
    within?: Within<SeenDrive>,
  ): Promise<SeenDrive> {
    const parsed = {
      ...(name === undefined ? {} : { name: parseName("name", name) }),
      ...(description === undefined ? {} : { description: parseDescription("description", description) }),
    };
    return this.parts.access.write(caller, within, () => {
      const drive = this.parts.access.driveToManage(caller, reference);
      const named = { name: drive.name, description: drive.description, ...parsed };
      const slug = this.#slugAfter(drive, named.name);
      const stamp = stampOf(caller, this.parts.clock.now());
      this.parts.tables.drives.rename(drive.pk, { ...named, slug }, stamp.now);
      this.parts.changes.add({ drive: drive.pk, type: "drive.updated", path: ROOT, stamp });
      return this.parts.access.drive(caller, drive.id);
    });
  }

  #slugAfter(drive: Drive, name: string): string | null {
    if (drive.owner === null) return null;
    const owner = this.parts.tables.users.existing(drive.owner.pk);
    const slug = slugOf(owner.username, name);
    return slug === slugOf(owner.username, drive.name)
      ? drive.slug
      : this.parts.tables.drives.freeSlug(slug, drive.slug);
  }

  /** Deletes a drive at once, with its keys and claim tokens; the sweep removes its rows. Throws NOT_FOUND. */
  remove(caller: Caller, reference: string, within?: Within<DriveId>): Promise<DriveId> {
    return this.parts.access.writeFromReserve(caller, within, () => {
      const drive = this.parts.access.driveToManage(caller, reference);
      this.parts.locks.requireNoMove(drive.pk);
      this.parts.tables.drives.markDeleted(drive.pk, this.parts.clock.now());
      this.parts.tables.claimTokens.removeOf(drive.pk);
      this.parts.audit.add(caller, { action: "drive.deleted", ...ofDrive(drive) });
      return drive.id;
    });
  }

  #insert(drive: NewDrive): DrivePk {
    const pk = this.parts.tables.drives.insert(drive);
    this.parts.tables.folders.insert(pk, null, ROOT, drive.createdAt);
    return pk;
  }
}
