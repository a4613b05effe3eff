import { call } from "../api/api.ts";
import type { FoldersPage } from "../api/types.ts";

interface FoldersRequest {
  readonly limit: number;
  /** 1 and up; without one, the first. */
  readonly page?: number;
  /** A `next_cursor`, which goes on from there instead. */
  readonly cursor?: string | undefined;
  readonly signal?: AbortSignal;
}

/**
 * One page of the folders directly in `folder`, by their names.
 *
 * @throws ApiError with status 404 where there is no such folder
 */
export function listFolders(drive: string, folder: string, request: FoldersRequest): Promise<FoldersPage> {
  const { limit, page = 1, cursor, signal } = request;
  const query = new URLSearchParams({
    drive_id: drive,
    path: folder,
    sort: "name",
    limit: String(limit),
    page: String(page),
    ...(cursor === undefined ? {} : { cursor }),
  });
  return call("GET", `/v0/folders?${query}`, signal === undefined ? {} : { signal });
}
