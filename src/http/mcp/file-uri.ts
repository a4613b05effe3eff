import type { FileFacts } from "../../domain/file.ts";
import type { FileAtPath } from "../../domain/file-ref.ts";

/** The scheme of files as resources. */
const START = "coffer://";

/** The template of all files (RFC 6570): a drive's id or slug, and a path whose slashes stay. */
export const FILE_URI_TEMPLATE = `${START}{drive}/{+path}`;

/** A file as a resource. Everything but slashes is percent-encoded, so no name can look like more than a name. */
export function fileUri({ driveId, path }: Pick<FileFacts, "driveId" | "path">): string {
  return `${START}${driveId}/${path.split("/").map(encodeURIComponent).join("/")}`;
}

/** The drive and the path of a resource; null if it is none. */
export function parseFileUri(uri: string): FileAtPath | null {
  const slash = uri.indexOf("/", START.length);
  if (!uri.startsWith(START) || slash === -1) return null;
  try {
    return {
      drive: decodeURIComponent(uri.slice(START.length, slash)),
      path: decodeURIComponent(uri.slice(slash + 1)),
    };
  } catch (error) {
    if (error instanceof URIError) return null;
    throw error;
  }
}
