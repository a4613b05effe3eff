import { call } from "./api/api.ts";
import type { Change, CursorPage, FileRecord } from "./api/types.ts";

/** How many changes of a drive are looked through. */
const LIMIT = "100";

/** The change that made a file what it is now; null where it is not among the last ones of its drive. */
export async function lastChangeOf(file: FileRecord, signal: AbortSignal): Promise<Change | null> {
  const query = new URLSearchParams({ drive_id: file.drive_id, sort: "-id", limit: LIMIT });
  const { data } = await call<CursorPage<Change>>("GET", `/v0/changes?${query}`, { signal });
  return data.find(({ file_id: id, type }) => id === file.id && type.startsWith("file.")) ?? null;
}
