import { computed, signal } from "@preact/signals-core";
import { type ApiError, asApiError } from "../api/api.ts";
import { parentOf } from "../files.ts";
import type { Entry } from "../files.ts";
import { listFolders } from "../files/folders.ts";
import type { FoldersPage } from "../api/types.ts";
import { Level } from "./tree-level.ts";
import { rowsOf, type TreeRow } from "./tree-rows.ts";

/** Folders a request; a reload asks for as many as were there, up to what one request may ask for. */
const PAGE = 200;
const MOST_A_REQUEST = 1000;
/**
 * How many folders above the current one, beside the drive itself, are loaded with all that is in them.
 * Those between show the way alone, and the rest when asked: a free plan asks 60 times a minute.
 */
const NEAREST = 4;

/** A drive's folders as a tree, loaded level by level as it is opened. A component that reads it is updated. */
export class TreeStore {
  readonly #drive: string;
  readonly #isTold: boolean;
  readonly #levels = new Map<string, Level>();
  readonly #open = new Set([""]);
  /** Why the last page of a level did not come. */
  readonly #errors = new Map<string, ApiError>();
  /** Another number whenever something changed. */
  readonly #revision = signal(0);
  readonly #rows = computed(() => {
    void this.#revision.value;
    return rowsOf({ levels: this.#levels, open: this.#open, failed: this.#errors });
  });

  /**
   * @param drive its id
   * @param isTold whether `learn` is called with what is in the folder that one is in
   */
  constructor(drive: string, isTold: boolean) {
    this.#drive = drive;
    this.#isTold = isTold;
  }

  /** All that is open, from the top; the first is the drive itself. */
  get rows(): readonly TreeRow[] {
    return this.#rows.value;
  }

  get isBusy(): boolean {
    return [...this.#levels.values()].some(({ request }) => request !== null);
  }

  /** Why something that is shown as not loaded is not. */
  get error(): ApiError | null {
    void this.#revision.value;
    const [error = null] = this.#errors.values();
    return error;
  }

  /** Opens the way to a folder and the folder itself, as far as it is known: see `fill`. */
  reveal(folder: string): void {
    const way = wayTo(folder);
    for (const path of way) this.#open.add(path);
    for (const child of way.slice(1)) {
      const level = this.#level(parentOf(child));
      if (child !== folder || level.get(child) === undefined) level.add({ path: child, hasFolders: true });
    }
    this.#changed();
  }

  /** Loads what is missing on the way to a folder that was revealed, and reads again what is in it. */
  fill(folder: string): void {
    const above = wayTo(folder).slice(0, -1);
    for (const [depth, path] of above.entries()) {
      const level = this.#level(path);
      const isNear = depth === 0 || depth >= above.length - NEAREST;
      if (isNear && level.total === null && level.request === null) this.#load(path);
    }
    if (this.#isTold) return;
    if (folder === "" || this.#hasFolders(folder)) this.#load(folder);
  }

  /** Takes over what was asked elsewhere: the first page of a folder, or null where it is not there. */
  setFirstPage(folder: string, first: FoldersPage | null): void {
    const level = this.#level(folder);
    if (first === null) this.#remove(folder);
    // Where more pages are there already, or on their way, the first one would make it forget the others.
    else if (first.next_cursor === null || (level.loaded <= first.data.length && level.request === null)) {
      level.request?.abort();
      level.request = null;
      this.#errors.delete(folder);
      this.#take(folder, level, first);
    }
    this.#changed();
  }

  /** Shows what is in a folder, as the server has it now. */
  open(folder: string): void {
    this.#open.add(folder);
    this.#changed();
    this.#load(folder);
  }

  close(folder: string): void {
    this.#open.delete(folder);
    this.#changed();
  }

  /** Loads the next page of a level, or tries again the one that did not come. */
  more(folder: string): void {
    const level = this.#level(folder);
    if (level.request !== null) return;
    if (level.next === null) this.#load(folder);
    else void this.#ask(folder, level, { limit: PAGE, cursor: level.next });
  }

  /** Tries all again that did not come. */
  retry(): void {
    for (const path of this.#errors.keys()) this.more(path);
  }

  /** Adds the folder of a new or changed file, or a new folder, and those above it. Ignores other drives. */
  put(entry: Entry): void {
    const { drive_id: drive } = entry.kind === "file" ? entry.file : entry.folder;
    if (drive !== this.#drive) return;
    const folder = entry.kind === "file" ? parentOf(entry.path) : entry.path;
    this.addFolder(folder, entry.kind === "folder" && entry.folder.has_folders);
  }

  /** Adds a folder of the drive that is there, and those above it. */
  addFolder(folder: string, hasFolders = this.#hasFolders(folder)): void {
    for (const path of wayTo(folder).slice(1)) this.#add(path, path !== folder || hasFolders);
    this.#changed();
  }

  /** Removes a folder, with everything in it. */
  remove(path: string): void {
    this.#remove(path);
    this.#changed();
  }

  /** Reads again what is in a folder, where that was read before. */
  reload(folder: string): void {
    if ((this.#levels.get(folder)?.total ?? null) !== null) this.#load(folder);
  }

  /** As far as it is known. */
  #hasFolders(folder: string): boolean {
    return this.#levels.get(parentOf(folder))?.get(folder)?.hasFolders === true;
  }

  #add(path: string, hasFolders: boolean): void {
    const parent = parentOf(path);
    const level = this.#levels.get(parent);
    if (level?.add({ path, hasFolders }) === true) this.#refresh(parent, level);
  }

  /** Forgets a folder and all below it; the drive itself stays. */
  #remove(path: string): void {
    if (path === "") return;
    for (const other of [...this.#levels.keys(), ...this.#open]) {
      if (!other.startsWith(path)) continue;
      this.#levels.get(other)?.request?.abort();
      this.#levels.delete(other);
      this.#open.delete(other);
      this.#errors.delete(other);
    }
    const parent = parentOf(path);
    const level = this.#levels.get(parent);
    if (level === undefined) return;
    level.remove(path);
    if (level.isEmpty) this.#levels.get(parentOf(parent))?.setHasFolders(parent, false);
    this.#refresh(parent, level);
  }

  /** Asks again where an answer is on its way, which may be from before a change. */
  #refresh(path: string, level: Level): void {
    if (level.request !== null) this.#load(path);
  }

  #load(path: string): void {
    const level = this.#level(path);
    // What no one request can give again stays as it is.
    if (level.loaded > MOST_A_REQUEST) return;
    const limit = Math.min(MOST_A_REQUEST, Math.ceil(Math.max(1, level.loaded) / PAGE) * PAGE);
    void this.#ask(path, level, { limit });
  }

  /** Takes a page of a level over, whatever was asked of it before. */
  async #ask(
    path: string,
    level: Level,
    page: { limit: number; cursor?: string | undefined },
  ): Promise<void> {
    level.request?.abort();
    const request = new AbortController();
    level.request = request;
    this.#errors.delete(path);
    this.#changed();
    try {
      const answer = await listFolders(this.#drive, path, { ...page, signal: request.signal });
      if (request.signal.aborted) return;
      this.#take(path, level, answer, page.cursor === undefined);
    } catch (error) {
      if (request.signal.aborted) return;
      const refusal = asApiError(error);
      if (refusal.status === 404 && path !== "") this.#remove(path);
      else this.#errors.set(path, refusal);
    }
    level.request = null;
    this.#changed();
  }

  #take(path: string, level: Level, page: FoldersPage, isFirst = true): void {
    level.take(page, isFirst);
    if (path !== "") this.#levels.get(parentOf(path))?.setHasFolders(path, !level.isEmpty);
  }

  #level(path: string): Level {
    const level = this.#levels.get(path) ?? new Level();
    this.#levels.set(path, level);
    return level;
  }

  #changed(): void {
    this.#revision.value += 1;
  }
}

/** The root, and every folder on the way to one, which is the last. */
function wayTo(folder: string): string[] {
  return ["", ...Array.from(folder.matchAll(/\//g), ({ index }) => folder.slice(0, index + 1))];
}
