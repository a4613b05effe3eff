import type { ApiError } from "../../lib/api.ts";
import { type Entry, fileEntry, folderEntry, listFiles } from "../../lib/files.ts";
import { fileOrder, type Sort, sortFolders } from "../../lib/files-sort.ts";
import { listFolders } from "../../lib/folders.ts";
import { asApiError } from "../../lib/load.ts";
import type { FileRecord, FolderRecord } from "../../lib/types.ts";
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

interface FolderListingOptions {
  readonly drive: string;
  readonly folder: string;
  readonly sort: Sort;
  /** Called whenever more is known. */
  readonly onChange: () => void;
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
  readonly #abort = new AbortController();
  readonly #folders: PagedList<FolderRecord>;
  readonly #files: PagedList<FileRecord>;
  #sorted: readonly FolderRecord[] | null = null;

  constructor({ drive, folder, sort, onChange }: FolderListingOptions) {
    const { signal } = this.#abort;
    this.sort = sort;
    this.#onChange = onChange;
    this.#folders = new PagedList(PAGE, (page) => listFolders(drive, folder, { page, limit: PAGE, signal }));
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

  /** What is shown in a row; undefined where it is not loaded. */
  at(row: number): Entry | undefined {
    if (row >= this.folderCount) {
      const file = this.#files.at(row - this.folderCount);
      return file === undefined ? undefined : fileEntry(file);
    }
    const folder = this.#folderAt(row);
    return folder === undefined ? undefined : folderEntry(folder);
  }

  /** Loads the first of everything and then what these rows show. Never rejects: see `error`. */
  async start(rows: RowRange): Promise<void> {
    await this.#perform(() => Promise.all([this.#folders.load(1), this.#files.load(1)]));
    if (this.error === null) await this.ensure(rows);
  }

  /** Loads what these rows show, where it is missing. Never rejects: see `error`. */
  ensure(rows: RowRange): Promise<void> {
    this.seen = rows;
    return this.#load(rows);
  }

  /** Every entry, in the order shown; in a folder that is too large for that, those that are loaded. */
  async all(): Promise<Entry[]> {
    if (this.isSelectable) await this.#load({ first: 0, last: this.count - 1 });
    const entries: Entry[] = [];
    for (let row = 0; row < this.count; row += 1) {
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
    const [from, to] = this.#isBackwards ? [folders - 1 - last, folders - 1 - first] : [first, last];
    return this.#perform(() =>
      Promise.all([this.#folders.ensure(from, to), this.#files.ensure(first - folders, last - folders)]),
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
    }
    this.#sorted = null;
    this.#onChange();
  }

  /** The API lists folders by name, ascending; other orders are made of that. */
  get #isBackwards(): boolean {
    return this.sort.key === "name" && this.sort.descending;
  }

  #folderAt(row: number): FolderRecord | undefined {
    if (this.#isBackwards) return this.#folders.at(this.folderCount - 1 - row);
    if (this.sort.key !== "size" || this.folderCount > PAGE) return this.#folders.at(row);
    this.#sorted ??= sortFolders(this.#loadedFolders(), this.sort);
    return this.#sorted[row];
  }

  #loadedFolders(): FolderRecord[] {
    return Array.from({ length: this.folderCount }, (_, index) => this.#folders.at(index)).filter(
      (folder) => folder !== undefined,
    );
  }
}
