import { call } from "./api.ts";
import type { FolderRecord } from "./types.ts";

/** A page of the folders that stand in a folder, in path order. */
export interface FoldersPage {
  readonly data: readonly FolderRecord[];
  /** Folders in the folder, on all pages. */
  readonly total: number;
  readonly next_cursor: string | null;
}

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

/**
 * Orders paths as the server does, by their UTF-8 bytes. The language's own order differs: it puts what
 * takes two UTF-16 units before U+E000 to U+FFFF.
 */
export function comparePaths(one: string, other: string): number {
  const end = Math.min(one.length, other.length);
  let at = 0;
  while (at < end && one.charCodeAt(at) === other.charCodeAt(at)) at += 1;
  if (at === end) return one.length - other.length;
  return rank(one.charCodeAt(at)) - rank(other.charCodeAt(at));
}

/** Surrogates, which all stand for something beyond U+FFFF, after everything else. */
function rank(unit: number): number {
  return unit >= 0xd800 && unit <= 0xdfff ? unit + 0x10000 : unit;
}
