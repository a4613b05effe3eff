import { batch, signal } from "@preact/signals-core";
import {
  createFolder,
  type Entry,
  type FileChanges,
  type FileEntry,
  fileEntry,
  folderEntry,
  moveFolder,
  parentOf,
  updateFile,
} from "../../../lib/files.ts";
import { createLink, type LinkRequest, type MadeLink } from "../../../lib/links.ts";
import { orUncertain, type Patience } from "../../../lib/api/api.ts";
import type { Change, FileRecord, FolderRecord } from "../../../lib/api/types.ts";
import type { FocusWish, Memory } from "./cursor.ts";
import { FolderStore } from "./folder.ts";
import { LeftLists } from "./left-lists.ts";
import { TreeStore } from "../../../lib/tree/tree.ts";
import { WorksStore } from "./works.ts";

/**
 * The state of a drive's page: the tree of folders, and the folder that is shown. An action sends its request and
 * puts the answer into both. If the request fails, the folder is loaded again: it may be out of date.
 */
export class DriveStore {
  /** Its id. */
  readonly drive: string;
  readonly isReadOnly: boolean;
  readonly tree: TreeStore;
  readonly works = new WorksStore();
  readonly #left = new LeftLists();
  /** The folder whose list is shown. */
  readonly shown = signal<FolderStore | null>(null);
  readonly #watchers = new Set<(change: Change) => void>();
  /** The batches of the page's own requests whose answers said what is gone. */
  readonly #answered = new Set<string>();

  /**
   * @param drive its id
   * @param isReadOnly whether whoever looks may change nothing in it
   */
  constructor(drive: string, isReadOnly = false) {
    this.drive = drive;
    this.isReadOnly = isReadOnly;
    this.tree = new TreeStore(drive, true);
  }

  /** The state of a folder, to be loaded by `show`. */
  folder(path: string, memory: Memory, focus: FocusWish | null): FolderStore {
    return new FolderStore({
      drive: this.drive,
      isReadOnly: this.isReadOnly,
      path,
      memory,
      focus,
      left: this.#left.take(path),
      onLeave: (listing) => this.#left.keep(path, listing),
      onFolders: (first) => this.tree.setFirstPage(path, first),
    });
  }

  /** Loads a folder and keeps it up to date; returns a function that stops this. */
  show(folder: FolderStore): () => void {
    const close = folder.open();
    this.shown.value = folder;
    return () => {
      close();
      if (this.#shown === folder) this.shown.value = null;
    };
  }

  /** From now on `follow` tells of each change. */
  begin(): void {
    this.works.begin();
    this.#left.follow();
  }

  /** Loads the folder that is shown again. */
  reload(): void {
    this.#left.forget();
    this.#shown?.reload();
  }

  /** Loads what answers did not tell; see `FolderStore.settle`. */
  settle(): void {
    this.#shown?.settle();
  }

  /** Makes a folder; `path` ends with a slash. */
  async makeFolder(path: string): Promise<void> {
    this.folderMade(await this.#orReload(createFolder(this.drive, path)));
    this.settle();
  }

  /** Renames a file or folder, and makes its row the active one. Returns its new path, without a slash. */
  async rename(entry: Entry, name: string, patience: Patience = {}): Promise<string> {
    const shown = this.#shown;
    const path = parentOf(entry.path) + name;
    const renamed =
      entry.kind === "file"
        ? fileEntry(await this.#orReload(updateFile(entry.key, { path }, patience)))
        : folderEntry(
            await this.#orReload(moveFolder({ drive: this.drive, path: entry.path }, `${path}/`, patience)),
          );
    batch(() => {
      if (renamed.kind === "file") this.fileChanged(renamed.file);
      else this.folderMoved(entry.path, renamed.folder);
      // Another folder may be shown by now.
      if (shown === this.#shown) shown?.cursor.standOn(renamed.key);
    });
    this.settle();
    return path;
  }

  /** Changes a file's tags, metadata or expiry. */
  async changeFile(id: string, changes: FileChanges): Promise<void> {
    this.fileChanged(await this.#orReload(updateFile(id, changes)));
    this.settle();
  }

  /** Makes a link to a file or folder; see `createLink`. */
  makeLink(wanted: LinkRequest): Promise<MadeLink> {
    return this.#orReload(createLink(wanted));
  }

  /** A file was uploaded, or an empty folder. */
  uploaded(entry: Entry): void {
    if (entry.kind === "file") this.fileChanged(entry.file);
    else this.folderMade(entry.folder);
  }

  /** A file has changed, or is new, in any drive. */
  fileChanged(file: FileRecord): void {
    this.#left.forget();
    this.tree.put(fileEntry(file));
    this.#shown?.fileChanged(file);
  }

  /** The drive has no such file, even if its list shows it. */
  fileMissing(id: string): void {
    this.#left.forget();
    this.#shown?.fileMissing(id);
    this.settle();
  }

  /** Files were deleted or moved away. */
  filesRemoved(files: readonly Pick<FileEntry, "key" | "path">[]): void {
    this.#left.forget();
    this.#shown?.filesRemoved(files);
  }

  /** An answer says that files and folders were deleted or moved away. @param of its batch; null for none */
  entriesRemoved(entries: readonly Entry[], of: string | null): void {
    if (of !== null) this.#answered.add(of);
    batch(() => {
      this.filesRemoved(entries.filter((entry) => entry.kind === "file"));
      for (const { kind, path } of entries) if (kind === "folder") this.folderRemoved(path);
    });
  }

  /** A file or folder is at a path since, of which no more is known. */
  came(path: string): void {
    if (path.endsWith("/")) return this.folderCame(path);
    this.tree.addFolder(parentOf(path));
    this.#shown?.fileCame(path);
  }

  /** A folder is new, in any drive. */
  folderMade(folder: FolderRecord): void {
    this.#left.forget();
    this.tree.put(folderEntry(folder));
    if (folder.drive_id === this.drive) this.#shown?.folderMade(folderEntry(folder));
  }

  /** A folder was moved from a path of this drive to any drive. */
  folderMoved(from: string, folder: FolderRecord): void {
    batch(() => {
      this.folderRemoved(from);
      this.folderMade(folder);
    });
  }

  /** A folder was deleted or moved away, with everything in it. */
  folderRemoved(path: string): void {
    this.#left.forget();
    this.tree.remove(path);
    this.#shown?.folderRemoved(path);
  }

  /** A folder is there that may be new, or another than was there, with all that is in it. */
  folderCame(path: string): void {
    this.#left.forget();
    this.tree.addFolder(path);
    if (this.#shown === null || !this.#shown.folderCame(path)) this.tree.reload(parentOf(path));
  }

  /** Something changed at the path of a file: the folders above it are there, and their counts may be others. */
  touched(path: string): void {
    this.#left.forget();
    this.tree.addFolder(parentOf(path));
    this.#shown?.touched(path);
  }

  /** A file was moved away from a path, by whomever. */
  fileLeft(id: string, path: string): void {
    this.#left.forget();
    this.tree.addFolder(parentOf(path));
    this.#shown?.fileLeft(id, path);
  }

  /**
   * Whether the page has taken out already what a change says is gone. It may have been put back since, so that must
   * not be done again.
   */
  isAnswered({ batch_id: id }: Change): boolean {
    return id !== null && this.#answered.has(id);
  }

  /** Whether a change is of a file in the folder that is shown, which does not show it yet. */
  isOutOfDate(change: Change): boolean {
    return this.#shown?.isOutOfDate(change) === true;
  }

  /** Calls `watcher` with each change of the drive; returns a function that stops this. */
  watch(watcher: (change: Change) => void): () => void {
    this.#watchers.add(watcher);
    return () => this.#watchers.delete(watcher);
  }

  /** Tells those that watch of changes. */
  tell(changes: readonly Change[]): void {
    this.#left.forget();
    for (const change of changes) for (const watcher of this.#watchers) watcher(change);
  }

  get #shown(): FolderStore | null {
    return this.shown.peek();
  }

  #orReload<T>(request: Promise<T>): Promise<T> {
    return orUncertain(request, () => this.reload());
  }
}
