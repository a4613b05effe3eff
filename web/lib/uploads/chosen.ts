import { OWN_DRAG } from "../files/drag.ts";

/**
 * A file that a person chose, and where it stands below the folder they chose it for: `photos/a.jpg`. Or a
 * folder that holds nothing, `photos/empty/`, without a file; every other folder is made with what is in it.
 */
export interface Chosen {
  readonly path: string;
  readonly file: File | null;
}

/**
 * What an `<input type="file">` holds; with `webkitdirectory`, paths begin with the folder's name, and of
 * folders that hold nothing the browser does not tell.
 */
export function filesOf(input: HTMLInputElement): Chosen[] {
  return Array.from(input.files ?? [], (file) => ({
    path: file.webkitRelativePath === "" ? file.name : file.webkitRelativePath,
    file,
  }));
}

/** Whether something that is dragged holds files of the computer, rather than a text, a link, or files of ours. */
export function holdsFiles(data: DataTransfer | null): boolean {
  return data !== null && data.types.includes("Files") && !data.types.includes(OWN_DRAG);
}

/** What was dropped or pasted, as far as the browser may read it. */
export interface Dropped {
  readonly chosen: readonly Chosen[];
  /** The paths of files and folders that it may not. */
  readonly unread: readonly string[];
}

/**
 * What was dropped: files, and folders with everything below them. Has to be called while the drop is
 * being handled, since the browser forgets it right after.
 */
export async function droppedFiles(data: DataTransfer): Promise<Dropped> {
  const folders: FileSystemDirectoryEntry[] = [];
  const chosen: Chosen[] = [];
  const unread: string[] = [];
  for (const item of data.items) {
    if (item.kind !== "file") continue;
    const entry = item.webkitGetAsEntry();
    // Not through the entry: an image dragged out of a page has none, or one that leads nowhere.
    const file = item.getAsFile();
    if (entry !== null && isDirectory(entry)) folders.push(entry);
    else if (file !== null) chosen.push({ path: file.name, file });
  }
  for (const folder of folders) await collect(folder, chosen, unread);
  return { chosen, unread };
}

/** Adds an entry, or what is below it, to `chosen`. One after the other: not all of a tree is open at once. */
async function collect(entry: FileSystemEntry, chosen: Chosen[], unread: string[]): Promise<void> {
  const path = entry.fullPath.slice(1);
  let below: FileSystemEntry[] = [];
  try {
    if (isFile(entry)) chosen.push({ path, file: await fileOf(entry) });
    else if (isDirectory(entry)) {
      below = await children(entry);
      if (below.length === 0) chosen.push({ path: `${path}/`, file: null });
    }
  } catch (error) {
    // That is how a browser says that it may not read something, or that it is gone.
    if (!(error instanceof DOMException)) throw error;
    unread.push(path);
  }
  for (const child of below) await collect(child, chosen, unread);
}

function fileOf(entry: FileSystemFileEntry): Promise<File> {
  return new Promise((resolve, reject) => entry.file(resolve, reject));
}

/** A reader gives a hundred or so at a time, and none when it is through. */
async function children(directory: FileSystemDirectoryEntry): Promise<FileSystemEntry[]> {
  const reader = directory.createReader();
  const all: FileSystemEntry[] = [];
  for (;;) {
    const some = await new Promise<FileSystemEntry[]>((resolve, reject) =>
      reader.readEntries(resolve, reject),
    );
    if (some.length === 0) return all;
    all.push(...some);
  }
}

function isFile(entry: FileSystemEntry): entry is FileSystemFileEntry {
  return entry.isFile;
}

function isDirectory(entry: FileSystemEntry): entry is FileSystemDirectoryEntry {
  return entry.isDirectory;
}
