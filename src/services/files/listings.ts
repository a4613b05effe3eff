import type { ListScope, ListWindow, Part, ShownFields } from "../../db/files/file-lists.ts";
import { invalid } from "../../domain/errors.ts";
import type { FileFacts, FilePosition, FileSort, ListPosition } from "../../domain/files/file.ts";
import { parseTagFilter } from "../../domain/files/file.ts";
import type { Folder } from "../../domain/folders/folder.ts";
import type { FolderPath } from "../../domain/files/path.ts";
import { containingFolder, narrowed, parsePrefix, wayInto } from "../../domain/files/path.ts";
import type { Reach } from "../access.ts";
import { Service } from "../service.ts";
import type { Parts } from "../parts.ts";

/** A request for a page. `page` counts from 1; `after` is a cursor's position, its file in the order of `sort`. */
export interface ListRequest {
  readonly driveId: string;
  readonly prefix: string;
  /** Whether to stop at the first `/` after the prefix, as a file browser does. */
  readonly grouped: boolean;
  readonly tags: readonly string[];
  readonly sort: FileSort;
  readonly page: number;
  readonly limit: number;
  readonly after: ListPosition | null;
}

/**
 * A page of files and, if grouped, of folders: the two go on side by side, each until it ends.
 *
 * @typeParam Files the files, or their records as JSON with commas between them
 * @typeParam Total null where these are found one by one
 */
export interface Listing<Files = FileFacts[], Total = number> {
  readonly files: Files;
  /** How many files all pages have. */
  readonly total: Total;
  /** Null unless folders are listed. */
  readonly level: FolderLevel<Total> | null;
  /** The position to continue after; null on the last page. */
  readonly nextAfter: ListPosition | null;
}

interface FolderLevel<Total> {
  /** By their names where the files are, else in path order. */
  readonly folders: FolderPath[];
  /** How many folders all pages have. */
  readonly total: Total;
}

type ReadPage<Files> = (scope: ListScope, window: ListWindow) => Part<Files, FilePosition>;

/** Lists a drive's files. A page costs what it shows; with tags, or a part of a name, matches are counted singly. */
export class Listings extends Service<Pick<Parts, "tables" | "access" | "clock">> {
  /** Throws NOT_FOUND, VALIDATION_ERROR. */
  list(caller: Reach, request: ListRequest): Listing {
    return this.#list(caller, request, this.parts.tables.fileLists.page, []);
  }

  /** The same with records as JSON, of all fields or some: a page costs a fraction. */
  records(caller: Reach, request: ListRequest, fields: ShownFields = null): Listing<string> {
    const { records } = this.parts.tables.fileLists;
    return this.#list(caller, request, (scope, window) => records(scope, window, fields), "");
  }

  #list<Files>(caller: Reach, request: ListRequest, read: ReadPage<Files>, none: Files): Listing<Files> {
    const { grouped, sort } = request;
    const drive = this.parts.access.drive(caller, request.driveId);
    const asked = parsePrefix("prefix", request.prefix);
    const tags = parseTagFilter("tags", request.tags);
    requireSortable(request, asked);
    const limit = this.parts.access.prefixOf(caller, drive);
    const prefix = narrowed(asked, limit);
    const folder =
      prefix === null ? null : this.parts.tables.folders.byPath(drive.pk, containingFolder(prefix));
    if (prefix === null || folder === null) return onlyFolders(request, [], none);
    if (grouped && prefix !== asked)
      return onlyFolders(request, [wayInto(containingFolder(asked), limit)], none);
    const now = this.parts.clock.now();
    const scope = { drive: drive.pk, folder: grouped ? folder.pk : null, prefix, tags, sort, now };
    const { page, after } = request;
    const window = { ...windowOf(page, request.limit, after), after: after?.file ?? null };
    const files = after !== null && after.file === null ? { found: none, next: null } : read(scope, window);
    const folders = grouped ? this.#folders(folder, prefix, request) : null;
    const isLast = files.next === null && (folders === null || folders.next === null);
    return {
      files: files.found,
      total: this.#total(scope, folder),
      level: folders && { folders: folders.found, total: this.#folderTotal(folder, prefix) },
      nextAfter: isLast ? null : { file: files.next, folder: folders?.next ?? null },
    };
  }

  #folders(folder: Folder, prefix: string, request: ListRequest): Part<FolderPath[], string> {
    const { sort, page, limit, after } = request;
    if (after !== null && after.folder === null) return { found: [], next: null };
    const { offset } = windowOf(page, limit, after);
    // One more than is shown is read: then there is another page.
    const window = { limit: limit + 1, offset, after: after?.folder ?? null };
    const { folders } = this.parts.tables;
    const found =
      sort === "name" || sort === "-name"
        ? folders.page(folder.pk, { ...window, sort: "name" }).map(({ path }) => path)
        : folders.children(folder.pk, prefix, window);
    return partOf(found, limit, (path) => path);
  }

  #folderTotal(folder: Folder, prefix: string): number {
    if (prefix === folder.path) return folder.ownFolderCount;
    return this.parts.tables.folders.countChildren(folder.pk, prefix).folders;
  }

  #total(scope: ListScope, folder: Folder): number {
    const { fileLists, folders } = this.parts.tables;
    if (scope.tags.length > 0) return fileLists.countTagged(scope);
    const expired = fileLists.countExpired(scope);
    if (scope.prefix === folder.path)
      return (scope.folder === null ? folder.fileCount : folder.ownFileCount) - expired;
    const direct = fileLists.countInFolder({ ...scope, folder: folder.pk });
    const below = scope.folder === null ? folders.countChildren(folder.pk, scope.prefix).files : 0;
    return direct + below - expired;
  }
}

/** A listing without files, of what is above a caller's prefix. The folders are few: all of them are on the first page. */
export function onlyFolders<Files>(
  { grouped, page, after }: ListRequest,
  folders: FolderPath[],
  none: Files,
): Listing<Files> {
  const isFirst = page === 1 && after === null;
  const level = { folders: isFirst ? folders : [], total: folders.length };
  return { files: none, total: 0, level: grouped ? level : null, nextAfter: null };
}

/** A page of what was found, and where the next starts. @param found one more than `limit`, if there are more */
export function partOf<T, Position>(found: readonly T[], limit: number, position: (item: T) => Position) {
  const shown = found.slice(0, limit);
  const last = found.length > limit ? shown.at(-1) : undefined;
  return { found: shown, next: last === undefined ? null : position(last) };
}

/** Only the files of one folder have indexes for orders other than by path. */
function requireSortable({ sort, grouped, tags }: ListRequest, prefix: string): void {
  if (sort === "path") return;
  if (grouped && tags.length === 0 && prefix === containingFolder(prefix)) return;
  throw invalid(
    "sort",
    'other than "path" needs delimiter=/, a prefix that is empty or ends in "/", and no tags',
  );
}

function windowOf(page: number, limit: number, after: ListPosition | null) {
  return { limit, offset: after === null ? (page - 1) * limit : 0 };
}
