import { setImmediate as nextTurn } from "node:timers/promises";
import type { ListScope, ShownFields } from "../../db/files/file-lists.ts";
import { firstAfter } from "../../db/files/files.ts";
import { type ListPosition, parseTagFilter } from "../../domain/files/file.ts";
import { type Glob, startOfMatches } from "../../domain/files/glob.ts";
import { containingFolder, type FolderPath, narrowed, parsePrefix } from "../../domain/files/path.ts";
import { WALK } from "../../domain/limits.ts";
import type { Reach } from "../access.ts";
import type { Parts } from "../parts.ts";
import { Service } from "../service.ts";
import type { Listing, ListRequest } from "./listings.ts";

/** What is looked for: files and folders whose paths, below the folder that `prefix` is in, are so. */
export interface WalkRequest extends Pick<ListRequest, "driveId" | "prefix" | "tags" | "limit" | "after"> {
  readonly glob: Glob | null;
  /** How many names a path may have; null for any number. */
  readonly depth: number | null;
}

interface At {
  readonly path: string;
}

/** How a walk goes through paths in their order. */
interface Way<T extends At> {
  /** Reads up to `limit`, from a path on. */
  readonly read: (from: string, limit: number) => readonly T[];
  readonly accepts: (path: string) => boolean;
  /** The folder, of those that are passed over, that a path is in; null for none. */
  readonly passedOver: (path: string) => FolderPath | null;
  readonly limit: number;
  /** Where it begins: with this path, or the next one. */
  readonly start: string;
}

interface Walked<T extends At> {
  readonly found: readonly T[];
  /** Where the walk goes on; null at the end. */
  readonly next: string | null;
}

/** There is nothing more. */
const END = { found: [], next: null };

/** How many rows are read at once: few where what follows may be passed over. */
const ROWS = { few: 16, many: 500 };
/** How long others wait, in milliseconds. */
const TURN_MS = 2;

/**
 * Finds files by patterns of their paths, for which no index can be: it looks at all paths that begin as the pattern
 * does. A walk ends after a time, perhaps with few found, and can go on from there.
 */
export class Walks extends Service<Pick<Parts, "tables" | "access" | "clock">> {
  /** A page of files, as records in JSON, and with `depth` alone of folders. Throws NOT_FOUND, VALIDATION_ERROR. */
  async records(caller: Reach, request: WalkRequest, fields: ShownFields): Promise<Listing<string, null>> {
    const { after, glob, depth } = request;
    const { drive, scope, base } = this.#placeOf(caller, request);
    const showsFolders = depth !== null && glob === null;
    if (scope === null) return { files: "", total: null, level: levelOf(showsFolders, []), nextAfter: null };
    const isPast = after !== null && after.file === null;
    const files = isPast ? END : await this.#files(scope, base, request);
    const hasFolders = showsFolders && (after === null || after.folder !== null);
    const folders = hasFolders ? await this.#folders(scope, base, request) : END;
    return {
      files: this.parts.tables.fileLists.recordsOf(
        drive.pk,
        files.found.map(({ id }) => id),
        fields,
      ),
      total: null,
      level: levelOf(showsFolders, folders.found),
      nextAfter:
        files.next === null && folders.next === null
          ? null
          : { file: files.next === null ? null : { sort: "path", path: files.next }, folder: folders.next },
    };
  }

  /** A page of files that match, and where the next one begins; null at the end. Throws like `records`. */
  async page(caller: Reach, request: WalkRequest) {
    const { scope, base } = this.#placeOf(caller, request);
    const { found, next } = scope === null ? END : await this.#files(scope, base, request);
    // Others had turns, so some may be gone.
    return { files: found.flatMap(({ id }) => this.parts.tables.files.byId(id) ?? []), next };
  }

  /** All files that match, in path order. Throws like `records`, and VALIDATION_ERROR for more than `most`. */
  async *matching(caller: Reach, request: Omit<WalkRequest, "limit" | "after">) {
    const { scope, base } = this.#placeOf(caller, request);
    let next: string | null = null;
    do {
      if (scope === null) return;
      const after: ListPosition = { file: next === null ? null : { sort: "path", path: next }, folder: null };
      const walked = await this.#files(scope, base, { ...request, limit: ROWS.many, after });
      yield* walked.found;
      ({ next } = walked);
    } while (next !== null);
  }

  /** The drive, what of it may match and is seen, and the folder below which paths are looked at. */
  #placeOf(caller: Reach, { driveId, prefix, tags, glob }: Omit<WalkRequest, "limit" | "after">) {
    const drive = this.parts.access.drive(caller, driveId);
    const asked = parsePrefix("prefix", prefix);
    const base = containingFolder(asked);
    const filter = parseTagFilter("tags", tags);
    const start = startOfMatches(asked, glob);
    const seen = start === null ? null : narrowed(start, this.parts.access.prefixOf(caller, drive));
    const scope: ListScope | null =
      seen === null
        ? null
        : {
            drive: drive.pk,
            folder: null,
            prefix: seen,
            tags: filter,
            sort: "path",
            now: this.parts.clock.now(),
          };
    return { drive, scope, base };
  }

  #files(scope: ListScope, base: FolderPath, { glob, depth, limit, after }: WalkRequest) {
    const file = after?.file ?? null;
    return walk({
      read: (from, most) => this.parts.tables.fileLists.some(scope, from, most),
      accepts: (path) => glob === null || glob.matches(path.slice(base.length)),
      passedOver: (path) => folderBelow(path, base, depth),
      limit,
      start: file !== null && "path" in file ? file.path : "",
    });
  }

  #folders({ drive, prefix }: ListScope, base: FolderPath, { depth, limit, after }: WalkRequest) {
    return walk({
      read: (from, most) => this.parts.tables.folders.some({ drive, prefix }, from, most),
      accepts: (path) => path !== base,
      passedOver: (path) => folderBelow(path, base, depth),
      limit,
      start: after?.folder ?? "",
    });
  }
}

/** Goes on until so many are found, for a time. */
async function walk<T extends At>({ read, accepts, passedOver, limit, start }: Way<T>): Promise<Walked<T>> {
  const found: T[] = [];
  const end = performance.now() + WALK.time;
  let turn = performance.now() + TURN_MS;
  let [from, rows, looked] = [start, ROWS.few, 0];
  while (looked < WALK.paths && performance.now() < end) {
    const some = read(from, rows);
    let folder: FolderPath | null = null;
    for (const each of some) {
      if (performance.now() > turn) {
        await nextTurn();
        turn = performance.now() + TURN_MS;
      }
      looked += 1;
      folder = passedOver(each.path);
      from = folder === null ? firstAfter(each.path) : startAfter(folder);
      if (folder !== null) break;
      if (!accepts(each.path)) continue;
      if (found.length === limit) return { found, next: each.path };
      found.push(each);
    }
    if (folder === null && some.length < rows) return { found, next: null };
    rows = folder === null ? ROWS.many : ROWS.few;
  }
  return { found, next: from };
}

/** The first path after all that is in a folder. */
function startAfter(folder: FolderPath): string {
  return `${folder.slice(0, -1)}0`;
}

/** The folder with so many names below another that a path is in; null for one that is not so deep. */
function folderBelow(path: string, base: FolderPath, depth: number | null): FolderPath | null {
  if (depth === null) return null;
  let slash = base.length - 1;
  for (let names = 0; names < depth; names += 1) {
    slash = path.indexOf("/", slash + 1);
    if (slash === -1) return null;
  }
  return slash === path.length - 1 ? null : containingFolder(path.slice(0, slash + 1));
}

function levelOf(isShown: boolean, folders: readonly { readonly path: FolderPath }[]) {
  return isShown ? { folders: folders.map(({ path }) => path), total: null } : null;
}
