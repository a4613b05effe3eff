import { compareNames } from "../files/sort.ts";
import type { FoldersPage } from "../api/types.ts";

/** A folder as far as a tree shows it. */
export interface TreeFolder {
  readonly path: string;
  readonly hasFolders: boolean;
}

/** The folders in one folder: those of the pages loaded so far, and others that are known to be there. */
export class Level {
  /** By their names. */
  folders: readonly TreeFolder[] = [];
  /** How many of them came in pages. */
  loaded = 0;
  /** All there are, on every page; null until a page came. */
  total: number | null = null;
  /** Where the next page begins: undefined for the first, null where nothing is missing. */
  next: string | null | undefined = undefined;
  /** What is on its way. */
  request: AbortController | null = null;
  /** The last folder of the pages. */
  #end = "";

  /** Whether it is known that there is nothing in it. */
  get isEmpty(): boolean {
    return this.next === null && this.folders.length === 0;
  }

  get(path: string): TreeFolder | undefined {
    return this.folders.find((folder) => folder.path === path);
  }

  /**
   * Takes a page over; the first one instead of all before. What is known beyond it stays while there is more to come.
   */
  take({ data, total, next_cursor }: FoldersPage, isFirst: boolean): void {
    const page = data.map(({ path, has_folders }) => ({ path, hasFolders: has_folders }));
    const end = page.at(-1)?.path ?? this.#end;
    const before = isFirst ? [] : this.folders.filter(({ path }) => compareNames(path, this.#end) <= 0);
    const beyond = next_cursor === null ? [] : this.folders.filter(({ path }) => compareNames(path, end) > 0);
    this.folders = [...before, ...page, ...beyond];
    this.loaded = before.length + page.length;
    this.total = total;
    this.next = next_cursor;
    this.#end = end;
  }

  /** Puts a folder in its place, or notes that it has folders; whether either was news. */
  add(folder: TreeFolder): boolean {
    const known = this.get(folder.path);
    if (known?.hasFolders === true || (known !== undefined && !folder.hasFolders)) return false;
    const others = this.folders.filter(({ path }) => path !== folder.path);
    this.folders = [...others, folder].toSorted((one, other) => compareNames(one.path, other.path));
    if (known === undefined && this.next === null) this.total = this.folders.length;
    return true;
  }

  remove(folder: string): void {
    this.folders = this.folders.filter(({ path }) => path !== folder);
    if (this.next === null) this.total = this.folders.length;
  }

  setHasFolders(folder: string, hasFolders: boolean): void {
    this.folders = this.folders.map((one) => (one.path === folder ? { path: folder, hasFolders } : one));
  }
}
