import { parentOf } from "./place.ts";
import type { Written } from "../written.ts";

/** A folder that is there now, with all above it, or that is there no more, with all below it. */
export interface FolderChange {
  readonly kind: "came" | "went";
  readonly drive: string;
  /** Ends with a slash; empty for the root. */
  readonly path: string;
  /** Whether it is known to have folders in it. */
  readonly hasFolders: boolean;
}

/**
 * What a request did to folders. Whatever is answered with a drive and a path, a file or a folder, stands
 * there now; what the body of a deletion or a move names does not.
 */
export function folderChangesOf({ method, path, body, answer }: Written): FolderChange[] {
  const changes: FolderChange[] = [];
  const isDeletion = path === "/v0/folders" && method === "DELETE" && isConfirmed(body);
  const left = isDeletion || path === "/v0/folders/move" ? placeIn(body) : null;
  if (left !== null) changes.push({ kind: "went", ...left });
  const came = placeIn(answer);
  if (came !== null && method !== "DELETE") changes.push({ kind: "came", ...came });
  return changes;
}

/** The folder that a record or a request names: itself, or the one that a file stands in. */
function placeIn(value: unknown): Omit<FolderChange, "kind"> | null {
  if (typeof value !== "object" || value === null || !("drive_id" in value) || !("path" in value))
    return null;
  const { drive_id: drive, path } = value;
  if (typeof drive !== "string" || typeof path !== "string") return null;
  const hasFolders = "has_folders" in value && value.has_folders === true;
  return { drive, path: path.endsWith("/") ? path : parentOf(path), hasFolders };
}

/** Without it, a deletion only says what would go. */
function isConfirmed(body: unknown): boolean {
  return typeof body === "object" && body !== null && "confirm" in body && body.confirm === true;
}
