import type { Clock } from "../process/clock.ts";
import type { Within } from "../db/engine/database.ts";
import type { Tables } from "../db/tables.ts";
import type { AccountCaller, Caller, DriveCaller } from "../domain/accounts/caller.ts";
import type { Drive, SeenDrive } from "../domain/drives/drive.ts";
import { endedMeanwhile, notFound, orNotFound } from "../domain/errors.ts";
import { type File, type FileFacts, type FileRef, type FileView, hasExpired } from "../domain/files/file.ts";
import type { DriveId, DrivePk, FileId, SnapshotId, UserPk } from "../domain/id.ts";
import { parseId } from "../domain/id.ts";
import type { Link } from "../domain/links/link.ts";
import type { FilePath, FolderPath } from "../domain/files/path.ts";
import { isFolderPath, parsePathOfFile, requireUnder, requireWhole, ROOT } from "../domain/files/path.ts";
import { requireManager, requireTaker, requireWriter, type Role } from "../domain/accounts/roles.ts";
import type { Snapshot, View } from "../domain/snapshots/snapshot.ts";
import { Service } from "./service.ts";

/** What a caller can reach: an account, or one drive, or one folder of it. */
export type Reach = Pick<AccountCaller, "kind" | "userPk"> | Pick<DriveCaller, "kind" | "drivePk" | "prefix">;

type Owned = Pick<Drive, "pk" | "owner">;

/**
 * The only place that decides what a caller may see and do. Foreign, expired and deleted things give the same NOT_FOUND
 * as things that never existed.
 *
 * There are three levels: to read (`drive`, `file`), to write (`driveToWrite`, `fileToWrite`) and to manage
 * (`driveToManage`). A key that is limited to a folder sees that folder alone: what reads by a path asks `prefixOf`.
 */
export class Access extends Service<{ tables: Tables; clock: Clock }> {
  /**
   * Writes for a caller: see `Tables.write`. The caller is checked again inside the transaction, as reading the request
   * can take long. Rejects with UNAUTHORIZED if the key or session ended, its drive is gone or the user was disabled.
   */
  write<T>(caller: Caller, within: Within<T> | undefined, job: () => T): Promise<T> {
    return this.parts.tables.write(this.#checked(caller, job), within);
  }

  /** Like `write`, for what must work on a full disk: see `Tables.writeFromReserve`. */
  writeFromReserve<T>(caller: Caller, within: Within<T> | undefined, job: () => T): Promise<T> {
    return this.parts.tables.writeFromReserve(this.#checked(caller, job), within);
  }

  #checked<T>(caller: Caller, job: () => T): () => T {
    return () => {
      this.requireValid(caller);
      return job();
    };
  }

  /** Throws UNAUTHORIZED as `write` rejects; for what goes on for long after its request was authenticated. */
  requireValid(caller: Caller): void {
    if (!this.#isValid(caller)) throw endedMeanwhile();
  }

  #isValid(caller: Caller): boolean {
    const [{ apiKeys, sessions }, now] = [this.parts.tables, this.parts.clock.now()];
    return caller.keyId === null
      ? sessions.isValid(caller.sessionId, now)
      : apiKeys.isValid(caller.keyId, now);
  }

  /** Whether something long may go on: key or session are still valid, and it sees these drives (ids or slugs). */
  mayGoOn(caller: Caller, drives: readonly string[]): boolean {
    return this.#isValid(caller) && drives.every((drive) => this.findDrive(caller, drive) !== null);
  }

  /** Every drive the caller may see: the own ones, then those that are shared with it; each oldest first. */
  drives(caller: Caller): SeenDrive[] {
    const now = this.parts.clock.now();
    const { drives } = this.parts.tables;
    const found =
      caller.kind === "account"
        ? [...drives.byUser(caller.userPk, now), ...drives.sharedWith(caller.userPk, now)]
        : [drives.byPk(caller.drivePk, now)];
    return found.flatMap((drive) => (drive === null ? [] : (this.#seen(caller, drive) ?? [])));
  }

  /** The drive with this id or slug, if the caller may see it; else null. */
  findDrive(caller: Reach, reference: string): SeenDrive | null {
    const now = this.parts.clock.now();
    const id = parseId<DriveId>(reference);
    const { drives } = this.parts.tables;
    const drive = id === null ? drives.bySlug(reference, now) : drives.byId(id, now);
    return drive === null ? null : this.#seen(caller, drive);
  }

  /** Like `findDrive`; throws NOT_FOUND. A caller with a prefix sees only that of the drive: see `prefixOf`. */
  drive(caller: Reach, reference: string): SeenDrive {
    return orNotFound(this.findDrive(caller, reference), "drive");
  }

  /**
   * The drive, to change something at a path in it; null for what has none, such as a new snapshot. Throws NOT_FOUND,
   * and FORBIDDEN for a reader and outside the caller's prefix.
   */
  driveToWrite(caller: Reach, reference: string, path: FilePath | FolderPath | null): SeenDrive {
    const drive = this.drive(caller, reference);
    requireWriter(drive.role);
    if (path !== null) requireUnder(this.prefixOf(caller, drive), path);
    return drive;
  }

  /** Throws FORBIDDEN for a member of a drive who would move something of it into a drive of another owner. */
  requireMayTake(caller: Reach, driveRef: string, into: Owned): void {
    const { owner, role } = this.drive(caller, driveRef);
    if (owner?.pk !== into.owner?.pk) requireTaker(role);
  }

  /** Whether `driveToWrite` would not throw. */
  canWrite(caller: Reach, reference: string, path: FilePath | FolderPath): boolean {
    const drive = this.findDrive(caller, reference);
    return drive !== null && drive.role !== "reader" && path.startsWith(this.prefixOf(caller, drive));
  }

  /** The drive, to decide about all of it. Throws NOT_FOUND, FORBIDDEN for members and for callers with a prefix. */
  driveToManage(caller: Reach, reference: string): SeenDrive {
    const drive = this.drive(caller, reference);
    requireWhole(this.prefixOf(caller, drive));
    requireManager(drive.role);
    return drive;
  }

  /**
   * Throws FORBIDDEN for who may not see versions, the trash and snapshots: what was removed before a drive was shared
   * is not shared with its readers.
   */
  requireHistory(caller: Reach, drive: Owned): void {
    requireWriter(this.roleIn(caller, drive));
  }

  /** The folder that a caller is limited to in a drive that it sees; the root if it sees all of it. */
  prefixOf(caller: Reach, drive: Pick<Drive, "pk">): FolderPath {
    return caller.kind === "drive" && caller.drivePk === drive.pk ? caller.prefix : ROOT;
  }

  /** Throws NOT_FOUND for a path that is outside the caller's prefix. */
  requireInside(caller: Reach, drive: Pick<Drive, "pk">, path: FilePath | FolderPath): void {
    if (!path.startsWith(this.prefixOf(caller, drive)))
      throw notFound(isFolderPath(path) ? "folder" : "file");
  }

  /** The number of the last change that the caller may not see: readers see what happened since they are members. */
  changesFrom(caller: Reach, { pk, owner }: Owned): number {
    if (caller.kind === "drive" || this.roleIn(caller, { pk, owner }) !== "reader") return 0;
    return this.parts.tables.members.changesFrom(pk, caller.userPk);
  }

  /** What the caller is in a drive that it sees. Throws NOT_FOUND. */
  roleIn(caller: Reach, { pk, owner }: Owned): Role {
    return orNotFound(this.#role(caller, pk, owner?.pk ?? null), "drive");
  }

  #seen(caller: Reach, drive: Drive): SeenDrive | null {
    const role = this.#role(caller, drive.pk, drive.owner?.pk ?? null);
    return role === null ? null : { ...drive, role };
  }

  /** Null if the caller does not see the drive. */
  #role(caller: Reach, drive: DrivePk, owner: UserPk | null): Role | null {
    if (caller.kind === "account" && owner === caller.userPk) return "owner";
    if (caller.kind === "account")
      return this.parts.tables.members.roleOf(drive, caller, this.parts.clock.now());
    if (drive !== caller.drivePk) return null;
    return caller.prefix === ROOT ? "owner" : "editor";
  }

  /** The snapshot of a drive that the caller sees. Throws NOT_FOUND, and FORBIDDEN as `requireHistory` does. */
  snapshot(caller: Reach, drive: Drive, reference: string): Snapshot {
    this.requireHistory(caller, drive);
    const id = parseId<SnapshotId>(reference);
    const snapshot = id === null ? null : this.parts.tables.snapshots.byId(id);
    if (snapshot === null || snapshot.drivePk !== drive.pk) throw notFound("snapshot");
    return snapshot;
  }

  /** A drive as it was in one of its snapshots; only to be read. Throws as `snapshot`. */
  view(caller: Reach, driveRef: string, snapshotRef: string): View {
    const drive = this.drive(caller, driveRef);
    return { drive, at: this.snapshot(caller, drive, snapshotRef).number };
  }

  /** The file as it is or was in a snapshot. Throws as `file` and `snapshot`. */
  fileIn(caller: Reach, { snapshot, ...ref }: FileView): FileFacts {
    if (snapshot === undefined) return this.file(caller, ref);
    const path = "id" in ref ? null : parsePathOfFile("path", ref.path);
    const { drive, at } =
      "id" in ref ? this.#viewOf(caller, snapshot) : this.view(caller, ref.drive, snapshot);
    const { snapshotLists } = this.parts.tables;
    const scope = { drive: drive.pk, at, now: this.parts.clock.now() };
    const id = "id" in ref ? parseId<FileId>(ref.id) : null;
    const found = id !== null ? snapshotLists.fileById(scope, id) : path && snapshotLists.fileAt(scope, path);
    const file = orNotFound(found, "file");
    this.requireInside(caller, drive, file.path);
    return file;
  }

  /** What the creator of a link may see now; null if their key was revoked or expired, or they were disabled. */
  reachOf({ keyHash, user: maker }: Pick<Link, "keyHash" | "user">): Reach | null {
    if (keyHash !== null) return this.parts.tables.apiKeys.holderOf(keyHash, this.parts.clock.now());
    const user = maker === null ? null : this.parts.tables.users.byPk(maker);
    return user === null || user.disabledAt !== null ? null : { kind: "account", userPk: user.pk };
  }

  /** The drive that a key is limited to. Throws UNAUTHORIZED if it is gone since the gate authenticated the key. */
  ownDrive({ drivePk }: DriveCaller): Drive {
    const drive = this.parts.tables.drives.byPk(drivePk, this.parts.clock.now());
    if (drive === null) throw endedMeanwhile();
    return drive;
  }

  /** The file, if there is one that the caller may see; else null. Throws VALIDATION_ERROR for a malformed path. */
  findFile(caller: Reach, ref: FileRef): File | null {
    if ("id" in ref) return this.#findById(caller, ref.id);
    const path = parsePathOfFile("path", ref.path);
    const drive = this.findDrive(caller, ref.drive);
    return drive === null || !path.startsWith(this.prefixOf(caller, drive))
      ? null
      : this.#findAt(drive, path);
  }

  /** Like `findFile`; throws NOT_FOUND, which says whether the drive or the file is missing. */
  file(caller: Reach, ref: FileRef): File {
    const file = this.findFile(caller, ref);
    if (file !== null) return file;
    if ("drive" in ref) this.drive(caller, ref.drive);
    throw notFound("file");
  }

  /** The file, to change or remove it. Throws like `file`, FORBIDDEN for a reader and outside the caller's prefix. */
  fileToWrite(caller: Reach, ref: FileRef): File {
    if ("drive" in ref) {
      const path = parsePathOfFile("path", ref.path);
      return orNotFound(this.#findAt(this.driveToWrite(caller, ref.drive, path), path), "file");
    }
    const file = this.file(caller, ref);
    requireWriter(this.#role(caller, file.drivePk, file.ownerPk) ?? "reader");
    return file;
  }

  /** The file, if there is one that the caller may change and remove; else null. Throws like `findFile`. */
  findFileToWrite(caller: Reach, ref: FileRef): File | null {
    const file = this.findFile(caller, ref);
    return file === null || this.#role(caller, file.drivePk, file.ownerPk) === "reader" ? null : file;
  }

  /** Whether the caller may read a file, which can have moved since it was found. */
  sees(caller: Reach, { drivePk, ownerPk, path }: Pick<File, "drivePk" | "ownerPk" | "path">): boolean {
    const isInside = path.startsWith(this.prefixOf(caller, { pk: drivePk }));
    return isInside && this.#role(caller, drivePk, ownerPk) !== null;
  }

  /** Like `view`, for a snapshot of any drive that the caller sees. */
  #viewOf(caller: Reach, reference: string): View {
    const id = parseId<SnapshotId>(reference);
    const snapshot = id === null ? null : this.parts.tables.snapshots.byId(id);
    const drive = snapshot === null ? null : this.findDrive(caller, snapshot.driveId);
    if (drive === null) throw notFound("snapshot");
    return { drive, at: this.snapshot(caller, drive, reference).number };
  }

  #findById(caller: Reach, reference: string): File | null {
    const id = parseId<FileId>(reference);
    const file = id === null ? null : this.parts.tables.files.visible(id, this.parts.clock.now());
    return file !== null && this.sees(caller, file) ? file : null;
  }

  #findAt(drive: Drive, path: FilePath): File | null {
    const file = this.parts.tables.files.byPath(drive.pk, path);
    return file !== null && !hasExpired(file, this.parts.clock.now()) ? file : null;
  }
}
