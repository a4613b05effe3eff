import type { Clock } from "../clock.ts";
import type { ListScope } from "../db/file-lists.ts";
import type { Tables } from "../db/tables.ts";
import type { Caller } from "../domain/caller.ts";
import type { Drive } from "../domain/drive.ts";
import { invalid } from "../domain/errors.ts";
import { type FileFacts, parseTagFilter } from "../domain/file.ts";
import { type FilePosition, type FileSort, positionOf } from "../domain/file-sort.ts";
import type { Folder } from "../domain/folder.ts";
import { containingFolder, type FolderPath, parsePrefix } from "../domain/path.ts";
import type { Access } from "./access.ts";

/** A request for a page of files. `page` counts from 1; `after` is a cursor's position, in the order of `sort`. */
export interface ListRequest {
  readonly driveId: string;
  readonly prefix: string;
  /** Whether to stop at the first `/` after the prefix, as a file browser does. */
  readonly grouped: boolean;
  readonly tags: readonly string[];
  readonly sort: FileSort;
  readonly page: number;
  readonly limit: number;
  readonly after: FilePosition | null;
}

/** A page of files. */
export interface Listing {
  readonly files: FileFacts[];
  /** The folders at this level; null unless grouped. */
  readonly folders: FolderPath[] | null;
  readonly total: number;
  /** The position to continue after; null on the last page. */
  readonly nextAfter: FilePosition | null;
}

/**
 * Lists a drive's files. Counts are in the folders' rows, so a page costs what it shows. Only for tags, or a prefix
 * that ends within a name, matches are counted one by one.
 */
export class Listings {
  readonly #tables: Tables;
  readonly #access: Access;
  readonly #clock: Clock;

  constructor(parts: { tables: Tables; access: Access; clock: Clock }) {
    this.#tables = parts.tables;
    this.#access = parts.access;
    this.#clock = parts.clock;
  }

  /** Throws NOT_FOUND, VALIDATION_ERROR. */
  list(caller: Caller, request: ListRequest): Listing {
    const drive = this.#access.drive(caller, request.driveId);
    const prefix = parsePrefix("prefix", request.prefix);
    const tags = parseTagFilter("tags", request.tags);
    requireSortable(request, prefix);
    const folder = this.#tables.folders.byPath(drive.pk, containingFolder(prefix));
    if (folder === null)
      return { files: [], folders: request.grouped ? [] : null, total: 0, nextAfter: null };
    const scope = this.#scope(drive, folder, prefix, { ...request, tags });
    return {
      ...this.#page(scope, request),
      folders: request.grouped ? this.#tables.folders.children(folder.pk, prefix) : null,
      total: this.#total(scope, folder),
    };
  }

  #scope(drive: Drive, folder: Folder, prefix: string, request: ListRequest): ListScope {
    const { grouped, tags, sort } = request;
    const now = this.#clock.now();
    return { drive: drive.pk, folder: grouped ? folder.pk : null, prefix, tags, sort, now };
  }

  #page(scope: ListScope, request: ListRequest): Pick<Listing, "files" | "nextAfter"> {
    const { page, limit, after } = request;
    const offset = after === null ? (page - 1) * limit : 0;
    const found = this.#tables.fileLists.page(scope, { limit: limit + 1, offset, after });
    const files = found.slice(0, limit);
    const last = found.length > limit ? files.at(-1) : undefined;
    return { files, nextAfter: last === undefined ? null : positionOf(request.sort, last) };
  }

  #total(scope: ListScope, folder: Folder): number {
    const { fileLists, folders } = this.#tables;
    if (scope.tags.length > 0) return fileLists.countTagged(scope);
    const expired = fileLists.countExpired(scope);
    if (scope.prefix === folder.path)
      return (scope.folder === null ? folder.fileCount : folder.ownFileCount) - expired;
    const direct = fileLists.countInFolder({ ...scope, folder: folder.pk });
    const below = scope.folder === null ? folders.filesBelowChildren(folder.pk, scope.prefix) : 0;
    return direct + below - expired;
  }
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
