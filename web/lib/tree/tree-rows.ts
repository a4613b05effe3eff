import type { Level, TreeFolder } from "./tree-level.ts";

interface FolderRow {
  readonly kind: "folder";
  readonly key: string;
  /** Empty for the drive itself. */
  readonly path: string;
  /** From 1, which is the drive itself. */
  readonly depth: number;
  /** From 1, among the folders of its level; null where it is not known how many come before. */
  readonly position: number | null;
  /** Of its level; -1 while it is not known. */
  readonly size: number;
  /** Null where there is nothing in it to open. */
  readonly isOpen: boolean | null;
}

/** The end of a level of which not all is there: to be loaded, on its way, or not to be had. */
interface TailRow {
  readonly kind: "more" | "loading" | "failed";
  readonly key: string;
  /** The folder whose level it ends. */
  readonly path: string;
  readonly depth: number;
  /** Folders that are not shown; null where it is not known how many. */
  readonly missing: number | null;
}

/** A line of a tree. No two have the same key. */
export type TreeRow = FolderRow | TailRow;

/** What a tree knows of a drive's folders, each by its path. */
export interface Known {
  readonly levels: ReadonlyMap<string, Level>;
  readonly open: ReadonlySet<string>;
  /** Those of whose levels the last page that was asked for did not come. */
  readonly failed: { readonly has: (path: string) => boolean };
}

/** The lines of a drive's tree, of those levels that are open, from the top. */
export function rowsOf({ levels, open, failed }: Known): TreeRow[] {
  const rows: TreeRow[] = [];
  const show = (folder: TreeFolder, depth: number, position: number | null, size: number): void => {
    const { path, hasFolders } = folder;
    const level = levels.get(path);
    const isOpen = hasFolders ? open.has(path) && level !== undefined : null;
    rows.push({ kind: "folder", key: path, path, depth, position, size, isOpen });
    if (isOpen !== true || level === undefined) return;
    const tail = tailOf(path, level, depth + 1, failed.has(path));
    // What is missing stands before those that are known beyond it, if anything came before it.
    const gap = level.loaded === 0 ? level.folders.length : level.loaded;
    for (const [index, below] of level.folders.entries()) {
      if (index === gap && tail !== null) rows.push(tail);
      const isKnown = level.next === null || index < level.loaded;
      show(below, depth + 1, isKnown ? index + 1 : null, level.total ?? -1);
    }
    if (tail !== null && gap >= level.folders.length) rows.push(tail);
  };
  show({ path: "", hasFolders: levels.get("")?.isEmpty !== true }, 1, 1, 1);
  return rows;
}

function tailOf(path: string, level: Level, depth: number, hasFailed: boolean): TailRow | null {
  const { next, request, total, folders } = level;
  if (!hasFailed && next === null) return null;
  const kind = request !== null ? "loading" : hasFailed ? "failed" : "more";
  return { kind, key: path + kind, path, depth, missing: total === null ? null : total - folders.length };
}
