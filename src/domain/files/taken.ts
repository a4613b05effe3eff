import { SEGMENT_BYTES } from "../limits.ts";
import { startOf, utf8Length } from "../contents/texts/text.ts";

/** What becomes of a file or folder whose place is taken. */
export const ON_CONFLICT = ["fail", "replace", "keep_both", "skip"] as const;
export type OnConflict = (typeof ON_CONFLICT)[number];

/** A longer ending of a name is not taken for its type. */
const EXTENSION_BYTES = 32;

/** A name beside another, such as `plan (2).md`. A stem that is too long loses its end. @param mark such as ` (2)` */
export function nameBeside(name: string, kind: "file" | "folder", mark: string): string {
  const extension = kind === "file" ? extensionOf(name) : "";
  const stem = name.slice(0, name.length - extension.length);
  return startOf(stem, SEGMENT_BYTES - utf8Length(mark + extension)) + mark + extension;
}

function extensionOf(name: string): string {
  const dot = name.lastIndexOf(".");
  const extension = dot <= 0 ? "" : name.slice(dot);
  return utf8Length(extension) > EXTENSION_BYTES ? "" : extension;
}
