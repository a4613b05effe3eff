import { createContext } from "preact";
import { downloadAddress } from "../files.ts";
import type { FileRecord } from "../api/types.ts";

/** What the preview needs to know of a file. */
export type ShownFile = Pick<
  FileRecord,
  "id" | "filename" | "mime_type" | "size" | "updated_at" | "content_hash"
>;

/** Where the contents of shown files come from. */
export interface ContentSource {
  /** The address of a content, to save it. */
  readonly download: (file: ShownFile) => string;
  /** The same, to show it. */
  readonly inline: (file: ShownFile) => string;
  /** Where the text of a document is read. */
  readonly text: (file: ShownFile) => string;
}

/** The files of those who are signed in. */
const OWN_FILES: ContentSource = {
  download: ({ id }) => downloadAddress(id),
  inline: ({ id }) => `${downloadAddress(id)}?inline=1`,
  text: ({ id }) => `/v0/files/${id}/extract`,
};

export const ContentSourceContext = createContext<ContentSource>(OWN_FILES);
