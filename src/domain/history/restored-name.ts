import { SEGMENT_BYTES } from "../limits.ts";
import { startOf, utf8Length } from "../contents/texts/text.ts";

/** A longer ending of a name is not taken for its type. */
const EXTENSION_BYTES = 32;

/**
 * The name of what is restored beside something else: `plan (restored).md`, then `plan (restored 2).md`. A name that
 * would be too long loses the end of its stem.
 *
 * @param n 1 for the first try
 */
export function restoredName(name: string, kind: "file" | "folder", n: number): string {
  const mark = n === 1 ? " (restored)" : ` (restored ${n})`;
  const extension = kind === "file" ? extensionOf(name) : "";
  const stem = name.slice(0, name.length - extension.length);
  return startOf(stem, SEGMENT_BYTES - utf8Length(mark + extension)) + mark + extension;
}

function extensionOf(name: string): string {
  const dot = name.lastIndexOf(".");
  const extension = dot <= 0 ? "" : name.slice(dot);
  return utf8Length(extension) > EXTENSION_BYTES ? "" : extension;
}
