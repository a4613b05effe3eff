import { invalid } from "../../domain/errors.ts";
import { decodeCursor, encodeCursor } from "../operation/cursor.ts";

/** Where the list of a folder goes on: in its folders or, after these, in its files; null at their start. */
export interface FolderPosition {
  readonly among: "folders" | "files";
  /** A path. */
  readonly after: string | null;
}

const MARKS = { folders: "d", files: "f" } as const;

/** An opaque cursor. */
export function encodeFolderPosition({ among, after }: FolderPosition): string {
  return encodeCursor(MARKS[among] + (after ?? ""));
}

/** Throws VALIDATION_ERROR for a cursor that `encodeFolderPosition` did not return. */
export function decodeFolderPosition(cursor: string): FolderPosition {
  const text = decodeCursor(cursor);
  const after = text.length === 1 ? null : text.slice(1);
  if (text.startsWith(MARKS.folders)) return { among: "folders", after };
  if (text.startsWith(MARKS.files)) return { among: "files", after };
  throw invalid("cursor", "must be the next_cursor of an earlier page");
}
