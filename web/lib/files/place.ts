/** What an address below `/drives/` names: a drive, by slug or id, and a folder in it. */
export interface DrivePlace {
  readonly drive: string;
  /** As the API writes it: `""` for the root, else with a trailing slash. */
  readonly folder: string;
}

const ID = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/;
const START = "/drives/";

/** Reads an address; null where it names no drive. A missing trailing slash is forgiven. */
export function parseDrivePlace(path: string): DrivePlace | null {
  if (!path.startsWith(START)) return null;
  const segments = decodeAll(path.slice(START.length).split("/"));
  if (segments === null) return null;
  const [first = "", second = ""] = segments;
  const hasId = isId(first);
  if (first === "" || (!hasId && second === "")) return null;
  const rest = segments.slice(hasId ? 1 : 2).filter((segment) => segment !== "");
  return {
    drive: hasId ? first : `${first}/${second}`,
    folder: rest.map((segment) => `${segment}/`).join(""),
  };
}

/** Whether a drive or a file is named by its id, rather than by its slug or its name. */
export function isId(name: string): boolean {
  return ID.test(name);
}

/** The address of a folder; `drive` is a slug or an id. */
export function folderAddress(drive: string, folder: string): string {
  const path = folder.split("/").map(encodeURIComponent).join("/");
  return `${START}${drive}/${path}`;
}

/** The address that shows a file above its folder; `file` is its id or its name there. */
export function fileAddress(drive: string, folder: string, file: string): string {
  return `${folderAddress(drive, folder)}?file=${encodeURIComponent(file)}`;
}

/** A typed folder as the API writes it. */
export function asFolder(typed: string): string {
  const path = typed.normalize("NFC").replace(/^\/+|\/+$/g, "");
  return path === "" ? "" : `${path}/`;
}

function decodeAll(segments: readonly string[]): string[] | null {
  try {
    return segments.map(decodeURIComponent);
  } catch {
    // A stray `%`: nobody's address.
    return null;
  }
}
