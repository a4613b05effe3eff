import type { FilePlace, Naming, PastBody } from "../../db/files/files.ts";
import type { FolderChange } from "../../db/folders/folders.ts";
import type { TrashedFile } from "../../db/history/trash.ts";
import type { File } from "../../domain/files/file.ts";
import type { FileId, TrashPk } from "../../domain/id.ts";
import { type FolderPath, parentFolder, ROOT } from "../../domain/files/path.ts";
import type { Tables } from "../../db/tables.ts";
import type { Drive } from "../../domain/drives/drive.ts";

/** What must be known of a file to count it in its folders. */
export type PlacedFile = Pick<File, "pk" | "drivePk" | "folderPk" | "size">;

/** A file, and the place for it or its copy. */
export interface Transfer {
  readonly file: PlacedFile;
  readonly to: FilePlace;
}

/** An entry of the trash that a folder goes into, and where the folder was. */
export interface FolderEntry {
  readonly entry: TrashPk;
  readonly path: FolderPath;
}

/** A file of the trash that is put back; with another name, or null for the one it had. */
export type RestoredFile = Pick<TrashedFile, "pk" | "id" | "size"> & { readonly naming: Naming | null };

export interface Restored {
  readonly file: RestoredFile;
  readonly to: FilePlace;
}

/** A file of a snapshot as it was, and the place for it. */
export interface Past {
  readonly file: PastBody & { readonly id: FileId };
  readonly to: FilePlace;
}

export function arrival({ file, to }: Transfer | Restored | Past): FolderChange {
  return { folder: to.folder, files: 1, bytes: file.size };
}

export function departure({ folderPk, size }: PlacedFile): FolderChange {
  return { folder: folderPk, files: -1, bytes: -size };
}

/** What a caller who is limited to a folder sees of a drive, without expired files. */
export function seenCounts(tables: Tables, drive: Drive, prefix: FolderPath, now: number) {
  if (prefix === ROOT) return { fileCount: drive.fileCount, totalSize: drive.totalSize };
  const folder = tables.folders.byPath(drive.pk, prefix);
  if (folder === null) return { fileCount: 0, totalSize: 0 };
  const expired = tables.fileLists.expiredBelow(drive.pk, parentFolder(prefix), [prefix], now).get(prefix);
  return {
    fileCount: folder.fileCount - (expired?.files ?? 0),
    totalSize: folder.totalSize - (expired?.bytes ?? 0),
  };
}
