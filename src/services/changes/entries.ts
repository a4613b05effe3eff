import type { Change, NewChange, Stamp } from "../../domain/changes/change.ts";
import type { ContentFacts } from "../../domain/contents/content.ts";
import type { File } from "../../domain/files/file.ts";
import { type FolderWork, movesBetweenDrives, type WorkPlace } from "../../domain/folders/folder.ts";
import type { DrivePk } from "../../domain/id.ts";
import { type FolderPath, ROOT } from "../../domain/files/path.ts";

/** A file as its entry in the feed needs it. */
type Facts = Pick<File, "drivePk" | "path" | "id" | "digest" | "size" | "version">;

export function fileCreated(file: Facts, stamp: Stamp): NewChange {
  return { ...about(file, stamp), type: "file.created", after: contentOf(file), version: file.version };
}

/** The entry of a file whose content or attributes have changed. */
export function fileUpdated(before: Facts, file: Facts, stamp: Stamp): NewChange {
  return {
    ...about(file, stamp),
    type: "file.updated",
    before: contentOf(before),
    after: contentOf(file),
    version: file.version,
  };
}

/** The entries of a moved file: each drive is told only what happened there. */
export function fileMoved(before: Facts, file: Facts, stamp: Stamp): readonly NewChange[] {
  if (before.drivePk !== file.drivePk) return [fileDeleted(before, null, stamp), fileCreated(file, stamp)];
  return [{ ...fileUpdated(before, file, stamp), type: "file.moved", previousPath: before.path }];
}

/** The entry of a file that went. @param trash its entry in the trash; null if it is not kept */
export function fileDeleted(file: Facts, trash: string | null, stamp: Stamp): NewChange {
  return {
    ...about(file, stamp),
    type: "file.deleted",
    before: contentOf(file),
    ...(trash === null ? {} : { ref: trash }),
  };
}

/** The entry of a file that came back from the trash. @param trash the entry that it was there */
export function fileRestored(file: Facts, trash: string, stamp: Stamp): NewChange {
  return { ...fileCreated(file, stamp), type: "file.restored", ref: trash };
}

/** The entry of a new folder. Those above it that were missing have none. */
export function folderCreated(drive: DrivePk, path: FolderPath, stamp: Stamp): NewChange {
  return { drive, type: "folder.created", path, fileCount: 0, stamp };
}

/** The entry of an empty folder that went and is not kept. */
export function folderRemoved(drive: DrivePk, path: FolderPath, stamp: Stamp): NewChange {
  return { drive, type: "folder.deleted", path, fileCount: 0, stamp };
}

/** What an entry about a whole folder says besides its paths. */
interface FolderFacts {
  /** Null if it is not known. */
  readonly fileCount: number | null;
  /** The entry in the trash of a removed folder, or the snapshot that was restored; null if there is none. */
  readonly ref: string | null;
  readonly stamp: Stamp;
}

/** The entries of a work on a folder that has ended. One that nobody asked for has undone another. */
export function folderChanged(
  work: FolderWork,
  { fileCount, ref: id, stamp }: FolderFacts,
): readonly NewChange[] {
  const { from, to } = work;
  const counted = { ...(fileCount === null ? {} : { fileCount }), stamp };
  const at = ({ drive }: WorkPlace, path: FolderPath) => ({ ...counted, drive, path });
  const ref = id === null ? {} : { ref: id };
  if (to === null) {
    if (work.kind === "rewind") {
      const type = from.path === ROOT ? "drive.restored" : "folder.restored";
      return [{ ...at(from, from.path), ...ref, type }];
    }
    const done = work.kind === "restore" ? "folder.restored" : "folder.deleted";
    const type = stamp.by === null ? "folder.updated" : done;
    return [{ ...at(from, from.path), ...ref, type }];
  }
  if (work.kind === "return") {
    return [
      { ...at(from, from.top), type: "folder.updated" },
      { ...at(to, to.path), type: "folder.updated" },
    ];
  }
  const isWithin = from.drive === to.drive;
  const arrived: NewChange = isWithin
    ? {
        ...at(to, to.path),
        type: work.kind === "copy" ? "folder.copied" : "folder.moved",
        previousPath: from.path,
      }
    : { ...at(to, to.path), type: "folder.created" };
  return movesBetweenDrives(work) ? [{ ...at(from, from.path), type: "folder.deleted" }, arrived] : [arrived];
}

/** The entry of a work that was given up, and left what it had done. */
export function folderLeft({ from }: FolderWork, stamp: Stamp): NewChange {
  const type = from.path === ROOT ? "drive.restored" : "folder.updated";
  return { drive: from.drive, type, path: from.path, stamp };
}

function about({ drivePk, path, id }: Facts, stamp: Stamp) {
  return { drive: drivePk, path, fileId: id, stamp };
}

function contentOf({ digest, size }: Facts): ContentFacts {
  return { digest, size };
}

type Told = Pick<
  Change,
  "type" | "path" | "previousPath" | "fileCount" | "ref" | "message" | "before" | "after"
>;

/**
 * A change as it is seen by who sees only one folder; null if it is not about what is in there. What leaves the folder
 * is gone for them, and what comes in is new: the other place is not told, nor why.
 */
export function seenFrom<T extends Told>(change: T, folder: FolderPath): T | null {
  if (folder === ROOT) return change;
  const { previousPath, type } = change;
  const path = partIn(folder, change.path, change);
  const before = previousPath === null ? null : partIn(folder, previousPath, change);
  if (previousPath === null) return path === null ? null : partOf(change, path);
  if (path !== null && before !== null) return { ...partOf(change, path), previousPath: before };
  const kind = type.startsWith("folder.") ? "folder" : "file";
  const alone = { ...change, previousPath: null, ref: null, message: null };
  if (path !== null) return { ...partOf(alone, path), type: `${kind}.created`, before: null };
  if (before === null || type === "folder.copied") return null;
  return { ...partOf(alone, before), type: `${kind}.deleted`, after: null };
}

/** The path of what a change of `path` changes in a folder: itself, or the folder if it is in a folder that changed. */
function partIn(folder: FolderPath, path: string, { type }: Told): string | null {
  if (path.startsWith(folder)) return path;
  const isWhole = /^(?:folder|files)\./.test(type) || type === "drive.restored";
  return isWhole && folder.startsWith(path) ? folder : null;
}

/** A change of a part only; the size of the rest is not told, nor what was said of all. */
function partOf<T extends Told>(change: T, path: string): T {
  return path === change.path || path === change.previousPath
    ? { ...change, path }
    : { ...change, path, fileCount: null, message: null };
}
