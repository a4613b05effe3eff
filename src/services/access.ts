import type { Clock } from "../clock.ts";
import type { Within } from "../db/database.ts";
import type { Tables } from "../db/tables.ts";
import type { AccountCaller, Caller, DriveCaller } from "../domain/caller.ts";
import type { Drive } from "../domain/drive.ts";
import { CofferError, notFound } from "../domain/errors.ts";
import { type File, hasExpired } from "../domain/file.ts";
import type { FileRef } from "../domain/file-ref.ts";
import { type DriveId, type DrivePk, type FileId, parseId, type UserPk } from "../domain/id.ts";
import type { Link } from "../domain/link.ts";
import { type FilePath, parsePathOfFile } from "../domain/path.ts";

/** What a caller can reach: an account, or one drive. */
export type Reach = Pick<AccountCaller, "kind" | "userPk"> | Pick<DriveCaller, "kind" | "drivePk">;

/**
 * The only place that decides what a caller may see. Foreign, expired and deleted things give the same NOT_FOUND as
 * things that never existed.
 */
export class Access {
  readonly #tables: Tables;
  readonly #clock: Clock;

  constructor(parts: { tables: Tables; clock: Clock }) {
    this.#tables = parts.tables;
    this.#clock = parts.clock;
  }

  /**
   * Writes for a caller: see `Tables.write`. The gate authenticated the caller before the request was read, which
   * can take a long time. So it is checked again here, inside the transaction. Rejects with UNAUTHORIZED if the key
   * was revoked or expired, its drive is gone, the session ended or the user was disabled.
   */
  write<T>(caller: Caller, within: Within<T> | undefined, job: () => T): Promise<T> {
    return this.#tables.write(this.#checked(caller, job), within);
  }

  /** Like `write`, for what must work on a full disk: see `Tables.writeFromReserve`. */
  writeFromReserve<T>(caller: Caller, within: Within<T> | undefined, job: () => T): Promise<T> {
    return this.#tables.writeFromReserve(this.#checked(caller, job), within);
  }

  #checked<T>(caller: Caller, job: () => T): () => T {
    return () => {
      this.#requireValid(caller);
      return job();
    };
  }

  #requireValid(caller: Caller): void {
    const { apiKeys, sessions } = this.#tables;
    const now = this.#clock.now();
    const isValid =
      caller.keyId === null ? sessions.isValid(caller.sessionId, now) : apiKeys.isValid(caller.keyId, now);
    if (!isValid) throw endedMeanwhile();
  }

  /** Every drive the caller may see, oldest first. */
  drives(caller: Caller): Drive[] {
    const now = this.#clock.now();
    if (caller.kind === "account") return this.#tables.drives.byUser(caller.userPk, now);
    const drive = this.#tables.drives.byPk(caller.drivePk, now);
    return drive === null ? [] : [drive];
  }

  /** The drive with this id or slug, if the caller may see it; else null. */
  findDrive(caller: Reach, reference: string): Drive | null {
    const now = this.#clock.now();
    const id = parseId<DriveId>(reference);
    const drive =
      id === null ? this.#tables.drives.bySlug(reference, now) : this.#tables.drives.byId(id, now);
    return drive !== null && reaches(caller, drive.pk, drive.owner?.pk ?? null) ? drive : null;
  }

  /** Like `findDrive`; throws NOT_FOUND. */
  drive(caller: Reach, reference: string): Drive {
    const drive = this.findDrive(caller, reference);
    if (drive === null) throw notFound("drive");
    return drive;
  }

  /** What the creator of a link may see now; null if their key was revoked or expired, or they were disabled. */
  reachOf({ keyHash, user: maker }: Link): Reach | null {
    if (keyHash !== null) return this.#tables.apiKeys.holderOf(keyHash, this.#clock.now());
    const user = maker === null ? null : this.#tables.users.byPk(maker);
    return user === null || user.disabledAt !== null ? null : { kind: "account", userPk: user.pk };
  }

  /** The drive that a key is limited to. Throws UNAUTHORIZED if it is gone since the gate authenticated the key. */
  ownDrive({ drivePk }: DriveCaller): Drive {
    const drive = this.#tables.drives.byPk(drivePk, this.#clock.now());
    if (drive === null) throw endedMeanwhile();
    return drive;
  }

  /** The file, if there is one that the caller may see; else null. Throws VALIDATION_ERROR for a malformed path. */
  findFile(caller: Reach, ref: FileRef): File | null {
    if ("id" in ref) return this.#findById(caller, ref.id);
    const path = parsePathOfFile("path", ref.path);
    const drive = this.findDrive(caller, ref.drive);
    return drive === null ? null : this.#findAt(drive, path);
  }

  /** Like `findFile`; throws NOT_FOUND, which says whether the drive or the file is missing. */
  file(caller: Reach, ref: FileRef): File {
    const file = this.findFile(caller, ref);
    if (file !== null) return file;
    if ("drive" in ref) this.drive(caller, ref.drive);
    throw notFound("file");
  }

  #findById(caller: Reach, reference: string): File | null {
    const id = parseId<FileId>(reference);
    const file = id === null ? null : this.#tables.files.visible(id, this.#clock.now());
    return file !== null && reaches(caller, file.drivePk, file.ownerPk) ? file : null;
  }

  #findAt(drive: Drive, path: FilePath): File | null {
    const file = this.#tables.files.byPath(drive.pk, path);
    return file !== null && !hasExpired(file, this.#clock.now()) ? file : null;
  }
}

function endedMeanwhile(): CofferError {
  return new CofferError(
    "UNAUTHORIZED",
    "The key was revoked or expired, or the session ended, before the request was complete. Nothing was changed: send it again with a valid key.",
  );
}

function reaches(caller: Reach, drive: DrivePk, owner: UserPk | null): boolean {
  return caller.kind === "account" ? owner === caller.userPk : drive === caller.drivePk;
}
