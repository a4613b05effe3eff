import { type File, type Metadata, parseExpiry, parseMetadata, parseTags } from "./file.ts";
import {
  containingFolder,
  type Filename,
  type FilePath,
  lastSegment,
  parseFilename,
  parseFilePath,
} from "./path.ts";

/** What a PATCH changes, as sent; undefined fields stay as they are. */
export interface FileChanges {
  readonly filename: string | undefined;
  readonly path: string | undefined;
  readonly tags: readonly string[] | undefined;
  readonly metadata: Metadata | undefined;
  readonly expiresAt: string | null | undefined;
}

type Attributes = Pick<File, "tags" | "metadata" | "expiresAt">;

/**
 * The last segment of a new path becomes the filename, unless one is given; a new filename alone also changes the
 * path's last segment, if the two were the same. Throws VALIDATION_ERROR.
 */
export function parseRename(
  file: Pick<File, "filename" | "path">,
  changes: FileChanges,
): { filename: Filename; path: FilePath } {
  const sent = changes.filename === undefined ? null : parseFilename("filename", changes.filename);
  if (changes.path !== undefined) {
    const path = parseFilePath("path", changes.path, sent ?? file.filename);
    return { path, filename: sent ?? (path === file.path ? file.filename : lastSegment(path)) };
  }
  if (sent === null) return { filename: file.filename, path: file.path };
  const follows = lastSegment(file.path) === file.filename.normalize("NFC");
  const path = follows ? parseFilePath("filename", containingFolder(file.path) + sent, sent) : file.path;
  return { filename: sent, path };
}

/** What a file's attributes become. Throws VALIDATION_ERROR. */
export function parseAttributes(file: Attributes, changes: FileChanges, now: number): Attributes {
  return {
    tags: changes.tags === undefined ? file.tags : parseTags("tags", changes.tags),
    metadata: changes.metadata === undefined ? file.metadata : parseMetadata("metadata", changes.metadata),
    expiresAt:
      changes.expiresAt === undefined ? file.expiresAt : parseExpiry("expires_at", changes.expiresAt, now),
  };
}
