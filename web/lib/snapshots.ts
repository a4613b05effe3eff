import { call } from "./api/api.ts";
import type { Part } from "./api/pages.ts";
import type { CursorPage, Difference, Drive, FileRecord, FolderRecord, Snapshot } from "./api/types.ts";

/** The snapshots of a drive, the newest first. */
export function listSnapshots(drive: string, part: Part, signal: AbortSignal): Promise<CursorPage<Snapshot>> {
  return call("GET", `${ofDrive(drive)}?${new URLSearchParams(part)}`, { signal });
}

/** Takes a snapshot; without a name the server gives one. */
export async function takeSnapshot(
  drive: string,
  name: string,
  headers: Readonly<Record<string, string>>,
): Promise<Snapshot> {
  const body = name === "" ? {} : { name };
  return (await call<{ data: Snapshot }>("POST", ofDrive(drive), { body, headers })).data;
}

/** Deletes a snapshot; the drive stays as it is. */
export async function deleteSnapshot({ id, drive_id: drive }: Snapshot): Promise<void> {
  await call("DELETE", `${ofDrive(drive)}/${id}`);
}

export interface SnapshotRestored {
  readonly files_restored: number;
  readonly files_removed: number;
  /** The snapshot that was taken before, and takes it back. */
  readonly snapshot_id: string;
}

/** Makes a drive what it was, or one folder of it; `path` is empty for all. */
export async function restoreSnapshot(
  drive: string,
  id: string,
  path: string,
  headers: Readonly<Record<string, string>> = {},
): Promise<SnapshotRestored> {
  const body = path === "" ? {} : { path };
  const to = `${ofDrive(drive)}/${id}/restore`;
  return (await call<{ data: SnapshotRestored }>("POST", to, { body, headers })).data;
}

/** Makes a new drive of what a snapshot holds. */
export async function forkSnapshot(
  { id, drive_id: drive }: Snapshot,
  name: string,
  headers: Readonly<Record<string, string>>,
): Promise<Drive> {
  const body = { name, snapshot_id: id };
  return (await call<{ data: Drive }>("POST", `/v0/drives/${drive}/fork`, { body, headers })).data;
}

/** What differs between a snapshot and now, by path. */
export function compareSnapshot(
  { id, drive_id: drive }: Snapshot,
  part: Part,
  signal: AbortSignal,
): Promise<CursorPage<Difference>> {
  return call("GET", `${ofDrive(drive)}/${id}/compare?${new URLSearchParams(part)}`, { signal });
}

/** The folders that stood directly in a folder. */
export function listFoldersInside(
  { id, drive_id: drive }: Snapshot,
  path: string,
  part: Part,
  signal: AbortSignal,
): Promise<CursorPage<FolderRecord>> {
  const query = new URLSearchParams({ drive_id: drive, snapshot_id: id, path, ...part });
  return call("GET", `/v0/folders?${query}`, { signal });
}

/** The files that stood directly in a folder. */
export function listFilesInside(
  { id, drive_id: drive }: Snapshot,
  path: string,
  part: Part,
  signal: AbortSignal,
): Promise<CursorPage<FileRecord>> {
  const query = new URLSearchParams({
    drive_id: drive,
    snapshot_id: id,
    prefix: path,
    delimiter: "/",
    ...part,
  });
  return call("GET", `/v0/files?${query}`, { signal });
}

/** Where a file is downloaded from as it was. */
export function downloadInside({ id, drive_id: drive }: Snapshot, path: string): string {
  const query = new URLSearchParams({ drive_id: drive, path, snapshot_id: id });
  return `/v0/files/by-path/download?${query}`;
}

function ofDrive(drive: string): string {
  return `/v0/drives/${drive}/snapshots`;
}
