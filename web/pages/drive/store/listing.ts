import { computed, signal } from "@preact/signals-core";
import { type ApiError, asApiError } from "../../../lib/api/api.ts";
import { type Entry, fileEntry, folderEntry, listFiles } from "../../../lib/files.ts";
import { listFolders } from "../../../lib/files/folders.ts";
import { readmeAmong } from "../../../lib/files/readme.ts";
import { compareFiles, fileOrder, type Sort } from "../../../lib/files/sort.ts";
import type { FileRecord, FoldersPage } from "../../../lib/api/types.ts";
import { FolderRows } from "./folder-rows.ts";
import { PagedList } from "./paged-list.ts";

/** Files or folders a request. A free plan asks 60 times a minute, so pages are large. */
const PAGE = 500;
/** Folders of more than this are not loaded whole only to be selected. */
const SELECTABLE = 5000;

/** Rows, from the first to the last. */
export interface RowRange {
  readonly first: number;
  readonly last: number;
}

/** Which of the files one is, from 1, and how many there are. */
export interface FilePlace {
  readonly at: number;
  readonly of: number;
}

/** A row that is kept in mind while the list changes: where it is, and what stands in it. */
export interface RowPlace {
  readonly row: number;
  /** Of the entry; null where it is not loaded. */
  readonly key: string | null;
}

interface FolderListingOptions {
  readonly drive: string;
  readonly folder: string;
  readonly sort: Sort;
  /** Told the first page of the folders whenever it comes; null where there is no such folder. */
  readonly onFolders: (first: FoldersPage | null) => void;
}

/**
 * What stands in one folder, in one order, loaded page by page as it is looked at: a folder of a million
 * files costs what is shown of it. Folders come first in every order.
 */
export class FolderListing {
  readonly sort: Sort;
  /** The rows that were asked for last. */
  seen: RowRange = { first: 0, last: 0 };
  readonly #options: FolderListingOptions;
  readonly #abort = new AbortController();
  readonly #isMissing = signal(false);
  readonly #error = signal<ApiError | null>(null);
  readonly #folders;
  readonly #files: PagedList<FileRecord>;
  readonly #readme = computed(() => readmeAmong(this.#files.items));
  /** Replaces `#folders` once it is loaded. It stays here if loading it failed. */
  #nextFolders: FolderRows | null = null;

  constructor(options: FolderListingOptions) {
    const { drive, folder, sort } = options;
    this.sort = sort;
    this.#options = options;
    this.#folders = signal(this.#newFolders());
    this.#files = new PagedList({
      size: PAGE,
      read: (page) =>
        listFiles(drive, folder, fileOrder(sort), { page, limit: PAGE, signal: this.#abort.signal }),
      keyOf: ({ id }) => id,
      compare: compareFiles(sort),
    });
  }

  /** Whether there is no such folder. */
  get isMissing(): boolean {
    return this.#isMissing.value;
  }

  /** Why what was asked for last did not come. */
  get error(): ApiError | null {
    return this.#error.value;
  }

  get folderCount(): number {
    return this.#folders.value.total;
  }

  get fileCount(): number {
    return this.#files.total;
  }

  /** Whether the folders, too many to be put in order, are by name although the files are not. */
  get hasFoldersByName(): boolean {
    return this.#folders.value.isByNameOnly;
  }

  /** Folders and files together, loaded or not. */
  get count(): number {
    return this.isMissing ? 0 : this.folderCount + this.fileCount;
  }

  get loaded(): number {
    return this.#folders.value.loaded + this.#files.loaded;
  }

  /** Whether it is known how much there is. */
  get ready(): boolean {
    return this.isMissing || (this.#folders.value.ready && this.#files.ready);
  }

  get isSelectable(): boolean {
    return this.count <= SELECTABLE;
  }

  /** The file that says what the folder is about, if there is one among what is loaded. */
  get readme(): FileRecord | null {
    return this.#readme.value;
  }

  /** Whether all that stands in the folder is loaded. */
  get isWhole(): boolean {
    return this.ready && this.loaded >= this.count;
  }

  /** What is shown in a row; undefined where it is not loaded. */
  at(row: number): Entry | undefined {
    if (row >= this.folderCount) {
      const file = this.#files.at(row - this.folderCount);
      return file === undefined ? undefined : fileEntry(file);
    }
    const folder = this.#folders.value.at(row);
    return folder === undefined ? undefined : folderEntry(folder);
  }

  /** The row that an entry stands in; undefined where it is not among what is loaded. */
  rowOf(key: string): number | undefined {
    const file = this.#files.indexOf(key);
    return file === undefined ? this.#folders.value.rowOf(key) : this.folderCount + file;
  }

  /** The place of a file among the files; null where it is not among what is loaded. */
  placeOfFile(id: string): FilePlace | null {
    const index = this.#files.indexOf(id);
    return index === undefined ? null : { at: index + 1, of: this.fileCount };
  }

  /** The file at a place, loaded if need be; null where there is none, or it does not come: see `error`. */
  async fileAt(at: number): Promise<FileRecord | null> {
    const row = this.folderCount + at - 1;
    const [entry] = await this.among({ first: row, last: row });
    return entry?.kind === "file" ? entry.file : null;
  }

  /** Keeps a row in mind, for `rowAt` of this listing or a later one of the folder. */
  placeOf(row: number): RowPlace {
    return { row, key: this.at(row)?.key ?? null };
  }

  /** Where the entry at a place stands now; where it is not to be found, the row it stood in, or the last. */
  rowAt({ row, key }: RowPlace): number {
    const found = key === null ? row : (this.rowOf(key) ?? row);
    return Math.max(0, Math.min(found, this.count - 1));
  }

  /** Loads the first of everything and then what these rows show. Never rejects: see `error`. */
  async start(rows: RowRange): Promise<void> {
    await this.#perform(() => Promise.all([this.#folders.peek().start(), this.#files.load(1)]));
    if (this.#error.peek() === null) await this.ensure(rows);
  }

  /** Loads what these rows show, where it is missing. Never rejects: see `error`. */
  ensure(rows: RowRange): Promise<void> {
    this.seen = rows;
    return this.#load(rows);
  }

  /** Every entry in these rows, in the order shown; where they are too many for that, those that are loaded. */
  async among({ first, last }: RowRange): Promise<Entry[]> {
    if (last - first < SELECTABLE) await this.#load({ first, last });
    const entries: Entry[] = [];
    for (let row = first; row <= Math.min(last, this.count - 1); row += 1) {
      const entry = this.at(row);
      if (entry !== undefined) entries.push(entry);
    }
    return entries;
  }

  /** Adds a file or folder, or moves it to its place; see `PagedList.put`. */
  put(entry: Entry): boolean {
    if (entry.kind === "file") return this.#files.put(entry.file);
    return this.#folders.peek().put(entry.folder) && this.#nextFolders === null;
  }

  /** Removes files by their ids; see `PagedList.remove`. */
  removeFiles(ids: ReadonlySet<string>): boolean {
    return this.#files.remove(ids);
  }

  /** Removes a folder; see `PagedList.remove`. */
  removeFolder(path: string): boolean {
    return this.#folders.peek().remove(path) && this.#nextFolders === null;
  }

  /** Loads the folders again, for the counts of what is in them. Never rejects: see `error`. */
  async refreshFolders(): Promise<void> {
    const next = this.#newFolders();
    this.#nextFolders = next;
    await this.#perform(async () => {
      await next.start();
      await next.ensure(this.seen.first, this.seen.last);
    });
    if (this.#nextFolders !== next || this.#error.peek() !== null || !next.ready) return;
    this.#nextFolders = null;
    this.#folders.value = next;
  }

  /** Asks again for what did not come. Never rejects: see `error`. */
  retry(): Promise<void> {
    return this.#nextFolders === null ? this.ensure(this.seen) : this.refreshFolders();
  }

  /** Asks for nothing more. */
  close(): void {
    this.#abort.abort();
  }

  #newFolders(): FolderRows {
    const { drive, folder, sort, onFolders } = this.#options;
    return new FolderRows(sort, PAGE, async (page) => {
      const answer = await listFolders(drive, folder, { page, limit: PAGE, signal: this.#abort.signal });
      if (page === 1) onFolders(answer);
      return answer;
    });
  }

  #load({ first, last }: RowRange): Promise<void> {
    const folders = this.#folders.peek();
    return this.#perform(() =>
      Promise.all([
        folders.ensure(first, last),
        this.#files.ensure(first - folders.total, last - folders.total),
      ]),
    );
  }

  async #perform(load: () => Promise<unknown>): Promise<void> {
    if (this.#abort.signal.aborted) return;
    try {
      await load();
      this.#error.value = null;
    } catch (caught) {
      if (this.#abort.signal.aborted) return;
      const problem = asApiError(caught);
      this.#isMissing.value = problem.status === 404;
      this.#error.value = problem.status === 404 ? null : problem;
      if (problem.status === 404) this.#options.onFolders(null);
    }
  }
}
