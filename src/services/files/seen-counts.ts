import type { Tables } from "../../db/tables.ts";
import type { Drive } from "../../domain/drives/drive.ts";
import { type FolderPath, parentFolder, ROOT } from "../../domain/files/path.ts";

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
