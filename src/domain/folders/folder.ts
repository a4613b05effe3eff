import type { DrivePk, FolderPk, SnapshotPk, TrashPk } from "../id.ts";
import type { FolderPath } from "../files/path.ts";
import { CofferError, invalid } from "../errors.ts";
import { PATH_BYTES } from "../limits.ts";
import { utf8Length } from "../contents/texts/text.ts";

/** What a folder's record shows: the counts of what it holds. */
export interface FolderFacts {
  readonly path: FolderPath;
  /** Files anywhere below, and their bytes. */
  readonly fileCount: number;
  readonly totalSize: number;
  readonly ownFileCount: number;
  readonly ownFolderCount: number;
  /** Milliseconds since the epoch. */
  readonly createdAt: number;
}

/** The orders of a list of folders. */
export const FOLDER_SORTS = ["path", "name"] as const;
export type FolderSort = (typeof FOLDER_SORTS)[number];

export interface Folder extends FolderFacts {
  readonly pk: FolderPk;
}

export interface WorkPlace {
  readonly drive: DrivePk;
  /** The folder at this end: taken from here, or put here. */
  readonly path: FolderPath;
  /** The topmost folder that the work creates or removes here: `path` itself or one above it. */
  readonly top: FolderPath;
}

interface WorkOf<Kind extends string, To extends WorkPlace | null> {
  readonly kind: Kind;
  readonly from: WorkPlace;
  readonly to: To;
}

/** A copy or move of a folder with everything in it. `return` undoes a move. */
export type FolderTransferWork = WorkOf<"copy" | "move" | "return", WorkPlace>;

export interface FolderRemovalWork extends WorkOf<"remove", null> {
  /** The entry of the trash that all of it goes into; null if nothing is kept. */
  readonly trash: TrashPk | null;
}

/** The return of a folder from the trash. `reinstate` undoes a removal. */
export interface FolderRestoreWork extends WorkOf<"restore" | "reinstate", null> {
  readonly trash: TrashPk;
}

export interface Tally {
  removed: number;
  restored: number;
}

/** The return of a folder, or of a whole drive, to what a snapshot has. */
export interface FolderRewindWork extends WorkOf<"rewind", null> {
  readonly snapshot: SnapshotPk;
  /** For the response; it is not recorded. */
  readonly tally: Tally;
}

/** The copy of what a snapshot has into a new drive, which nobody sees until its end. */
export interface FolderForkWork extends WorkOf<"fork", WorkPlace> {
  readonly snapshot: SnapshotPk;
  /** Whether the snapshot was taken for it, and goes with it. */
  readonly ownsSnapshot: boolean;
}

export interface Undoable {
  readonly work: FolderWork;
  readonly isUndone: boolean;
}

/** A change of a folder or drive with everything in it, which may take many transactions. */
export type FolderWork =
  FolderTransferWork | FolderRemovalWork | FolderRestoreWork | FolderRewindWork | FolderForkWork;

/** What takes back a work; null where that only stops: what is done stays, or, of a fork, goes unseen. */
function undoOf(work: FolderWork): FolderWork | null {
  switch (work.kind) {
    case "copy":
      return { kind: "remove", from: { ...work.to, path: work.to.top }, to: null, trash: null };
    case "move":
      return { kind: "return", from: work.to, to: work.from };
    case "remove":
      return work.trash === null ? null : { ...work, kind: "reinstate", trash: work.trash };
    case "restore":
      return { ...work, kind: "remove" };
    case "fork":
    case "rewind":
    case "return":
    case "reinstate":
      return null;
  }
}

/** What is being done of a work: itself, or what takes it back. Null if it only stops. */
export function doneOf({ work, isUndone }: Undoable): FolderWork | null {
  return isUndone ? undoOf(work) : work;
}

export function leavesHalf(work: FolderWork): boolean {
  return work.kind !== "fork" && undoOf(work) === null;
}

/** Whether it goes on after a failure or restart; others, for which nobody may wait, are taken back. */
export function goesOn({ kind }: FolderWork): boolean {
  return kind === "remove" || kind === "rewind";
}

export function givenUp(work: FolderWork): CofferError {
  const what =
    work.kind === "rewind"
      ? "What was done until then stays; the newest snapshot has what was there before."
      : leavesHalf(work)
        ? "What was deleted until then stays deleted."
        : "All is as it was before.";
  return new CofferError("CONFLICT", `Somebody gave this change up before its end. ${what}`);
}

/** Whether a work moves files, not copies them, from one drive to another. */
export function movesBetweenDrives({ kind, from, to }: FolderWork): boolean {
  return kind !== "copy" && kind !== "fork" && to !== null && to.drive !== from.drive;
}

/** Throws VALIDATION_ERROR if a path gets too long. @param longest in bytes; relative to the folder in the trash */
export function requireShortPaths(
  { from, to }: FolderTransferWork | FolderRestoreWork,
  longest: number,
): void {
  const bytes =
    to === null ? longest + utf8Length(from.path) : longest - utf8Length(from.path) + utf8Length(to.path);
  if (bytes <= PATH_BYTES) return;
  throw to === null
    ? invalid("path", `must be shorter: a path in the folder would be longer than ${PATH_BYTES} bytes`)
    : invalid("destination_path", `must not make a path in the folder longer than ${PATH_BYTES} bytes`);
}

/** The source and destination. A fork has no source that others must leave alone: a snapshot does not change. */
export function placesOf({ kind, from, to }: FolderWork): readonly WorkPlace[] {
  if (kind === "fork") return to === null ? [] : [to];
  return to === null ? [from] : [from, to];
}
