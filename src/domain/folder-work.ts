import type { DrivePk } from "./id.ts";
import type { FolderPath } from "./path.ts";

/** One end of a work. */
export interface WorkPlace {
  readonly drive: DrivePk;
  /** The folder that is taken from here, or comes here. */
  readonly path: FolderPath;
  /** The topmost folder that the work makes here, or takes away: `path` itself or one that it stands in. */
  readonly top: FolderPath;
}

/** A folder with all that is in it on its way to another place. `return` is a move that is taken back. */
export interface FolderTransferWork {
  readonly kind: "copy" | "move" | "return";
  readonly from: WorkPlace;
  readonly to: WorkPlace;
}

/** A folder with all that is in it on its way out. */
export interface FolderRemovalWork {
  readonly kind: "remove";
  readonly from: WorkPlace;
  readonly to: null;
}

/** A copy, move or removal of a folder, which may take many transactions. */
export type FolderWork = FolderTransferWork | FolderRemovalWork;

/** The work that undoes what was done of another; the same work where that can only be carried to its end. */
export function takenBack(work: FolderWork): FolderWork {
  switch (work.kind) {
    case "copy":
      return { kind: "remove", from: { ...work.to, path: work.to.top }, to: null };
    case "move":
      return { kind: "return", from: work.to, to: work.from };
    case "return":
    case "remove":
      return work;
  }
}

/** Whether a work goes from one drive to another and takes what it moves along. */
export function movesBetweenDrives({ kind, from, to }: FolderWork): boolean {
  return kind !== "copy" && to !== null && to.drive !== from.drive;
}

/** Whether what stands at a path, or would, is among what a work changes or needs as it is. */
export function reachesInto(work: FolderWork, drive: DrivePk, path: FolderPath): boolean {
  return placesOf(work).some((place) => place.drive === drive && path.startsWith(place.top));
}

/** Whether a work changes, or needs as it is, anything in a folder or below, or what the folder stands in. */
export function overlaps(work: FolderWork, drive: DrivePk, path: FolderPath): boolean {
  const meets = ({ drive: other, top }: WorkPlace) =>
    other === drive && (path.startsWith(top) || top.startsWith(path));
  return placesOf(work).some(meets);
}

/** The ends of a work. */
export function placesOf({ from, to }: FolderWork): readonly WorkPlace[] {
  return to === null ? [from] : [from, to];
}
