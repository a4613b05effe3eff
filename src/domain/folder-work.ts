import type { DrivePk, TrashPk } from "./id.ts";
import type { FolderPath } from "./path.ts";

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

/** A copy, move, removal or restore of a folder, which may take many transactions. */
export type FolderWork = FolderTransferWork | FolderRemovalWork | FolderRestoreWork;

/** The work that undoes another one. A return or removal cannot be undone, only finished: it is its own result. */
export function undoOf(work: FolderWork): FolderWork {
  switch (work.kind) {
    case "copy":
      return { kind: "remove", from: { ...work.to, path: work.to.top }, to: null, trash: null };
    case "move":
      return { kind: "return", from: work.to, to: work.from };
    case "restore":
      return { ...work, kind: "remove" };
    case "return":
    case "remove":
      return work;
  }
}

/** Whether a work moves files, not copies them, from one drive to another. */
export function movesBetweenDrives({ kind, from, to }: FolderWork): boolean {
  return kind !== "copy" && to !== null && to.drive !== from.drive;
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

/** The source and, where there is one, the destination of a work. */
export function placesOf({ from, to }: FolderWork): readonly WorkPlace[] {
  return to === null ? [from] : [from, to];
}
