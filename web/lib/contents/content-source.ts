import { createContext } from "preact";
import type { ThumbnailSize } from "../../../src/domain/contents/thumbnail.ts";
import { downloadAddress, etagOf } from "../files.ts";
import type { FileRecord } from "../api/types.ts";

/** What the preview needs to know of a file. */
export type ShownFile = Pick<
  FileRecord,
  "id" | "filename" | "mime_type" | "size" | "updated_at" | "content_hash"
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
}

/** The files of those who are signed in. */
const OWN_FILES: ContentSource = {
  download: ({ id }) => downloadAddress(id),
  inline: ({ id }) => `${downloadAddress(id)}?inline=1`,
  text: ({ id }) => `/v0/files/${id}/extract`,
  thumbnail: ({ id, content_hash: hash }, size) =>
    `/v0/files/${id}/thumbnail?${new URLSearchParams({ size, if_match: etagOf(hash) })}`,
};

export const ContentSourceContext = createContext<ContentSource>(OWN_FILES);
