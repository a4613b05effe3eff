import { createContext } from "preact";
import type { ThumbnailSize } from "../../../src/domain/contents/thumbnail.ts";
import { orNull } from "../api/api.ts";
import { downloadAddress, etagOf, getFileAt, nameOf, parentOf } from "../files.ts";
import { fileAddress, folderAddress } from "../files/place.ts";
import type { FileRecord } from "../api/types.ts";

/** What the preview needs to know of a file. */
export type ShownFile = Pick<
  FileRecord,
  "id" | "path" | "filename" | "mime_type" | "size" | "updated_at" | "content_hash"
>;

/** What of a file says which small picture there is of it. */
export type ThumbnailOf = Pick<ShownFile, "id" | "mime_type" | "size" | "content_hash">;

/** Where the contents of shown files come from. */
export interface ContentSource {
  /** The address of a content, to save it. */
  readonly download: (file: ShownFile) => string;
  /** The same, to show it. */
  readonly inline: (file: ShownFile) => string;
  /** Where the text of a document is read. */
  readonly text: (file: ShownFile) => string;
  /** The address of a small picture of it, of just this content: browsers show what they have from an address. */
  readonly thumbnail: (file: ThumbnailOf, size: ThumbnailSize) => string;
  /** What documents may lead to by its path; null where that is nothing. */
  readonly near: NearFiles | null;
}

/** The files of the same drive or link. */
export interface NearFiles {
  /** Null where there is none at the path. */
  readonly find: (path: string, signal: AbortSignal) => Promise<ShownFile | null>;
  /** The address of the page that shows it. A path that ends with a slash, or is empty, is a folder's. */
  readonly address: (path: string) => string;
}

/** The files of those who are signed in. */
const OWN_FILES: ContentSource = {
  download: ({ id }) => downloadAddress(id),
  inline: ({ id }) => `${downloadAddress(id)}?inline=1`,
  text: ({ id }) => `/v0/files/${id}/extract`,
  thumbnail: ({ id, content_hash: hash }, size) =>
    `/v0/files/${id}/thumbnail?${new URLSearchParams({ size, if_match: etagOf(hash) })}`,
  near: null,
};

/** The files of a drive. @param place the drive as the address names it */
export function driveContents(driveId: string, place: string): ContentSource {
  const address = (path: string) =>
    path === "" || path.endsWith("/")
      ? folderAddress(place, path)
      : fileAddress(place, parentOf(path), nameOf(path));
  return {
    ...OWN_FILES,
    near: { find: (path, signal) => orNull(getFileAt(driveId, path, signal)), address },
  };
}

export const ContentSourceContext = createContext<ContentSource>(OWN_FILES);
