import type { Within } from "../../db/engine/database.ts";
import { actorText, type Stamp, stampOf } from "../../domain/changes/change.ts";
import type { Caller } from "../../domain/accounts/caller.ts";
import type { AuditFacts } from "../../domain/audit/audit-event.ts";
import type { Drive } from "../../domain/drives/drive.ts";
import { CofferError, invalid, notFound, present } from "../../domain/errors.ts";
import { newId, type SnapshotId, type SnapshotPk } from "../../domain/id.ts";
import { NAME_CHARACTERS, SNAPSHOTS } from "../../domain/limits.ts";
import {
  asFilePath,
  type FolderPath,
  narrowed,
  parseFolderOrRoot,
  parsePrefix,
  ROOT,
  withSlash,
} from "../../domain/files/path.ts";
import { parseName } from "../../domain/contents/texts/text.ts";
import type { Snapshot } from "../../domain/snapshots/snapshot.ts";
import type { Parts } from "../parts.ts";
import { Service } from "../service.ts";
import { compared, type DifferencePosition } from "./comparisons.ts";
import type { FolderChanges } from "../folders/folder-changes.ts";
import type { SnapshotRemoval } from "./snapshot-removal.ts";
import { partOf } from "../files/listings.ts";

interface ComparisonRequest {
  /** Only files whose paths start with it, then or now. */
  readonly prefix: string;
  readonly limit: number;
  /** The position of a cursor; null for the start. */
  readonly after: DifferencePosition | null;
}

/** What a restore has done. */
export interface Rewound {
  /** The folder; empty for the whole drive. */
  readonly path: FolderPath;
  /** How many files are as the snapshot has them again, and were not before. */
  readonly restored: number;
  /** How many files were there that the snapshot does not have, or has otherwise. */
  readonly removed: number;
  /** The snapshot that was taken before, and undoes it. */
  readonly before: Snapshot;
}

/** Takes, shows, restores and deletes snapshots of drives. */
export class Snapshots extends Service<
  Pick<Parts, "tables" | "access" | "audit" | "tree" | "changes" | "locks" | "clock"> & {
    folderChanges: FolderChanges;
    snapshotRemoval: SnapshotRemoval;
  }
> {
  /**
   * Takes a snapshot, which costs one row. Waits for running changes of folders, to have no half of one. Throws
   * NOT_FOUND, VALIDATION_ERROR, QUOTA_EXCEEDED.
   */
  create(caller: Caller, driveRef: string, name: string | undefined, within?: Within<Snapshot>) {
    const parsed = name === undefined ? null : parseName("name", name);
    return this.parts.access.write(caller, within, () => {
      const drive = this.parts.access.driveToWrite(caller, driveRef, null);
      this.parts.locks.requireWholeFree(drive.pk, ROOT);
      const { all, automatic } = this.parts.tables.snapshots.count(drive.pk);
      if (all - automatic >= SNAPSHOTS.taken) {
        throw new CofferError(
          "QUOTA_EXCEEDED",
          `A drive has at most ${SNAPSHOTS.taken} snapshots. Delete one that is not needed first.`,
        );
      }
      const stamp = stampOf(caller, this.parts.clock.now());
      const taken = this.#take(drive, { name: parsed ?? "Snapshot", isAutomatic: false }, stamp);
      return this.#shown(caller, drive, taken);
    });
  }

  /** Takes a snapshot for the server. Of too many, the oldest of these go, but not `used`. Inside a write. */
  takeFor(drive: Drive, name: string, stamp: Stamp, used: SnapshotPk | null = null): Snapshot {
    const short = Array.from(name).slice(0, NAME_CHARACTERS).join("").trim();
    const taken = this.#take(drive, { name: short, isAutomatic: true }, stamp);
    for (const old of this.parts.tables.snapshots.surplusAutomatic(drive.pk, SNAPSHOTS.automatic, used))
      this.parts.snapshotRemoval.begin(old, { now: stamp.now, by: null });
    return taken;
  }

  #take({ pk, fileCount, totalSize }: Drive, how: Pick<Snapshot, "name" | "isAutomatic">, stamp: Stamp) {
    const { snapshots } = this.parts.tables;
    const id = newId<SnapshotId>(stamp.now);
    const taken = { createdAt: stamp.now, createdBy: actorText(stamp.by), fileCount, totalSize };
    snapshots.insert({ ...taken, ...how, id, drive: pk });
    const snapshot = present(snapshots.byId(id), "a snapshot that was taken just now");
    this.parts.changes.add({ drive: pk, type: "snapshot.created", path: ROOT, ref: id, stamp });
    return snapshot;
  }

  /** A page, newest first, how many there are on all, and the number before which the next starts. Throws NOT_FOUND. */
  list(caller: Caller, driveRef: string, page: { limit: number; before: number | null }) {
    const drive = this.parts.access.drive(caller, driveRef);
    this.parts.access.requireHistory(caller, drive);
    const before = page.before ?? Number.MAX_SAFE_INTEGER;
    const { snapshots } = this.parts.tables;
    const some = snapshots.page(drive.pk, before, page.limit + 1);
    const { found, next } = partOf(some, page.limit, ({ number }) => number);
    return {
      snapshots: found.map((each) => this.#shown(caller, drive, each)),
      total: snapshots.count(drive.pk).all,
      nextBefore: next,
    };
  }

  /** Throws NOT_FOUND, also for a snapshot of another drive. */
  get(caller: Caller, driveRef: string, id: string): Snapshot {
    const drive = this.parts.access.drive(caller, driveRef);
    return this.#shown(caller, drive, this.parts.access.snapshot(caller, drive, id));
  }

  /** With the counts of what the caller sees of the drive. */
  #shown(caller: Caller, drive: Drive, snapshot: Snapshot): Snapshot {
    const prefix = this.parts.access.prefixOf(caller, drive);
    if (prefix === ROOT) return snapshot;
    const inside = { drive: drive.pk, at: snapshot.number, now: this.parts.clock.now() };
    const folder = this.parts.tables.snapshotLists.folderAt(inside, prefix);
    return { ...snapshot, fileCount: folder?.fileCount ?? 0, totalSize: folder?.totalSize ?? 0 };
  }

  /** What differs between a snapshot and now, in path order. Throws NOT_FOUND, VALIDATION_ERROR. */
  async compare(caller: Caller, driveRef: string, id: string, request: ComparisonRequest) {
    const asked = parsePrefix("prefix", request.prefix);
    const { drive, at } = this.parts.access.view(caller, driveRef, id);
    const visible = this.parts.access.prefixOf(caller, drive);
    const prefix = narrowed(asked, visible);
    if (prefix === null) return { differences: [], next: null };
    const comparison = { drive: drive.pk, at, now: this.parts.clock.now(), prefix, visible };
    return compared(this.parts.tables, comparison, request.after, request.limit);
  }

  /** The sweep removes what only this snapshot needs. Waits for a restore or a fork of it. Throws NOT_FOUND. */
  remove(caller: Caller, driveRef: string, id: string, within?: Within<SnapshotId>): Promise<SnapshotId> {
    return this.parts.access.writeFromReserve(caller, within, () => {
      const drive = this.parts.access.driveToManage(caller, driveRef);
      const snapshot = this.parts.access.snapshot(caller, drive, id);
      this.parts.locks.requireUnused(drive.pk, snapshot.pk);
      this.parts.snapshotRemoval.begin(snapshot, stampOf(caller, this.parts.clock.now()));
      this.parts.audit.add(caller, snapshotFacts("snapshot.deleted", drive, snapshot));
      return snapshot.id;
    });
  }

  /**
   * Brings a drive, or the folder at a path in it, back to what a snapshot has: all contents, records and ids. Before
   * that it takes a snapshot, which undoes this. Once begun, it is finished, unless somebody gives it up. Throws
   * NOT_FOUND, also for a folder that the snapshot does not have; FORBIDDEN; CONFLICT if a file is where a folder above
   * is needed.
   */
  restore(caller: Caller, driveRef: string, id: string, path: string | undefined, within?: Within<Rewound>) {
    const scope = parseFolderOrRoot("path", withSlash(path ?? ""));
    return this.parts.folderChanges.perform(caller, within, () => {
      const drive = this.parts.access.driveToWrite(caller, driveRef, scope);
      const snapshot = this.parts.access.snapshot(caller, drive, id);
      // No snapshot may have half of a work, and the work needs the newest one until its end.
      this.parts.locks.requireWholeFree(drive.pk, ROOT);
      const stamp = stampOf(caller, this.parts.clock.now());
      const inside = { drive: drive.pk, at: snapshot.number, now: stamp.now };
      if (this.parts.tables.snapshotLists.folderAt(inside, scope) === null) {
        // A path without its slash can be one of a file.
        const isFolder = path?.endsWith("/") === true;
        throw isFolder ? notFound("folder") : invalid("path", "must be a folder that the snapshot has");
      }
      const title = snapshot.isAutomatic
        ? "Before a restore was undone"
        : `Before the restore of ${snapshot.name}`;
      const before = this.takeFor(drive, title, stamp, snapshot.pk);
      this.parts.audit.add(caller, snapshotFacts("snapshot.restored", drive, snapshot, scope));
      const tally = { removed: 0, restored: 0 };
      const from = { drive: drive.pk, path: scope, top: this.#makeWay(caller, drive, scope, stamp) };
      return {
        work: { kind: "rewind", from, to: null, snapshot: snapshot.pk, tally },
        // To count what has changed is as much work as to bring it back.
        files: null,
        result: () => ({ path: scope, restored: tally.restored, removed: tally.removed, before }),
      };
    });
  }

  /** Makes the folders above a folder. Returns the topmost folder that is missing, or else the folder itself. */
  #makeWay(caller: Caller, drive: Drive, path: FolderPath, stamp: Stamp): FolderPath {
    const { folders } = this.parts.tables;
    if (path === ROOT || folders.byPath(drive.pk, path) !== null) return path;
    const occupant = this.parts.tree.occupant(drive, asFilePath(path), stamp);
    if (occupant !== null) {
      // It can be beside the folder that a key is limited to.
      this.parts.access.driveToWrite(caller, drive.id, occupant.path);
      this.parts.tree.trash([occupant], stamp);
    }
    return this.parts.folderChanges.makeWay(drive, path, stamp);
  }
}

/** @param path of the folder that is restored; the root for a whole drive */
function snapshotFacts(
  action: "snapshot.deleted" | "snapshot.restored",
  drive: Drive,
  { id, name }: Snapshot,
  path = ROOT,
): AuditFacts {
  const detail = { drive: drive.name, ...(path === ROOT ? {} : { path }) };
  return { action, subject: { kind: "snapshot", id, name }, driveId: drive.id, detail };
}
