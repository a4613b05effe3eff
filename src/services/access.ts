import type { Clock } from "../clock.ts";
import type { Within } from "../db/database.ts";
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

  constructor(parts: { tables: Tables; clock: Clock }) {
    this.#tables = parts.tables;
    this.#clock = parts.clock;
  }

  /**
   * Writes for a caller: see `Tables.write`. The gate let the caller in before the request was read, which
   * may take as long as the client likes. So whether they may still act is checked again here, inside the
   * transaction. Rejects with UNAUTHORIZED once the key was revoked, its drive is gone, the session ended or
   * the user was disabled.
   */
  write<T>(caller: Caller, within: Within<T> | undefined, job: () => T): Promise<T> {
    return this.#tables.write(this.#checked(caller, job), within);
  }

  /** Like `write`, for what must be possible on a full disk: see `Tables.writeFromReserve`. */
  writeFromReserve<T>(caller: Caller, within: Within<T> | undefined, job: () => T): Promise<T> {
    return this.#tables.writeFromReserve(this.#checked(caller, job), within);
  }

  #checked<T>(caller: Caller, job: () => T): () => T {
    return () => {
      this.#requireStanding(caller);
      return job();
    };
  }

  #requireStanding(caller: Caller): void {
    const { apiKeys, sessions } = this.#tables;
    const now = this.#clock.now();
    const stands =
      caller.keyId === null ? sessions.isValid(caller.sessionId, now) : apiKeys.isValid(caller.keyId, now);
    if (stands) return;
    throw new CofferError(
      "UNAUTHORIZED",
      "The key was revoked, or the session ended, before the request was complete. Nothing was changed.",
    );
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
