import type { FileAtPath, FileFacts } from "../../domain/files/file.ts";
import { parseId } from "../../domain/id.ts";

const START = "coffer://";

/** The template of all files (RFC 6570): a drive's id or slug, and a path whose slashes stay. */
export const FILE_URI_TEMPLATE = `${START}{drive}/{+path}`;

/** A file as a resource. Everything but slashes is percent-encoded, so no name can look like more than a name. */
export function fileUri({ driveId, path }: Pick<FileFacts, "driveId" | "path">): string {
  return `${START}${driveId}/${path.split("/").map(encodeURIComponent).join("/")}`;
}

/** The drive and the path of a resource; null if it is none. The slash of a slug may stay as it is. */
export function parseFileUri(uri: string): FileAtPath | null {
  if (!uri.startsWith(START)) return null;
  const [name = "", ...rest] = uri.slice(START.length).split("/");
  if (rest.length === 0) return null;
  try {
    const drive = decodeURIComponent(name);
    // A slug is two names with a slash between them.
    const isHalf = rest.length > 1 && !drive.includes("/") && parseId(drive) === null;
    const other = isHalf ? `/${decodeURIComponent(rest.shift() ?? "")}` : "";
    return { drive: drive + other, path: decodeURIComponent(rest.join("/")) };
  } catch (error) {
    if (error instanceof URIError) return null;
    throw error;
  }
}

/** Where the dashboard shows a file. Its folder is left out, which may be long and may change. */
export function fileAddress(base: string, { driveId, id }: FileFacts): string {
  return `${base}/drives/${driveId}/?file=${id}`;
}
