import type { ModelFile } from "./model-drive.ts";

/** The expected entry of the trash. */
export interface ModelEntry {
  readonly id: string;
  readonly drive: string;
  readonly kind: "file" | "folder";
  readonly path: string;
  /** By their paths in the entry; of a file's entry, an empty one. */
  readonly files: Map<string, ModelFile>;
  /** Their paths in the entry. */
  readonly folders: readonly string[];
  readonly deletedAt: number;
}

/** What is at a path of a drive. */
export interface Taken {
  readonly hasFile: (path: string) => boolean;
  readonly hasFolder: (path: string) => boolean;
}

/** Where an entry goes back to: its path, or beside what is there. For names without an extension. */
export function nearestPlace(drive: Taken, { kind, path }: Pick<ModelEntry, "kind" | "path">): string {
  const asFile = kind === "folder" ? path.slice(0, -1) : path;
  const [parent, name] = split(asFile);
  const isTaken = (place: string) => drive.hasFile(place) || drive.hasFolder(`${place}/`);
  const place = firstFree(folderFor(drive, parent) + name, isTaken);
  return kind === "folder" ? `${place}/` : place;
}

/** The nearest folder that no file is in the way of. */
function folderFor(drive: Taken, path: string): string {
  if (path === "" || drive.hasFolder(path)) return path;
  const [parent, name] = split(path.slice(0, -1));
  return `${firstFree(folderFor(drive, parent) + name, drive.hasFile)}/`;
}

function firstFree(place: string, isTaken: (place: string) => boolean): string {
  const names = [place, `${place} (restored)`];
  for (let n = 2; names.every(isTaken); n += 1) names.push(`${place} (restored ${n})`);
  return names.find((each) => !isTaken(each)) ?? place;
}

/** The folder of a path, and the name in it. */
function split(path: string): [folder: string, name: string] {
  const end = path.lastIndexOf("/") + 1;
  return [path.slice(0, end), path.slice(end)];
}
