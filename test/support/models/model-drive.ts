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
