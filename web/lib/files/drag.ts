import { downloadAddress, type Entry, nameOf, parentOf } from "../files.ts";

/** The type of data by which a drag of files and folders of ours is told from one of files of the computer. */
export const OWN_DRAG = "application/x-coffer-entries";

/** Whether these can be moved into a folder: it is another than they are in, and none of them nor in one. */
export function mayGoInto(entries: readonly Entry[], folder: string): boolean {
  return entries.every(
    ({ kind, path }) => parentOf(path) !== folder && !(kind === "folder" && folder.startsWith(path)),
  );
}

/**
 * What Chromium downloads where a single file is dropped outside of the browser; null for anything else.
 *
 * @param server see `serverAddress`
 */
export function downloadOf(entries: readonly Entry[], server: string): string | null {
  const [entry] = entries;
  if (entry?.kind !== "file" || entries.length > 1) return null;
  const { mime_type: type, id } = entry.file;
  // Colons part what it says. No parameters either, in which there may be anything.
  const [bare = ""] = type.split(";");
  const name = nameOf(entry.path).replaceAll(":", "_");
  return `${bare.replaceAll(":", "")}:${name}:${server}${downloadAddress(id)}`;
}
