import type { Clock } from "../clock.ts";
import type { Tables } from "../db/tables.ts";
import type { AccountCaller, Caller, DriveCaller } from "../domain/caller.ts";
import type { Drive } from "../domain/drive.ts";
import { CofferError, notFound } from "../domain/errors.ts";
import type { File } from "../domain/file.ts";
import { type DriveId, type DrivePk, type FileId, parseId, type UserPk } from "../domain/id.ts";

/** What decides how far somebody sees: their account, or the one drive they are limited to. */
export type Reach = Pick<AccountCaller, "kind" | "userPk"> | Pick<DriveCaller, "kind" | "drivePk">;

/**
 * The one place that decides what a caller may see. What is not the caller's, has expired or was
 * deleted is refused with the same NOT_FOUND as what never was.
 */
export class Access {
  readonly #tables: Tables;
  readonly #clock: Clock;

  constructor(tables: Tables, clock: Clock) {
    this.#tables = tables;
    this.#clock = clock;
  }

  /**
   * Throws UNAUTHORIZED for a caller who was let in, and whose key was revoked or account disabled since.
   * For work that may take long enough: everything else is done with whom the gate let in.
   */
  requireStanding(caller: Caller): void {
    const { apiKeys, users } = this.#tables;
    const { keyId } = caller;
    const stands =
      keyId !== null
        ? apiKeys.stands(keyId)
        : caller.kind === "account" && users.byPk(caller.userPk)?.disabledAt === null;
    if (!stands) throw new CofferError("UNAUTHORIZED", "The key or the account has ended meanwhile.");
  }

  /** Every drive the caller may see, oldest first. */
  drives(caller: Caller): Drive[] {
    const now = this.#clock.now();
    if (caller.kind === "account") return this.#tables.drives.byUser(caller.userPk, now);
    const drive = this.#tables.drives.byPk(caller.drivePk, now);
    return drive === null ? [] : [drive];
  }

  /** The drive that `reference`, an id or a slug, names, if the caller may see it; else null. */
  findDrive(caller: Caller, reference: string): Drive | null {
    const now = this.#clock.now();
    const id = parseId<DriveId>(reference);
    const drive =
      id === null ? this.#tables.drives.bySlug(reference, now) : this.#tables.drives.byId(id, now);
    return drive !== null && reaches(caller, drive.pk, drive.owner?.pk ?? null) ? drive : null;
  }

  /** Like `findDrive`; throws NOT_FOUND. */
  drive(caller: Caller, reference: string): Drive {
    const drive = this.findDrive(caller, reference);
    if (drive === null) throw notFound("drive");
    return drive;
  }

  /** The file with this id, if the caller may see it; else null. */
  findFile(caller: Reach, reference: string): File | null {
    const id = parseId<FileId>(reference);
    const file = id === null ? null : this.#tables.files.visible(id, this.#clock.now());
    return file !== null && reaches(caller, file.drivePk, file.ownerPk) ? file : null;
  }

  /** Like `findFile`; throws NOT_FOUND. */
  file(caller: Caller, reference: string): File {
    const file = this.findFile(caller, reference);
    if (file === null) throw notFound("file");
    return file;
  }
}

function reaches(caller: Reach, drive: DrivePk, owner: UserPk | null): boolean {
  return caller.kind === "account" ? owner === caller.userPk : drive === caller.drivePk;
}
