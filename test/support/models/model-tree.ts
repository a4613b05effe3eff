/** What is in somebody's drives, as plain data: the simplest model of it. Of several drives, each is a folder at the top. */
export interface ModelTree {
  /** By path, those that have not expired. */
  readonly files: Readonly<Record<string, ModelFile>>;
  /** Paths, sorted. */
  readonly folders: readonly string[];
  /** By the names that the test gives them. */
  readonly trash: Readonly<Record<string, ModelEntry>>;
  readonly now: number;
}

export interface ModelFile {
  /** The name by which the test knows it; null if it does not. */
  readonly id: string | null;
  readonly content: string;
  readonly tags: readonly string[];
  /** Null for never. */
  readonly expiresAt: number | null;
  /** Counts the contents that it had. */
  readonly number: number;
  /** From the oldest on. */
  readonly versions: readonly ModelVersion[];
}

interface ModelVersion {
  readonly number: number;
  readonly content: string;
  readonly replacedAt: number;
  /** With the file that had it. */
  readonly expiresAt: number | null;
  /** The folder at the top where it was: it stays there if its file moves to another one. */
  readonly top: string;
}

/** A deleted file, or a folder that ends in `/`. */
interface ModelEntry {
  readonly path: string;
  /** By their paths in the entry: of a file's entry, an empty one. */
  readonly files: Readonly<Record<string, ModelFile>>;
  /** Their paths in the entry. */
  readonly folders: readonly string[];
  readonly deletedAt: number;
}

/** How many versions of a file are kept. */
export const KEPT_VERSIONS = 4;

export const EMPTY: ModelTree = { files: {}, folders: [], trash: {}, now: 0 };

/** What a change comes to, and the tree after it; a refused one changes nothing. */
export type Changed = readonly [outcome: string, tree: ModelTree];

const CONFLICT = "CONFLICT";
const NOT_FOUND = "NOT_FOUND";

/** `a/`, `a/b/` of `a/b/c`, and of `a/b/c/`. */
function above(path: string): string[] {
  const segments = path.replace(/\/$/, "").split("/").slice(0, -1);
  return segments.map((_, index) => `${segments.slice(0, index + 1).join("/")}/`);
}

function withFolders(tree: ModelTree, more: readonly string[]): ModelTree {
  return { ...tree, folders: [...new Set([...tree.folders, ...more])].toSorted() };
}

/** Whether nothing in the way of a file or folder at a path is a file. */
function isFree({ files }: ModelTree, path: string): boolean {
  return above(path).every((folder) => files[folder.slice(0, -1)] === undefined);
}

function pathOf({ files }: ModelTree, id: string): string | undefined {
  return Object.keys(files).find((path) => files[path]?.id === id);
}

/** With other attributes of a file that is there. */
export function changed(tree: ModelTree, path: string, changes: Partial<ModelFile>): ModelTree {
  const file = tree.files[path];
  if (file === undefined) throw new Error(`the model has no file "${path}"`);
  return { ...tree, files: { ...tree.files, [path]: { ...file, ...changes } } };
}

/** Without a file or folder, which is put into the trash if there is a name for the entry. */
function removed(tree: ModelTree, path: string, entry?: string): ModelTree {
  const isIn = (each: string) => (path.endsWith("/") ? each.startsWith(path) : each === path);
  const [taken = [], left = []] = [true, false].map((wanted) =>
    Object.entries(tree.files).filter(([each]) => isIn(each) === wanted),
  );
  const rest = {
    ...tree,
    files: Object.fromEntries(left),
    folders: tree.folders.filter((each) => !isIn(each)),
  };
  if (entry === undefined) return rest;
  const files = Object.fromEntries(taken.map(([each, file]) => [each.slice(path.length), file]));
  const folders = tree.folders.filter(isIn).map((each) => each.slice(path.length));
  return { ...rest, trash: { ...tree.trash, [entry]: { path, files, folders, deletedAt: tree.now } } };
}

/** Puts a new file at a path where there is none. */
function added(tree: ModelTree, path: string, file: ModelFile): ModelTree | null {
  if (tree.folders.includes(`${path}/`) || !isFree(tree, path)) return null;
  const made = withFolders(tree, above(path));
  return { ...made, files: { ...made.files, [path]: file } };
}

export function newFile(content: string, more: Partial<ModelFile> = {}): ModelFile {
  return { id: null, content, tags: [], expiresAt: null, number: 1, versions: [], ...more };
}

/** A copy is another file, and has no expiry. */
function copyOf({ content, tags }: ModelFile): ModelFile {
  return newFile(content, { tags });
}

/** Gives a file another content, or the same. */
function replace(tree: ModelTree, path: string, content: string): ModelTree {
  const file = tree.files[path];
  if (file === undefined || content === file.content) return tree;
  const { number, expiresAt } = file;
  const old = { number, content: file.content, replacedAt: tree.now, expiresAt, top: topOf(path) };
  const versions = [...file.versions, old].slice(-KEPT_VERSIONS);
  return changed(tree, path, { content, number: number + 1, versions });
}

/** The folder at the top. */
export function topOf(path: string): string {
  return path.slice(0, path.indexOf("/") + 1);
}

export function upload(tree: ModelTree, path: string, file: ModelFile): Changed {
  const { content, tags, expiresAt } = file;
  if (expiresAt !== null && expiresAt <= tree.now) return ["VALIDATION_ERROR", tree];
  if (tree.files[path] !== undefined)
    return ["replaced", changed(replace(tree, path, content), path, { tags, expiresAt })];
  const after = added(tree, path, file);
  return after === null ? [CONFLICT, tree] : ["created", after];
}

export function restoreVersion(tree: ModelTree, path: string, { content }: ModelVersion): Changed {
  return ["done", replace(tree, path, content)];
}

/** Time passes: files expire, and what was kept for long enough goes. */
export function pass(tree: ModelTree, now: number, keptFor = Infinity): ModelTree {
  const isThere = ({ expiresAt }: Pick<ModelFile, "expiresAt">) => expiresAt === null || expiresAt > now;
  const left = (files: ModelTree["files"]) => {
    const present = Object.entries(files).filter(([, file]) => isThere(file));
    return Object.fromEntries(
      present.map(([path, file]) => {
        const versions = file.versions.filter((each) => isThere(each) && each.replacedAt > now - keptFor);
        return [path, { ...file, versions }];
      }),
    );
  };
  const entries = Object.entries(tree.trash)
    .map(([name, entry]) => [name, { ...entry, files: left(entry.files) }] as const)
    .filter(([, { path, files, deletedAt }]) => {
      const isEmptied = !path.endsWith("/") && Object.keys(files).length === 0;
      return deletedAt > now - keptFor && !isEmptied;
    });
  return { ...tree, files: left(tree.files), trash: Object.fromEntries(entries), now };
}

/**
 * What is kept in a folder at the top: how many versions, and the bytes of each content of them and of the trash that no
 * file has there.
 */
export function keptIn(tree: ModelTree, top: string): [versions: number, size: number] {
  const trashed = Object.values(tree.trash).flatMap(({ path, files }) =>
    Object.values(files).map((file) => ({ path, file })),
  );
  const files = [...Object.entries(tree.files).map(([path, file]) => ({ path, file })), ...trashed];
  const versions = files.flatMap(({ file }) => file.versions).filter((each) => each.top === top);
  const kept = new Set(versions.map(({ content }) => content));
  for (const { path, file } of trashed) if (topOf(path) === top) kept.add(file.content);
  for (const [path, { content }] of Object.entries(tree.files)) if (topOf(path) === top) kept.delete(content);
  return [versions.length, [...kept].reduce((sum, content) => sum + content.length, 0)];
}

export function download(tree: ModelTree, id: string): Changed {
  const path = pathOf(tree, id);
  return [path === undefined ? NOT_FOUND : (tree.files[path]?.content ?? ""), tree];
}

export function removeFile(tree: ModelTree, id: string, entry?: string): Changed {
  const path = pathOf(tree, id);
  return path === undefined ? [NOT_FOUND, tree] : ["done", removed(tree, path, entry)];
}

/** Moves or copies a file. @param entry the name of what it takes the place of, in the trash */
export function transferFile(
  tree: ModelTree,
  { id, to, overwrite, isCopy }: { id: string; to: string; overwrite: boolean; isCopy: boolean },
  entry?: string,
): Changed {
  const from = pathOf(tree, id);
  const file = from === undefined ? undefined : tree.files[from];
  if (from === undefined || file === undefined) return [NOT_FOUND, tree];
  if (from === to) return [isCopy ? CONFLICT : "done", tree];
  if (tree.files[to] !== undefined && !overwrite) return [CONFLICT, tree];
  const cleared = tree.files[to] === undefined ? tree : removed(tree, to, entry);
  const after = added(cleared, to, isCopy ? copyOf(file) : file);
  if (after === null) return [CONFLICT, tree];
  return isCopy ? ["created", after] : ["done", removed(after, from)];
}

export function createFolder(tree: ModelTree, path: string): Changed {
  if (tree.folders.includes(path)) return ["there", tree];
  if (tree.files[path.slice(0, -1)] !== undefined || !isFree(tree, path)) return [CONFLICT, tree];
  return ["created", withFolders(tree, [...above(path), path])];
}

export function removeFolder(tree: ModelTree, path: string, entry?: string): Changed {
  return tree.folders.includes(path) ? ["done", removed(tree, path, entry)] : [NOT_FOUND, tree];
}

/** Moves or copies a folder. */
export function transferFolder(
  tree: ModelTree,
  { from, to, isCopy }: { from: string; to: string; isCopy: boolean },
): Changed {
  if (!tree.folders.includes(from)) return [NOT_FOUND, tree];
  if (to.startsWith(from) || isTaken(tree, to.slice(0, -1)) || !isFree(tree, to)) return [CONFLICT, tree];
  const left = isCopy ? tree : removed(tree, from);
  const files = { ...left.files };
  for (const [path, file] of Object.entries(tree.files))
    if (path.startsWith(from)) files[to + path.slice(from.length)] = isCopy ? copyOf(file) : file;
  const made = tree.folders
    .filter((path) => path.startsWith(from))
    .map((path) => to + path.slice(from.length));
  return [isCopy ? "created" : "done", withFolders({ ...left, files }, [...above(to), ...made])];
}

/** Puts an entry of the trash to a path; by default back to its own, or beside what is there. */
export function restore(tree: ModelTree, name: string, path?: string): Changed {
  const { [name]: entry, ...trash } = tree.trash;
  if (entry === undefined) return [NOT_FOUND, tree];
  const place = path ?? nearestPlace(tree, entry.path);
  if (isTaken(tree, place.replace(/\/$/, "")) || !isFree(tree, place)) return [CONFLICT, tree];
  const files = { ...tree.files };
  for (const [rest, file] of Object.entries(entry.files)) files[place + rest] = file;
  const folders = entry.folders.map((each) => place + each);
  return ["done", withFolders({ ...tree, files, trash }, [...above(place), ...folders])];
}

/** Deletes an entry of the trash for good. */
export function purge(tree: ModelTree, name: string): Changed {
  const { [name]: entry, ...trash } = tree.trash;
  return entry === undefined ? [NOT_FOUND, tree] : ["done", { ...tree, trash }];
}

/** Where a file or folder goes back to: its path, or beside what is there. For names without an extension. */
export function nearestPlace(tree: ModelTree, path: string): string {
  const [parent, name] = split(path);
  const place = firstFree(folderFor(tree, parent) + name, (each) => isTaken(tree, each));
  return path.endsWith("/") ? `${place}/` : place;
}

function isTaken({ files, folders }: ModelTree, path: string): boolean {
  return files[path] !== undefined || folders.includes(`${path}/`);
}

/** The nearest folder that no file is in the way of. */
function folderFor(tree: ModelTree, path: string): string {
  if (path === "" || tree.folders.includes(path)) return path;
  const [parent, name] = split(path);
  return `${firstFree(folderFor(tree, parent) + name, (place) => tree.files[place] !== undefined)}/`;
}

function firstFree(place: string, isTakenThere: (place: string) => boolean): string {
  const names = [place, `${place} (restored)`];
  for (let n = 2; names.every(isTakenThere); n += 1) names.push(`${place} (restored ${n})`);
  return names.find((each) => !isTakenThere(each)) ?? place;
}

/** The folder of a path, and the name in it. */
function split(path: string): [folder: string, name: string] {
  const plain = path.replace(/\/$/, "");
  const end = plain.lastIndexOf("/") + 1;
  return [plain.slice(0, end), plain.slice(end)];
}
