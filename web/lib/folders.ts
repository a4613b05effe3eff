import { call } from "./api.ts";
import type { FoldersPage } from "./types.ts";

interface FoldersRequest {
  readonly limit: number;
  /** A `next_cursor`; without one, the first page. */
  readonly cursor?: string | undefined;
  readonly signal: AbortSignal;
}

/**
 * One page of the folders directly in `folder`.
 *
 * @throws ApiError with status 404 where there is no such folder
 */
export function listFolders(drive: string, folder: string, request: FoldersRequest): Promise<FoldersPage> {
  const { limit, cursor, signal } = request;
  const query = new URLSearchParams({
    drive_id: drive,
    path: folder,
    limit: String(limit),
    ...(cursor === undefined ? {} : { cursor }),
  });
  return call("GET", `/v0/folders?${query}`, { signal });
}
