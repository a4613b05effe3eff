import { ARCHIVE_PATHS } from "../../../src/domain/limits.ts";

/** Longer addresses are refused on the way by one or another proxy; in characters. */
const LONGEST = 8000;

/** The address of one ZIP of these files and folders; null where they are too many to be named in it. */
export function archiveAddress(drive: string, paths: readonly string[]): string | null {
  const address = addressOf(drive, paths);
  return paths.length > ARCHIVE_PATHS || address.length > LONGEST ? null : address;
}

/** The address of a ZIP of a folder, or of the whole drive for `""`. */
export function folderArchiveAddress(drive: string, folder: string): string {
  return addressOf(drive, folder === "" ? [] : [folder]);
}

function addressOf(drive: string, paths: readonly string[]): string {
  const query = new URLSearchParams({ drive_id: drive });
  for (const path of paths) query.append("path", path);
  return `/v0/archive?${query.toString()}`;
}
