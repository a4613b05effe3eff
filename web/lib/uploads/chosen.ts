/** A file a person chose, and where it stands below the folder they chose it for: `photos/a.jpg`. */
export interface ChosenFile {
  readonly path: string;
  readonly file: File;
}

/** What an `<input type="file">` holds; with `webkitdirectory`, paths begin with the folder's name. */
export function filesOf(input: HTMLInputElement): ChosenFile[] {
  return Array.from(input.files ?? [], (file) => ({
    path: file.webkitRelativePath === "" ? file.name : file.webkitRelativePath,
    file,
  }));
}

/** Whether something that is dragged holds files at all, rather than a text or a link. */
export function holdsFiles(data: DataTransfer | null): boolean {
  return data?.types.includes("Files") ?? false;
}

/**
 * What was dropped: files, and folders with everything below them. Has to be called while the drop is
 * being handled, since the browser forgets it right after.
 */
export async function droppedFiles(data: DataTransfer): Promise<ChosenFile[]> {
  const entries: FileSystemEntry[] = [];
  const loose: ChosenFile[] = [];
  for (const item of data.items) {
    if (item.kind !== "file") continue;
    const entry = item.webkitGetAsEntry();
    const file = entry === null ? item.getAsFile() : null;
    if (entry !== null) entries.push(entry);
    // Not of a file system, such as an image dragged out of a page.
    else if (file !== null) loose.push({ path: file.name, file });
  }
  const found = await Promise.all(entries.map(filesBelow));
  return [...loose, ...found.flat()];
}

async function filesBelow(entry: FileSystemEntry): Promise<ChosenFile[]> {
  if (isFile(entry)) {
    const file = await new Promise<File>((resolve, reject) => entry.file(resolve, reject));
    return [{ path: entry.fullPath.slice(1), file }];
  }
  if (!isDirectory(entry)) return [];
  const found: ChosenFile[] = [];
  // One folder after the other: a deep tree must not open all of its files at once.
  for (const child of await children(entry)) found.push(...(await filesBelow(child)));
  return found;
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
