import { computed } from "@preact/signals-core";
import { compareNames, type Sort, sortFolders } from "../../../lib/files/sort.ts";
import type { FolderRecord, ListPage } from "../../../lib/api/types.ts";
import { PagedList } from "./paged-list.ts";

/**
 * The folders of a listing in its order, made of the API's only one, by name ascending: turned round, or,
 * where one page holds them all, put in order here.
 */
export class FolderRows {
  readonly #list: PagedList<FolderRecord>;
  readonly #pageSize: number;
  readonly #sort: Sort;
  readonly #sorted = computed(() => {
    const all = Array.from({ length: this.total }, (_, index) => this.#list.at(index));
    return sortFolders(
      all.filter((folder) => folder !== undefined),
      this.#sort,
    );
  });

  constructor(sort: Sort, pageSize: number, read: (page: number) => Promise<ListPage<FolderRecord>>) {
    this.#sort = sort;
    this.#pageSize = pageSize;
    this.#list = new PagedList({
      size: pageSize,
      read,
      keyOf: ({ path }) => path,
      compare: (one, other) => compareNames(one.path, other.path),
    });
  }

  /** Loaded or not. */
  get total(): number {
    return this.#list.total;
  }

  get ready(): boolean {
    return this.#list.ready;
  }

  get loaded(): number {
    return this.#list.loaded;
  }

  /** Whether they stay by name since they are too many to be put in the order that was asked for. */
  get isByNameOnly(): boolean {
    return this.#sort.key === "size" && this.total > this.#pageSize;
  }

  /** What stands in a row, from 0; undefined where it is not loaded. */
  at(row: number): FolderRecord | undefined {
    return this.#isSortedHere ? this.#sorted.value[row] : this.#list.at(this.#turned(row));
  }

  /** The row of a folder; undefined where it is not loaded. */
  rowOf(path: string): number | undefined {
    const index = this.#list.indexOf(path);
    if (index === undefined) return undefined;
    if (!this.#isSortedHere) return this.#turned(index);
    return this.#sorted.value.findIndex((folder) => folder.path === path);
  }

  /** Asks for the first page of the API's order. */
  start(): Promise<void> {
    return this.#list.load(1);
  }

  /** Loads what is missing among these rows. Rejects where a page cannot be had. */
  ensure(first: number, last: number): Promise<void> {
    const [one, other] = [this.#turned(first), this.#turned(last)];
    return this.#list.ensure(Math.min(one, other), Math.max(one, other));
  }

  /** See `PagedList.put`. */
  put(folder: FolderRecord): boolean {
    return this.#list.put(folder);
  }

  /** See `PagedList.remove`. */
  remove(path: string): boolean {
    return this.#list.remove(new Set([path]));
  }

  /** The index in the API's order for a row, or the row for an index. */
  #turned(row: number): number {
    return this.#sort.key === "name" && this.#sort.descending ? this.total - 1 - row : row;
  }

  get #isSortedHere(): boolean {
    return this.#sort.key === "size" && !this.isByNameOnly;
  }
}
