import type { Within } from "../../db/engine/database.ts";
import { type Stamp, stampOf } from "../../domain/changes/change.ts";
import { type Caller, requireAccount } from "../../domain/accounts/caller.ts";
import { type Drive, type SeenDrive, slugOf } from "../../domain/drives/drive.ts";
import { invalid, present } from "../../domain/errors.ts";
import { type DriveId, type DrivePk, newId, type UserPk } from "../../domain/id.ts";
import { FORK_FILES, RECORD_BYTES } from "../../domain/limits.ts";
import { ROOT } from "../../domain/files/path.ts";
import { parseName } from "../../domain/contents/texts/text.ts";
import type { FolderChanges } from "../folders/folder-changes.ts";
import type { Parts } from "../parts.ts";
import { Service } from "../service.ts";
import type { SnapshotRemoval } from "./snapshot-removal.ts";
import type { Snapshots } from "./snapshots.ts";

interface ForkRequest {
  readonly name: string;
  /** The id of a snapshot of the drive; undefined for what it holds now. */
  readonly snapshot: string | undefined;
}

/** Makes new drives of what others hold, or held when a snapshot was taken. */
export class Forks extends Service<
  Pick<Parts, "tables" | "blobs" | "access" | "quota" | "locks" | "clock"> & {
    snapshots: Snapshots;
    snapshotRemoval: SnapshotRemoval;
    folderChanges: FolderChanges;
  }
> {
  /**
   * Makes a drive with all that another holds; contents are not stored twice. Nobody sees it before it is whole, and a
   * failed one is removed. Throws FORBIDDEN for a drive caller, NOT_FOUND, VALIDATION_ERROR, QUOTA_EXCEEDED,
   * STORAGE_FULL.
   */
  async create(
    caller: Caller,
    driveRef: string,
    { name, snapshot: id }: ForkRequest,
    within?: Within<SeenDrive>,
  ): Promise<SeenDrive> {
    const { userPk } = requireAccount(caller);
    const parsed = parseName("name", name);
    await this.parts.tables.requireWritable();
    this.parts.blobs.space.requireFree();
    return this.parts.folderChanges.perform(caller, within, () => {
      const source = this.parts.access.drive(caller, driveRef);
      this.parts.access.requireHistory(caller, source);
      const stamp = stampOf(caller, this.parts.clock.now());
      // A snapshot of its own has nothing of a running work, so it waits for these.
      if (id === undefined) this.parts.locks.requireWholeFree(source.pk, ROOT);
      const given = id === undefined ? null : this.parts.access.snapshot(caller, source, id);
      const snapshot = given ?? this.parts.snapshots.takeFor(source, `For the fork ${parsed}`, stamp);
      if (snapshot.fileCount > FORK_FILES)
        throw invalid("snapshot_id", `must have at most ${FORK_FILES} files to be forked`);
      const { pk: fork, id: forkId } = this.#conceive(userPk, parsed, snapshot, stamp);
      return {
        work: {
          kind: "fork",
          from: { drive: source.pk, path: ROOT, top: ROOT },
          to: { drive: fork, path: ROOT, top: ROOT },
          snapshot: snapshot.pk,
          ownsSnapshot: given === null,
        },
        files: snapshot.fileCount,
        result: () => {
          this.#bear(fork, userPk, parsed);
          if (given === null)
            this.parts.snapshotRemoval.begin(snapshot, { ...stamp, now: this.parts.clock.now() });
          return this.parts.access.drive(caller, forkId);
        },
      };
    });
  }

  /** Makes a drive that nobody sees, and checks that there is room for what is to be in it. */
  #conceive(user: UserPk, name: string, holds: Pick<Drive, "fileCount" | "totalSize">, { now }: Stamp) {
    const { drives, folders } = this.parts.tables;
    const id = newId<DriveId>(now);
    const pk = drives.insertUnborn({ id, user, name, slug: null, description: "", createdAt: now });
    folders.insert(pk, null, ROOT, now);
    const drive = present(drives.unborn(pk), "a new drive");
    this.parts.quota.requireRoom(drive, now, holds.totalSize);
    this.parts.quota.requireRecordRoom(drive, holds.fileCount * RECORD_BYTES.entry);
    return { pk, id };
  }

  /** Shows a drive that is whole. Throws QUOTA_EXCEEDED. */
  #bear(fork: DrivePk, user: UserPk, name: string): void {
    const { drives, users } = this.parts.tables;
    const now = this.parts.clock.now();
    drives.bear(fork, drives.freeSlug(slugOf(users.existing(user).username, name)), now);
    this.parts.quota.requireRoom(present(drives.byPk(fork, now), "a new drive"), now);
  }
}
