import type { ApiError } from "../../../lib/api.ts";
import { type Entry, fileEntry, folderEntry, listFiles } from "../../../lib/files.ts";
import { fileOrder, type Sort } from "../../../lib/files/sort.ts";
import { listFolders } from "../../../lib/files/folders.ts";
import { asApiError } from "../../../lib/load.ts";
import type { FileRecord, FoldersPage } from "../../../lib/types.ts";
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
  /** Called whenever more is known. */
  readonly onChange: () => void;
  /** Told the first page of the folders whenever it comes; null where there is no such folder. */
  readonly onFolders: (first: FoldersPage | null) => void;
}

/**
 * What stands in one folder, in one order, loaded page by page as it is looked at: a folder of a million
 * files costs what is shown of it. Folders come first in every order.
 */
export class FolderListing {
  readonly sort: Sort;
  /** Whether there is no such folder. */
  isMissing = false;
  /** Why what was asked for last did not come. */
  error: ApiError | null = null;
  /** The rows that were asked for last. */
  seen: RowRange = { first: 0, last: 0 };
  readonly #onChange: () => void;
  readonly #onFolders: (first: FoldersPage | null) => void;
  readonly #abort = new AbortController();
  readonly #folders: FolderRows;
  readonly #files: PagedList<FileRecord>;
  /** Of each entry that was loaded at a revision, where it stands. */
  #rows: { readonly of: number; readonly byKey: ReadonlyMap<string, number> } | null = null;

  constructor({ drive, folder, sort, onChange, onFolders }: FolderListingOptions) {
    const { signal } = this.#abort;
    this.sort = sort;
    this.#onChange = onChange;
    this.#onFolders = onFolders;
    this.#folders = new FolderRows(sort, PAGE, async (page) => {
      const answer = await listFolders(drive, folder, { page, limit: PAGE, signal });
      if (page === 1) onFolders(answer);
      return answer;
    });
    this.#files = new PagedList(PAGE, (page) =>
      listFiles(drive, folder, fileOrder(sort), { page, limit: PAGE, signal }),
    );
  }

  get folderCount(): number {
    return this.#folders.total;
  }

  get fileCount(): number {
    return this.#files.total;
  }

  /** Whether the folders, too many to be put in order, are by name although the files are not. */
  get hasFoldersByName(): boolean {
    return this.#folders.isByNameOnly;
  }

  /** Folders and files together, loaded or not. */
  get count(): number {
    return this.isMissing ? 0 : this.folderCount + this.fileCount;
  }

  get loaded(): number {
    return this.#folders.loaded + this.#files.loaded;
  }

  /** Another number whenever more, or something else, is loaded. */
  get revision(): number {
    return this.#folders.revision + this.#files.revision;
  }

  /** Whether it is known how much there is. */
  get ready(): boolean {
    return this.isMissing || (this.#folders.ready && this.#files.ready);
  }

  get isSelectable(): boolean {
    return this.count <= SELECTABLE;
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
    const folder = this.#folders.at(row);
    return folder === undefined ? undefined : folderEntry(folder);
  }

  /** The row that an entry stands in; undefined where it is not among what is loaded. */
  rowOf(key: string): number | undefined {
    const { revision } = this;
    if (this.#rows?.of !== revision) this.#rows = { of: revision, byKey: new Map(this.#loadedRows()) };
    return this.#rows.byKey.get(key);
  }

  /** Keeps a row in mind, for `rowAt` of this listing or a later one of the folder. */
  placeOf(row: number): RowPlace {
    return { row, key: this.at(row)?.key ?? null };
  }

  /** Where the entry at a place stands now; where it is not to be found, the row it stood in, or the last. */
  rowAt({ row, key }: RowPlace): number {
    const found = key === null || this.at(row)?.key === key ? row : (this.rowOf(key) ?? row);
    return Math.max(0, Math.min(found, this.count - 1));
  }

  /** Loads the first of everything and then what these rows show. Never rejects: see `error`. */
  async start(rows: RowRange): Promise<void> {
    await this.#perform(() => Promise.all([this.#folders.start(), this.#files.load(1)]));
    if (this.error === null) await this.ensure(rows);
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

  /** Asks for nothing more. */
  close(): void {
    this.#abort.abort();
  }

  #load({ first, last }: RowRange): Promise<void> {
    const folders = this.folderCount;
    return this.#perform(() =>
      Promise.all([this.#folders.ensure(first, last), this.#files.ensure(first - folders, last - folders)]),
    );
  }

  async #perform(load: () => Promise<unknown>): Promise<void> {
    if (this.#abort.signal.aborted) return;
    const { error, revision } = this;
    try {
      await load();
      if (error === null && this.revision === revision) return;
      this.error = null;
    } catch (caught) {
      if (this.#abort.signal.aborted) return;
      const problem = asApiError(caught);
      this.isMissing = problem.status === 404;
      this.error = this.isMissing ? null : problem;
      if (this.isMissing) this.#onFolders(null);
    }
    this.#onChange();
  }

  *#loadedRows(): Generator<[key: string, row: number]> {
    const files = this.#files.indexes().map((index) => this.folderCount + index);
    for (const row of [...this.#folders.rows(), ...files]) {
      const entry = this.at(row);
      if (entry !== undefined) yield [entry.key, row];
    }
  }
}
