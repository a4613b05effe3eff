import { ask, call, orNull } from "./api/api.ts";
import type { ContentSource, ShownFile } from "./contents/content-source.ts";
import { etagOf } from "./files.ts";
import type { Shared, SharedFile, SharedPage } from "./api/types.ts";

const START = "/s/";
/** Of each page of a folder: files, and folders beside them. */
const PAGE = 200;

/** Whether an address shows what a link leads to. */
export function isSharedPath(path: string): boolean {
  return path.startsWith(START);
}

/** The token in such an address, percent-encoded. */
export function sharedTokenIn(path: string): string {
  return path.slice(START.length).replace(/\/.*/, "");
}

/** The address that shows a file or, with a slash at its end, a folder; `""` is all that the link shows. */
export function sharedAddress(token: string, path: string): string {
  return `${START}${token}${path === "" ? "" : `?${new URLSearchParams({ path })}`}`;
}

/** What a link leads to. Fails with 401 if a password is to be given first. */
export function getShared(token: string, signal: AbortSignal): Promise<Shared> {
  return call("GET", `/v0/shared/${token}`, { signal });
}

/** Gives the password. The browser keeps the answer's cookie. */
export async function unlockShared(token: string, password: string): Promise<void> {
  await call("POST", `/v0/shared/${token}/unlock`, { body: { password } });
}

/** A page of what is directly in a folder, after a cursor. */
export function listShared(
  token: string,
  folder: string,
  cursor: string | null,
  signal?: AbortSignal,
): Promise<SharedPage> {
  const query = new URLSearchParams({ limit: String(PAGE) });
  if (folder !== "") query.set("prefix", folder);
  if (cursor !== null) query.set("cursor", cursor);
  return call("GET", `/v0/shared/${token}/files?${query}`, signal === undefined ? {} : { signal });
}

/** A file that is not in a list that was loaded. */
export async function getSharedFile(token: string, path: string, signal: AbortSignal): Promise<ShownFile> {
  const { headers } = await ask(sharedDownload(token, path), { method: "HEAD", signal });
  const changedAt = new Date(headers.get("last-modified") ?? 0);
  return {
    id: path,
    path,
    filename: path.slice(path.lastIndexOf("/") + 1),
    mime_type: headers.get("content-type") ?? "application/octet-stream",
    size: Number(headers.get("content-length") ?? 0),
    updated_at: changedAt.toISOString(),
    content_hash: headers.get("etag") ?? "",
  };
}

/** A file of a list as the preview knows it: its path stands for its id. */
export function shownFile(file: SharedFile): ShownFile {
  return { id: file.path, ...file };
}

export function sharedDownload(token: string, path: string): string {
  return `/v0/shared/${token}/download?${new URLSearchParams({ path })}`;
}

/** Where a folder is downloaded from as one ZIP. */
export function sharedArchive(token: string, folder: string): string {
  return `/v0/shared/${token}/archive${folder === "" ? "" : `?${new URLSearchParams({ path: folder })}`}`;
}

/** The contents that a link shows. @param isFolder whether it shows more than one file */
export function sharedContents(token: string, isFolder: boolean): ContentSource {
  return {
    download: ({ id }) => sharedDownload(token, id),
    inline: ({ id }) => `${sharedDownload(token, id)}&inline=1`,
    text: ({ id }) => `/v0/shared/${token}/extract?${new URLSearchParams({ path: id })}`,
    thumbnail: ({ id, content_hash: hash }, size) =>
      `/v0/shared/${token}/thumbnail?${new URLSearchParams({ path: id, size, if_match: etagOf(hash) })}`,
    near: isFolder
      ? {
          find: (path, signal) => orNull(getSharedFile(token, path, signal)),
          address: (path) => sharedAddress(token, path),
        }
      : null,
  };
}
