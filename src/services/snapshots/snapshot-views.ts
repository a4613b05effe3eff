import { firstAfter, type PathRange, rangeFrom, rangeOf } from "../../db/files/files.ts";
import type { ExpiredFile, SnapshotPlace, SnapshotScope, Step } from "../../db/snapshots/snapshot-lists.ts";
import type { Caller } from "../../domain/accounts/caller.ts";
import type { Drive } from "../../domain/drives/drive.ts";
import { invalid, orNotFound } from "../../domain/errors.ts";
import { parseTagFilter } from "../../domain/files/file.ts";
import type { FolderFacts } from "../../domain/folders/folder.ts";
import {
  containingFolder,
  type FolderPath,
  narrowed,
  parentFolder,
  parseFolderOrRoot,
  parsePrefix,
  wayInto,
} from "../../domain/files/path.ts";
import type { View } from "../../domain/snapshots/snapshot.ts";
import type { FolderListing, FolderListRequest } from "../folders/folders.ts";
import { type Listing, type ListRequest, onlyFolders, partOf } from "../files/listings.ts";
import type { Parts } from "../parts.ts";
import { Service } from "../service.ts";
import { rangeSteps } from "../pieces.ts";

/** How many expired files are read at once. */
const EXPIRED = 1000;

/** How many rows are passed over at once, to reach a page by its number. */
const SKIPPED = 500;

/** A page: the range that it is in, how many come before it there, and how many it has. */
interface Window {
  readonly range: PathRange;
  readonly skip: number;
  readonly limit: number;
}

/** What is counted of files. Sizes in bytes. */
type Counts = Readonly<Record<"files" | "bytes", number>>;

/** Lists what a drive held when a snapshot was taken, in steps, with turns for others; all steps see the same. */
export class SnapshotViews extends Service<Pick<Parts, "tables" | "access" | "clock">> {
  /** Like `Listings.list`, in a snapshot; in path order only. Rejects with NOT_FOUND, VALIDATION_ERROR. */
  async list(caller: Caller, snapshot: string, request: ListRequest): Promise<Listing> {
    const { limit, after, grouped } = request;
    const asked = parsePrefix("prefix", request.prefix);
    const tags = JSON.stringify(parseTagFilter("tags", request.tags));
    requireByPath(request);
    const view = this.parts.access.view(caller, request.driveId, snapshot);
    const seen = this.parts.access.prefixOf(caller, view.drive);
    const prefix = narrowed(asked, seen);
    if (prefix === null) return onlyFolders(request, [], []);
    const scope = this.#scopeOf(view);
    const { snapshotLists } = this.parts.tables;
    const folder = snapshotLists.folderAt(scope, containingFolder(prefix));
    if (folder === null) return onlyFolders(request, [], []);
    if (grouped && prefix !== asked)
      return onlyFolders(request, [wayInto(containingFolder(asked), seen)], []);
    const place = grouped ? this.#placeOf(view.drive, folder.path) : null;
    const range = rangeOf(prefix);
    const lastFile = after?.file ?? null;
    const lastPath = lastFile !== null && "path" in lastFile ? lastFile.path : null;
    const files = await collected(windowOf(range, request, lastPath), (part, most) =>
      place === null
        ? snapshotLists.files(scope, part, most, tags)
        : snapshotLists.filesIn(scope, place, part, most, tags),
    );
    const ofFolders = windowOf(range, request, after?.folder ?? null);
    const folders =
      place &&
      (await collected(ofFolders, (part, most) => snapshotLists.foldersIn(scope, place, part, most)));
    const shown = partOf(files, limit, ({ path }) => path);
    const level = partOf(folders?.map(({ path }) => path) ?? [], limit, (path) => path);
    const isLast = shown.next === null && level.next === null;
    const file = shown.next === null ? null : ({ sort: "path", path: shown.next } as const);
    return {
      files: shown.found,
      total: await this.#total(scope, folder, { place, prefix, tags }),
      level: place && {
        folders: level.found,
        total:
          prefix === folder.path
            ? folder.ownFolderCount
            : await counted(range, (part) => snapshotLists.countFoldersIn(scope, place, part)),
      },
      nextAfter: isLast ? null : { file, folder: level.next },
    };
  }

  /** Like `Folders.list`, in a snapshot. Rejects with NOT_FOUND, VALIDATION_ERROR. */
  async folders(caller: Caller, snapshot: string, request: FolderListRequest): Promise<FolderListing> {
    const { page, limit, after } = request;
    requireByPath(request);
    const path = parseFolderOrRoot("path", request.path);
    const view = this.parts.access.view(caller, request.driveId, snapshot);
    const scope = this.#scopeOf(view);
    const prefix = this.parts.access.prefixOf(caller, view.drive);
    if (!path.startsWith(prefix) && prefix.startsWith(path)) {
      const way = await this.#wayInto(scope, path, prefix);
      const isFirst = page === 1 && after === null;
      const folders = way.map((folder) => ({ drive: view.drive, folder }));
      return { folders: isFirst ? folders : [], total: folders.length, nextAfter: null };
    }
    this.parts.access.requireInside(caller, view.drive, path);
    const { snapshotLists } = this.parts.tables;
    const parent = orNotFound(snapshotLists.folderAt(scope, path), "folder");
    const place = this.#placeOf(view.drive, path);
    const some = await collected(windowOf(rangeOf(path), request, after), (part, most) =>
      snapshotLists.foldersIn(scope, place, part, most),
    );
    const expired = await this.#expiredBelow(scope, path);
    const { found, next: nextAfter } = partOf(some, limit, (folder) => folder.path);
    return {
      folders: found.map((folder) => ({
        drive: view.drive,
        folder: { ...folder, ...countsOf(folder, expired.get(folder.path)) },
      })),
      total: parent.ownFolderCount,
      nextAfter,
    };
  }

  /** What a key sees in a folder above its prefix: the way there, which counts only what the key sees. */
  async #wayInto(scope: SnapshotScope, above: FolderPath, prefix: FolderPath): Promise<FolderFacts[]> {
    const { snapshotLists } = this.parts.tables;
    const end = snapshotLists.folderAt(scope, prefix);
    const step = snapshotLists.folderAt(scope, wayInto(above, prefix));
    if (end === null || step === null) return [];
    const expired = await this.#expiredBelow(scope, parentFolder(prefix));
    const ownFolderCount = step.path === end.path ? end.ownFolderCount : 1;
    return [{ ...step, ...countsOf(end, expired.get(prefix)), ownFolderCount }];
  }

  async #total(
    scope: SnapshotScope,
    folder: FolderFacts,
    { place, prefix, tags }: { place: SnapshotPlace | null; prefix: string; tags: string },
  ): Promise<number> {
    const { snapshotLists } = this.parts.tables;
    if (tags !== "[]" || prefix !== folder.path)
      return counted(rangeOf(prefix), (part) => snapshotLists.countFiles(scope, place, part, tags));
    let total = place === null ? folder.fileCount : folder.ownFileCount;
    for await (const { path } of this.#expired(scope, folder.path)) {
      if (place === null || containingFolder(path) === folder.path) total -= 1;
    }
    return total;
  }

  /** What has expired below each folder directly in a folder. */
  async #expiredBelow(scope: SnapshotScope, parent: FolderPath): Promise<Map<string, Counts>> {
    const below = new Map<string, Counts>();
    for await (const { path, size } of this.#expired(scope, parent)) {
      const child = path.slice(0, path.indexOf("/", parent.length) + 1);
      const { files, bytes } = below.get(child) ?? { files: 0, bytes: 0 };
      if (child.length > parent.length) below.set(child, { files: files + 1, bytes: bytes + size });
    }
    return below;
  }

  /** The files below a folder of the snapshot that have expired since; the folder still counts them. */
  async *#expired(scope: SnapshotScope, below: FolderPath): AsyncGenerator<ExpiredFile> {
    const step = (range: PathRange) => this.parts.tables.snapshotLists.expired(scope, range, EXPIRED);
    for await (const { rows } of rangeSteps(rangeOf(below), step)) yield* rows;
  }

  #scopeOf({ drive, at }: View): SnapshotScope {
    return { drive: drive.pk, at, now: this.parts.clock.now() };
  }

  #placeOf(drive: Drive, path: FolderPath): SnapshotPlace {
    return { path, folder: this.parts.tables.folders.byPath(drive.pk, path)?.pk ?? null };
  }
}

/** What a folder of a snapshot counts without the files that have expired since. */
function countsOf({ fileCount, totalSize }: FolderFacts, expired: Counts = { files: 0, bytes: 0 }) {
  return { fileCount: fileCount - expired.files, totalSize: totalSize - expired.bytes };
}

/** One more than a page has, after the last path of the page before; null if that was the end. */
function windowOf(
  range: PathRange,
  { page, limit, after }: { readonly page: number; readonly limit: number; readonly after: unknown },
  last: string | null,
): Window | null {
  if (after === null) return { range, skip: (page - 1) * limit, limit: limit + 1 };
  return last === null ? null : { range: rangeFrom(range, firstAfter(last)), skip: 0, limit: limit + 1 };
}

async function collected<T>(window: Window | null, step: (range: PathRange, limit: number) => Step<T>) {
  if (window === null) return [];
  const { range, skip, limit } = window;
  const found: T[] = [];
  let toSkip = skip;
  const next = (rest: PathRange) => step(rest, toSkip > 0 ? SKIPPED : limit - found.length);
  for await (const { rows } of rangeSteps(range, next)) {
    const skipped = Math.min(toSkip, rows.length);
    toSkip -= skipped;
    found.push(...rows.slice(skipped, skipped + limit - found.length));
    if (found.length === limit) break;
  }
  return found;
}

async function counted(
  range: PathRange,
  step: (range: PathRange) => { readonly count: number; readonly rest: PathRange | null },
): Promise<number> {
  let total = 0;
  for await (const { count } of rangeSteps(range, step)) total += count;
  return total;
}

/** Snapshots have no indexes for other orders. Throws VALIDATION_ERROR. */
function requireByPath({ sort }: { readonly sort: string }): void {
  if (sort !== "path") throw invalid("sort", 'must be "path" in a snapshot');
}
