import { nearestPlace } from "../models/model-drive.ts";

/** What a drive holds: the simplest model of it, as plain data. */
export interface ModelTree {
  /** By path, those that have not expired. */
  readonly files: Readonly<Record<string, ModelFile>>;
  /** Paths, sorted. */
  readonly folders: readonly string[];
  /** What was deleted before, by the names that the test gives it. */
  readonly trash: Readonly<Record<string, ModelEntry>>;
  /** How often somebody has waited. */
  readonly waits: number;
}

/** A deleted file, or a folder that ends in `/`. */
interface ModelEntry {
  readonly path: string;
  /** The contents of its files, by their paths in the entry: of a file's entry, an empty one. */
  readonly files: Readonly<Record<string, string>>;
}

interface ModelFile {
  /** The name of a file that the test knows; null for any other. */
  readonly id: string | null;
  readonly content: string;
  /** Whether it expires after `LIFETIME` waits. */
  readonly expires: boolean;
}

/** The one time at which files expire: after so many waits. */
export const LIFETIME = 1;

export const EMPTY: ModelTree = { files: {}, folders: [], trash: {}, waits: 0 };

/** What a change comes to, and the tree after it; a refused one changes nothing. */
type Changed = readonly [outcome: string, tree: ModelTree];

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

function without(tree: ModelTree, path: string): ModelTree {
  const { [path]: _, ...files } = tree.files;
  return { ...tree, files };
}

function pathOf({ files }: ModelTree, id: string): string | undefined {
  return Object.keys(files).find((path) => files[path]?.id === id);
}

/** Puts a new file at a path where there is none. */
function added(tree: ModelTree, path: string, file: ModelFile): ModelTree | null {
  if (tree.folders.includes(`${path}/`) || !isFree(tree, path)) return null;
  const made = withFolders(tree, above(path));
  return { ...made, files: { ...made.files, [path]: file } };
}

export function upload(tree: ModelTree, path: string, content: string, expires = false): Changed {
  if (expires && tree.waits >= LIFETIME) return ["VALIDATION_ERROR", tree];
  const present = tree.files[path];
  if (present === undefined) {
    const after = added(tree, path, { id: null, content, expires });
    return after === null ? [CONFLICT, tree] : ["created", after];
  }
  return ["replaced", { ...tree, files: { ...tree.files, [path]: { ...present, content, expires } } }];
}

/** Time passes, and perhaps files expire. */
export function wait(tree: ModelTree): Changed {
  const waits = tree.waits + 1;
  const left = Object.entries(tree.files).filter(([, { expires }]) => !expires || waits < LIFETIME);
  return ["done", { ...tree, files: Object.fromEntries(left), waits }];
}

export function download(tree: ModelTree, id: string): Changed {
  const path = pathOf(tree, id);
  return [path === undefined ? NOT_FOUND : (tree.files[path]?.content ?? ""), tree];
}

export function removeFile(tree: ModelTree, id: string): Changed {
  const path = pathOf(tree, id);
  return path === undefined ? [NOT_FOUND, tree] : ["done", without(tree, path)];
}

/** A copy is another file, and has no expiry. */
function copyOf({ content }: ModelFile): ModelFile {
  return { id: null, content, expires: false };
}

/** Moves or copies a file. */
export function transferFile(
  tree: ModelTree,
  { id, to, overwrite, isCopy }: { id: string; to: string; overwrite: boolean; isCopy: boolean },
): Changed {
  const from = pathOf(tree, id);
  const file = from === undefined ? undefined : tree.files[from];
  if (from === undefined || file === undefined) return [NOT_FOUND, tree];
  if (from === to) return [isCopy ? CONFLICT : "done", tree];
  if (tree.files[to] !== undefined && !overwrite) return [CONFLICT, tree];
  const cleared = without(tree, to);
  const after = added(cleared, to, isCopy ? copyOf(file) : file);
  if (after === null) return [CONFLICT, tree];
  return ["done", isCopy ? after : without(after, from)];
}

export function createFolder(tree: ModelTree, path: string): Changed {
  if (tree.folders.includes(path)) return ["there", tree];
  if (tree.files[path.slice(0, -1)] !== undefined || !isFree(tree, path)) return [CONFLICT, tree];
  return ["created", withFolders(tree, [...above(path), path])];
}

export function removeFolder(tree: ModelTree, path: string): Changed {
  if (!tree.folders.includes(path)) return [NOT_FOUND, tree];
  const files = Object.entries(tree.files).filter(([each]) => !each.startsWith(path));
  const folders = tree.folders.filter((each) => !each.startsWith(path));
  return ["done", { ...tree, files: Object.fromEntries(files), folders }];
}

/** Moves or copies a folder. */
export function transferFolder(
  tree: ModelTree,
  { from, to, isCopy }: { from: string; to: string; isCopy: boolean },
): Changed {
  if (!tree.folders.includes(from)) return [NOT_FOUND, tree];
  const isTaken = tree.folders.includes(to) || tree.files[to.slice(0, -1)] !== undefined;
  if (to.startsWith(from) || isTaken || !isFree(tree, to)) return [CONFLICT, tree];
  const relocated = (path: string) => to + path.slice(from.length);
  const files = { ...tree.files };
  for (const [path, file] of Object.entries(tree.files)) {
    if (!path.startsWith(from)) continue;
    files[relocated(path)] = isCopy ? copyOf(file) : file;
    if (!isCopy) delete files[path];
  }
  const made = tree.folders.filter((each) => each.startsWith(from)).map(relocated);
  const left = isCopy ? tree.folders : tree.folders.filter((each) => !each.startsWith(from));
  return ["done", withFolders({ ...tree, files, folders: left }, [...above(to), ...made])];
}

/** Puts an entry of the trash back: to its path, or beside what is there. */
export function restore(tree: ModelTree, name: string): Changed {
  const { [name]: entry, ...trash } = tree.trash;
  if (entry === undefined) return [NOT_FOUND, tree];
  const place = nearestPlace(
    { hasFile: (path) => tree.files[path] !== undefined, hasFolder: (path) => tree.folders.includes(path) },
    { kind: entry.path.endsWith("/") ? "folder" : "file", path: entry.path },
  );
  const files = { ...tree.files };
  for (const [path, content] of Object.entries(entry.files))
    files[place + path] = { id: null, content, expires: false };
  const folders = Object.keys(entry.files).flatMap((path) => above(place + path));
  return ["done", withFolders({ ...tree, files, trash }, folders)];
}

/** Deletes an entry of the trash for good. */
export function purge(tree: ModelTree, name: string): Changed {
  const { [name]: entry, ...trash } = tree.trash;
  return entry === undefined ? [NOT_FOUND, tree] : ["done", { ...tree, trash }];
}
