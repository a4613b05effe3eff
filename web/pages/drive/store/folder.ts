import { batch, computed, signal } from "@preact/signals-core";
import type { ApiError } from "../../../lib/api/api.ts";
import { type Entry, type FileEntry, fileEntry, type FolderEntry, parentOf } from "../../../lib/files.ts";
import { BY_NAME, isSort, nextSort, type Sort, type SortKey } from "../../../lib/files/sort.ts";
import type { Change, FileRecord, FoldersPage } from "../../../lib/api/types.ts";
import { Cursor, type FocusWish, type Memory } from "./cursor.ts";
import { FolderListing } from "./listing.ts";

/** The dialog that is open above a folder. */
export type OpenDialog =
  | { readonly kind: "new-folder" }
  | { readonly kind: "new-file" }
  | { readonly kind: "rename"; readonly entry: Entry }
  | Transferring
  | { readonly kind: "delete"; readonly entries: readonly Entry[] }
  | { readonly kind: "details"; readonly entry: Entry }
  | { readonly kind: "download-folder"; readonly entries: readonly Entry[] }
  | { readonly kind: "share"; readonly entry: Entry }
  | { readonly kind: "versions"; readonly file: FileRecord };

/** Whether a dialog is about an entry, alone or among others. */
export function isAbout(dialog: OpenDialog, key: string): boolean {
  switch (dialog.kind) {
    case "new-folder":
    case "new-file":
      return false;
    case "rename":
    case "details":
    case "share":
      return dialog.entry.key === key;
    case "versions":
      return dialog.file.id === key;
    case "transfer":
    case "delete":
    case "download-folder":
      return dialog.entries.some((entry) => entry.key === key);
  }
}

/** Moving or copying. */
interface Transferring {
  readonly kind: "transfer";
  readonly how: "move" | "copy";
  readonly entries: readonly Entry[];
  /** The folder of the drive that they go into, if that is known already: it is not asked for. */
  readonly into?: string;
}

/** The dialogs that change nothing in the drive. */
const OF_READERS: ReadonlySet<OpenDialog["kind"]> = new Set(["details", "download-folder"]);

interface FolderStoreOptions {
  /** The drive's id. */
  readonly drive: string;
  /** Whether whoever looks may change nothing in the drive. */
  readonly isReadOnly: boolean;
  readonly path: string;
  readonly memory: Memory;
  /** Where the focus goes once the list is shown. */
  readonly focus: FocusWish | null;
  /** The list from when the folder was shown before, if nothing has changed since. */
  readonly left: FolderListing | null;
  /** Called with the list when the folder is left, if it is as on the server. */
  readonly onLeave: (listing: FolderListing) => void;
  /** Called with the first page of the folders whenever it comes, or with null if there is no such folder. */
  readonly onFolders: (first: FoldersPage | null) => void;
}

/** The state of the folder that is shown: its list, the cursor in it, and the dialog that is open. */
export class FolderStore {
  readonly drive: string;
  readonly path: string;
  readonly isReadOnly: boolean;
  /** Null until the folder is loaded for the first time. */
  readonly listing = signal<FolderListing | null>(null);
  /** Why the last request for the list, or for a page of it, failed. */
  readonly error = computed(() => this.#failure.value ?? this.listing.value?.error ?? null);
  readonly cursor: Cursor;
  readonly dialog = signal<OpenDialog | null>(null);
  readonly #options: FolderStoreOptions;
  readonly #failure = signal<ApiError | null>(null);
  #sort: Sort;
  /** Replaces the list once it is loaded. */
  #next: FolderListing | null = null;
  /** What has to be loaded again, since answers did not tell enough. */
  #outdated: "nothing" | "folders" | "all" = "nothing";

  constructor(options: FolderStoreOptions) {
    const sort = options.memory.kept("sort");
    this.#options = options;
    this.drive = options.drive;
    this.path = options.path;
    this.isReadOnly = options.isReadOnly;
    this.#sort = isSort(sort) ? sort : BY_NAME;
    const { left } = options;
    if (left !== null && left.sort.key === this.#sort.key && left.sort.descending === this.#sort.descending) {
      this.listing.value = left;
    }
    this.cursor = new Cursor(this.listing, options.memory, options.focus);
  }

  /** Starts to load the folder, unless its list is there; returns a function that stops this. */
  open(): () => void {
    const end = this.cursor.follow();
    if (this.listing.peek() === null) this.reload();
    return () => {
      end();
      const listing = this.listing.peek();
      const isCurrent = this.#next === null && this.#outdated === "nothing" && this.error.peek() === null;
      if (listing !== null && isCurrent) this.#options.onLeave(listing);
      else listing?.close();
      this.#next?.close();
      this.#next = null;
    };
  }

  /** Loads the list again. The old one stays until then. */
  reload(): void {
    this.#outdated = "nothing";
    void this.#load();
  }

  /** Tries again what failed; see `error`. */
  retry(): void {
    const listing = this.listing.peek();
    if (this.#failure.peek() !== null || listing === null) this.reload();
    else void listing.retry();
  }

  sortBy(key: SortKey): void {
    this.#sort = nextSort(this.#sort, key);
    this.#options.memory.keep("sort", this.#sort);
    this.reload();
  }

  /** Whether whoever looks may do what a dialog is for. */
  allows(dialog: OpenDialog): boolean {
    if (!this.isReadOnly || OF_READERS.has(dialog.kind)) return true;
    return dialog.kind === "transfer" && dialog.how === "copy";
  }

  /** Opens a dialog, unless one is open, or it is for something that one may not do. */
  ask(dialog: OpenDialog): void {
    if (this.allows(dialog)) this.dialog.value ??= dialog;
  }

  /** Closes the dialog that is open. */
  dismiss(): void {
    batch(() => {
      this.dialog.value = null;
      this.cursor.focus.value = "list";
    });
  }

  /** Clears the selection; the focus goes to the list. */
  clear(): void {
    batch(() => {
      this.cursor.selectNone();
      this.cursor.focus.value = "list";
    });
  }

  /** Closes a dialog whose work is done, and clears the selection. Does nothing if it was dismissed before. */
  finish(dialog: OpenDialog): void {
    if (this.dialog.peek() !== dialog) return;
    batch(() => {
      this.dialog.value = null;
      this.clear();
    });
  }

  /** A file has changed, or is new, in this folder or elsewhere. */
  fileChanged(file: FileRecord): void {
    const isOfDrive = file.drive_id === this.drive;
    if (isOfDrive && parentOf(file.path) === this.path) this.#change((list) => list.put(fileEntry(file)));
    else if (this.listing.peek()?.rowOf(file.id) !== undefined) this.fileMissing(file.id);
    if (isOfDrive) this.#noteBelow(file.path);
  }

  /** A file is not in this folder. */
  fileMissing(id: string): void {
    this.#change((list) => list.removeFiles(new Set([id])));
  }

  /** Files of the drive were deleted or moved away. */
  filesRemoved(files: readonly Pick<FileEntry, "key" | "path">[]): void {
    const here = new Set(files.filter(({ path }) => parentOf(path) === this.path).map(({ key }) => key));
    if (here.size > 0) this.#change((list) => list.removeFiles(here));
    this.cursor.forget(here);
    for (const { path } of files) this.#noteBelow(path);
  }

  /** A folder of the drive is new, or was there already. */
  folderMade(entry: FolderEntry): void {
    if (isIn(entry.path, this.path)) this.#change((list) => list.put(entry));
    this.#noteBelow(entry.path);
  }

  /** A folder of the drive was deleted or moved away, with everything in it. */
  folderRemoved(path: string): void {
    this.cursor.forget(new Set([path]));
    if (isIn(path, this.path)) this.#change((list) => list.removeFolder(path));
    else if (this.path.startsWith(path)) this.#outdated = "all";
    this.#noteBelow(path);
  }

  /** A folder of the drive is there; whether this folder's own list of folders tells of it once it is settled. */
  folderCame(path: string): boolean {
    // What is shown was in it, or is it.
    if (this.path.startsWith(path)) this.#outdated = "all";
    else if (isIn(path, this.path) && this.#outdated === "nothing") this.#outdated = "folders";
    else this.#noteBelow(path);
    return isIn(path, this.path);
  }

  /** A file is at a path of the drive that may be new there. */
  fileCame(path: string): void {
    if (parentOf(path) === this.path) this.#outdated = "all";
    else this.#noteBelow(path);
  }

  /** Something changed at a path of the drive. */
  touched(path: string): void {
    this.#noteBelow(path);
  }

  /** A file was moved away from a path, unless the list shows it at another by now. */
  fileLeft(id: string, path: string): void {
    const file = this.fileOf(id);
    if (file === null || file.path === path) this.filesRemoved([{ key: id, path }]);
  }

  /** Whether a change is of a file of this folder, and the list does not show the file as it is since. */
  isOutOfDate({ file_id: id, path, after, at }: Change): boolean {
    const file = id === null ? null : this.fileOf(id);
    if (file === null) return parentOf(path) === this.path;
    const isSame = file.path === path && (after === null || file.content_hash === after.content_hash);
    return !(isSame && file.updated_at >= at);
  }

  /** The record of a file that the list shows; null where it shows none. */
  fileOf(id: string): FileRecord | null {
    const list = this.listing.peek();
    const row = list?.rowOf(id);
    const entry = row === undefined ? undefined : list?.at(row);
    return entry?.kind === "file" ? entry.file : null;
  }

  /** Loads what has to be loaded again. To be called when no more changes are to come soon. */
  settle(): void {
    const outdated = this.#outdated;
    if (outdated === "nothing") return;
    if (outdated === "all" || this.#next !== null) return this.reload();
    this.#outdated = "nothing";
    void this.listing.peek()?.refreshFolders();
  }

  /** Changes the list. `change` returns false if the list has to be loaded again. */
  #change(change: (list: FolderListing) => boolean): void {
    const list = this.listing.peek();
    const isSure = list !== null && change(list);
    // The next list may be from before the change.
    if (!isSure || this.#next !== null) this.#outdated = "all";
  }

  /** Notes a change at a path below a folder of the list: that folder is new, or its counts have changed. */
  #noteBelow(path: string): void {
    if (!path.startsWith(this.path) || path === this.path) return;
    if (this.listing.peek()?.isMissing === true) this.#outdated = "all";
    else if (parentOf(path) !== this.path && this.#outdated === "nothing") this.#outdated = "folders";
  }

  async #load(): Promise<void> {
    const { drive, path, onFolders } = this.#options;
    const next = new FolderListing({ drive, folder: path, sort: this.#sort, onFolders });
    this.#next?.close();
    this.#next = next;
    await next.start(this.listing.peek()?.seen ?? { first: 0, last: 0 });
    if (this.#next !== next) return;
    this.#next = null;
    batch(() => {
      this.#failure.value = next.ready ? null : next.error;
      if (!next.ready) return;
      this.listing.peek()?.close();
      this.listing.value = next;
    });
  }
}

/** Whether a folder stands directly in another. */
function isIn(path: string, folder: string): boolean {
  return path !== "" && parentOf(path) === folder;
}
