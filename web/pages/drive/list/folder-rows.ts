import { type Sort, sortFolders } from "../../../lib/files/sort.ts";
import type { FolderRecord, ListPage } from "../../../lib/types.ts";
import { PagedList } from "./paged-list.ts";

/**
 * The folders of a listing in its order, made of the API's only one, by name ascending: turned round, or,
 * where one page holds them all, put in order here.
 */
export class FolderRows {
  readonly #list: PagedList<FolderRecord>;
  readonly #pageSize: number;
  readonly #sort: Sort;
  #sorted: { readonly revision: number; readonly folders: readonly FolderRecord[] } | null = null;

  constructor(sort: Sort, pageSize: number, read: (page: number) => Promise<ListPage<FolderRecord>>) {
    this.#sort = sort;
    this.#pageSize = pageSize;
    this.#list = new PagedList(pageSize, read);
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

  /** How often a page came. */
  get revision(): number {
    return this.#list.revision;
  }

  /** What stands in a row, from 0; undefined where it is not loaded. */
  at(row: number): FolderRecord | undefined {
    return this.#isSortedHere ? this.#inOrder()[row] : this.#list.at(this.#indexOf(row));
  }

  /** The rows that are loaded. */
  rows(): number[] {
    // Which index is in which row is each other's way round.
    return this.#list.indexes().map((index) => this.#indexOf(index));
  }

  /** Asks for the first page of the API's order. */
  start(): Promise<void> {
    return this.#list.load(1);
  }

  /** Loads what is missing among these rows. Rejects where a page cannot be had. */
  ensure(first: number, last: number): Promise<void> {
    const [one, other] = [this.#indexOf(first), this.#indexOf(last)];
    return this.#list.ensure(Math.min(one, other), Math.max(one, other));
  }

  #indexOf(row: number): number {
    return this.#sort.key === "name" && this.#sort.descending ? this.total - 1 - row : row;
  }

  /** Whether they stay by name since they are too many to be put in the order that was asked for. */
  get isByNameOnly(): boolean {
    return this.#sort.key === "size" && this.total > this.#pageSize;
  }

  get #isSortedHere(): boolean {
    return this.#sort.key === "size" && !this.isByNameOnly;
  }

  #inOrder(): readonly FolderRecord[] {
    const { revision, total } = this;
    if (this.#sorted?.revision !== revision) {
      const all = Array.from({ length: total }, (_, index) => this.#list.at(index));
      const folders = sortFolders(
        all.filter((folder) => folder !== undefined),
        this.#sort,
      );
      this.#sorted = { revision, folders };
    }
    return this.#sorted.folders;
  }
}
