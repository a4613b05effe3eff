/** The expected file. */
export interface ModelFile {
  readonly id: string;
  size: number;
  tags: string[];
  /** Milliseconds since the epoch; Infinity for never. */
  expiresAt: number;
}

/** The expected files and folders of a drive, stored in the simplest way. */
export class ModelDrive {
  readonly id: string;
  readonly files = new Map<string, ModelFile>();
  readonly folders = new Set<string>();

  constructor(id: string) {
    this.id = id;
  }

  /** Removes expired files. */
  expire(now: number): void {
    for (const [path, file] of this.files) if (file.expiresAt <= now) this.files.delete(path);
  }

  /** Whether a new file may be at a path. */
  hasPlaceFor(path: string): boolean {
    return (
      !this.folders.has(`${path}/`) && ancestors(path).every((folder) => !this.files.has(folder.slice(0, -1)))
    );
  }

  set(path: string, file: ModelFile): void {
    for (const folder of ancestors(path)) this.folders.add(folder);
    this.files.set(path, file);
  }

  paths(prefix: string): string[] {
    return [...this.files.keys()].filter((path) => path.startsWith(prefix)).toSorted();
  }

  /** The folders whose next `/` after the prefix is their last. */
  foldersAt(prefix: string): string[] {
    const isNext = (path: string) => path.indexOf("/", prefix.length) === path.length - 1;
    return [...this.folders]
      .filter((path) => path.startsWith(prefix) && path !== prefix && isNext(path))
      .toSorted();
  }

  size(paths: readonly string[]): number {
    return paths.reduce((sum, path) => sum + (this.files.get(path)?.size ?? 0), 0);
  }
}

/** `a/`, `a/b/` of `a/b/c`. */
export function ancestors(path: string): string[] {
  const found: string[] = [];
  for (let at = path.indexOf("/"); at !== -1; at = path.indexOf("/", at + 1))
    found.push(path.slice(0, at + 1));
  return found;
}

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
