import type { DrivePk, SnapshotPk, TrashPk } from "../id.ts";
import type { FolderPath } from "../path.ts";

/** The source or destination of a work. */
export interface WorkPlace {
  readonly drive: DrivePk;
  /** The folder at this end: taken from here, or put here. */
  readonly path: FolderPath;
  /** The topmost folder that the work creates or removes here: `path` itself or one above it. */
  readonly top: FolderPath;
}

/** A copy or move of a folder with everything in it. `return` undoes a move. */
export interface FolderTransferWork {
  readonly kind: "copy" | "move" | "return";
  readonly from: WorkPlace;
  readonly to: WorkPlace;
}

/** The removal of a folder with everything in it. */
export interface FolderRemovalWork {
  readonly kind: "remove";
  readonly from: WorkPlace;
  readonly to: null;
  /** The entry of the trash that all of it goes into; null if nothing is kept. */
  readonly trash: TrashPk | null;
}

/** The return of a folder from the trash. */
export interface FolderRestoreWork {
  readonly kind: "restore";
  /** Where it goes. */
  readonly from: WorkPlace;
  readonly to: null;
  /** Where all of it comes from. */
  readonly trash: TrashPk;
}

/** How many files a work has removed and put back. */
export interface Tally {
  removed: number;
  restored: number;
}

/** The return of a folder, or of a whole drive, to what a snapshot has. It is always finished. */
export interface FolderRewindWork {
  readonly kind: "rewind";
  readonly from: WorkPlace;
  readonly to: null;
  readonly snapshot: SnapshotPk;
  /** For the response; it is not recorded. */
  readonly tally: Tally;
}

/** The copy of what a snapshot has into a new drive, which nobody sees until its end. */
export interface FolderForkWork {
  readonly kind: "fork";
  readonly from: WorkPlace;
  readonly to: WorkPlace;
  readonly snapshot: SnapshotPk;
  /** Whether the snapshot was taken for it, and goes with it. */
  readonly ownsSnapshot: boolean;
}

/** A change of a folder or drive with everything in it, which may take many transactions. */
export type FolderWork =
  FolderTransferWork | FolderRemovalWork | FolderRestoreWork | FolderRewindWork | FolderForkWork;

/** The work that undoes another one. A return, removal or rewind is not undone, only finished: it is its own result. */
export function undoOf(work: FolderWork): FolderWork {
  switch (work.kind) {
    case "copy":
      return { kind: "remove", from: { ...work.to, path: work.to.top }, to: null, trash: null };
    case "fork":
      return { kind: "remove", from: work.to, to: null, trash: null };
    case "move":
      return { kind: "return", from: work.to, to: work.from };
    case "restore":
      return { ...work, kind: "remove" };
    case "return":
    case "remove":
    case "rewind":
      return work;
  }
}

/** Whether a work moves files, not copies them, from one drive to another. */
export function movesBetweenDrives({ kind, from, to }: FolderWork): boolean {
  return kind !== "copy" && kind !== "fork" && to !== null && to.drive !== from.drive;
}

/** Whether a work fills an entry of the trash, or takes from it. */
export function usesEntry(work: FolderWork, entry: TrashPk): boolean {
  return (work.kind === "remove" || work.kind === "restore") && work.trash === entry;
}

/** Whether a path is inside a folder that a work changes or reads. */
export function reachesInto(work: FolderWork, drive: DrivePk, path: FolderPath): boolean {
  return placesOf(work).some((place) => place.drive === drive && path.startsWith(place.top));
}

/** Whether a folder, anything in it, or a folder above it is among what a work changes or reads. */
export function overlaps(work: FolderWork, drive: DrivePk, path: FolderPath): boolean {
  const meets = ({ drive: other, top }: WorkPlace) =>
    other === drive && (path.startsWith(top) || top.startsWith(path));
  return placesOf(work).some(meets);
}

/** Whether a work reads a snapshot, or brings back what it has. A rewind also needs the newest one, which undoes it. */
export function usesSnapshot(work: FolderWork, snapshot: SnapshotPk, isNewest: boolean): boolean {
  if (work.kind === "rewind") return isNewest || work.snapshot === snapshot;
  return work.kind === "fork" && work.snapshot === snapshot;
}

/**
 * The source and, where there is one, the destination of a work. A snapshot does not change, so a fork has no source
 * that others must leave alone.
 */
export function placesOf({ kind, from, to }: FolderWork): readonly WorkPlace[] {
  if (kind === "fork") return to === null ? [] : [to];
  return to === null ? [from] : [from, to];
}
