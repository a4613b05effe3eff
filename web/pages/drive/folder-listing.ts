import type { ApiError } from "../../lib/api.ts";
import { type Entry, fileEntry, folderEntry, listFolder } from "../../lib/files.ts";
import { BY_NAME, type Sort, SORTABLE_FILES, sortFiles } from "../../lib/files-sort.ts";
import { asApiError } from "../../lib/load.ts";
import type { FileRecord } from "../../lib/types.ts";

/** Files a request. A free plan asks 60 times a minute, so pages are large. */
const PAGE = 500;

/**
 * What stands in one folder, loaded page by page as it is looked at: a folder of 100,000 files costs
 * what is shown of it. `onChange` is called whenever more is known.
 */
export class FolderListing {
  folders: readonly string[] = [];
  /** Files, loaded or not. */
  total = 0;
  /** Whether the first page is there. */
  ready = false;
  /** Why the last page asked for did not come. */
  error: ApiError | null = null;
  readonly #drive: string;
  readonly #folder: string;
  readonly #onChange: () => void;
  readonly #abort = new AbortController();
  readonly #pages = new Map<number, readonly FileRecord[]>();
  readonly #asked = new Set<number>();
  #sorted: { readonly sort: Sort; readonly files: readonly FileRecord[] } | null = null;

  constructor(drive: string, folder: string, onChange: () => void) {
    this.#drive = drive;
    this.#folder = folder;
    this.#onChange = onChange;
  }

  /** Folders and files together. */
  get count(): number {
    return this.folders.length + this.total;
  }

  get loadedFiles(): number {
    let files = 0;
    for (const page of this.#pages.values()) files += page.length;
    return files;
  }

  get isSortable(): boolean {
    return this.total <= SORTABLE_FILES;
  }

  /** What is shown in a row; undefined where it is not loaded. Folders come first in every order. */
  at(row: number, sort: Sort): Entry | undefined {
    if (row < this.folders.length) {
      const backwards = sort.key === "name" && sort.descending;
      const path = this.folders[backwards ? this.folders.length - 1 - row : row];
      return path === undefined ? undefined : folderEntry(path);
    }
    const file = this.#fileAt(row - this.folders.length, sort);
    return file === undefined ? undefined : fileEntry(file);
  }

  /** Loads what rows `first` to `last` show, where it is missing. */
  ensure(first: number, last: number, sort: Sort): void {
    if (this.total === 0 || last < this.folders.length) return;
    const rows = [first, last].map((row) => Math.min(this.total - 1, Math.max(0, row - this.folders.length)));
    const files = sort.key === "name" && sort.descending ? rows.map((row) => this.total - 1 - row) : rows;
    const pages = files.map((file) => Math.floor(file / PAGE) + 1);
    for (let page = Math.min(...pages); page <= Math.max(...pages); page += 1) void this.load(page);
  }

  /** Loads all that is missing, one page after another. */
  async loadAll(): Promise<void> {
    for (let page = 1; page <= Math.max(1, Math.ceil(this.total / PAGE)); page += 1) {
      await this.load(page);
      if (this.error !== null || this.#abort.signal.aborted) return;
    }
  }

  /** Every entry that is loaded, in the order shown. */
  loaded(sort: Sort): Entry[] {
    const entries: Entry[] = [];
    for (let row = 0; row < this.count; row += 1) {
      const entry = this.at(row, sort);
      if (entry !== undefined) entries.push(entry);
    }
    return entries;
  }

  /** Loads a page, from 1, unless it is there or on its way. Never rejects: see `error`. */
  async load(page: number): Promise<void> {
    if (this.#asked.has(page) || this.#abort.signal.aborted) return;
    this.#asked.add(page);
    try {
      const request = { page, limit: PAGE, signal: this.#abort.signal };
      const { data, folders, total } = await listFolder(this.#drive, this.#folder, request);
      if (this.ready && total !== this.total) this.#forget(page);
      this.folders = folders;
      this.total = total;
      this.#pages.set(page, data);
      this.#sorted = null;
      this.ready = true;
      this.error = null;
    } catch (error) {
      this.#asked.delete(page);
      if (this.#abort.signal.aborted) return;
      this.error = asApiError(error);
    }
    this.#onChange();
  }

  /** Asks for nothing more. */
  close(): void {
    this.#abort.abort();
  }

  /** The folder changed between two pages, so those from before do not fit together with `page`. */
  #forget(page: number): void {
    this.#pages.clear();
    this.#asked.clear();
    this.#asked.add(page);
  }

  #fileAt(place: number, sort: Sort): FileRecord | undefined {
    if (sort.key !== BY_NAME.key && this.loadedFiles === this.total) return this.#sortedBy(sort)[place];
    const index = sort.key === "name" && sort.descending ? this.total - 1 - place : place;
    return this.#pages.get(Math.floor(index / PAGE) + 1)?.[index % PAGE];
  }

  #sortedBy(sort: Sort): readonly FileRecord[] {
    if (this.#sorted?.sort !== sort) {
      const pages = [...this.#pages].toSorted(([a], [b]) => a - b);
      this.#sorted = {
        sort,
        files: sortFiles(
          pages.flatMap(([, files]) => files),
          sort,
        ),
      };
    }
    return this.#sorted.files;
  }
}
