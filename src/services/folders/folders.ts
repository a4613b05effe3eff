import type { Within } from "../../db/engine/database.ts";
import type { Batch } from "../../domain/changes/batch.ts";
import { actorOf, type Stamp, stampOf } from "../../domain/changes/change.ts";
import type { Caller } from "../../domain/accounts/caller.ts";
import type { Drive } from "../../domain/drives/drive.ts";
import { orNotFound } from "../../domain/errors.ts";
import type { Folder, FolderFacts, FolderSort } from "../../domain/folders/folder.ts";
import { newId, type TrashId } from "../../domain/id.ts";
import type { FolderPath } from "../../domain/files/path.ts";
import { parentFolder, parseFolderOrRoot, parseFolderPath, wayInto } from "../../domain/files/path.ts";
import { keepsDeleted } from "../../domain/history/history.ts";
import type { Reach } from "../access.ts";
import type { Parts } from "../parts.ts";
import { Service } from "../service.ts";
import type { FolderChanges } from "./folder-changes.ts";
import type { Destination } from "../files/files.ts";
import { type ListRequest, partOf } from "../files/listings.ts";
import { seenCounts } from "../files/folder-counts.ts";

/** A folder as readers see it: its counts exclude expired files that wait for the sweep. */
export interface ShownFolder {
  readonly drive: Drive;
  readonly folder: FolderFacts;
}

/** A request for the folders in a folder. `page` counts from 1; `after` is the path of a cursor. */
export interface FolderListRequest extends Pick<ListRequest, "driveId" | "page" | "limit"> {
  readonly path: string;
  readonly sort: FolderSort;
  readonly after: string | null;
}

export interface FolderListing {
  readonly folders: readonly ShownFolder[];
  readonly total: number;
  /** The path after which the next page starts; null on the last page. */
  readonly nextAfter: FolderPath | null;
}

/** The destination of a copy or move, as sent; its path ends with the name of the folder. */
export type FolderDestination = Omit<Destination, "onConflict">;

/** The arguments of a copy or move. */
type FolderTransfer = [
  caller: Caller,
  driveId: string,
  path: string,
  to: FolderDestination,
  within?: Within<ShownFolder>,
  /** What it is part of. */
  batch?: Batch,
];

export type FolderPreview = Pick<FolderFacts, "path" | "fileCount">;

export interface RemovedFolder {
  readonly fileCount: number;
  /** Its entry in the trash; null if it is not kept. */
  readonly trashId: TrashId | null;
}

/** Creates, lists, moves, copies and deletes folders, with everything in them. */
export class Folders extends Service<
  Pick<Parts, "tables" | "blobs" | "access" | "tree" | "locks" | "retention" | "clock"> & {
    folderChanges: FolderChanges;
  }
> {
  /** Creates a folder and its missing ancestors; `created` is false if it was there. Throws CONFLICT. */
  create(
    caller: Caller,
    driveId: string,
    path: string,
    within?: Within<ShownFolder & { readonly created: boolean }>,
  ) {
    const parsed = parseFolderPath("path", path);
    return this.parts.access.write(caller, within, () => {
      const drive = this.parts.access.driveToWrite(caller, driveId, parsed);
      const stamp = stampOf(caller, this.parts.clock.now());
      const { folder, created } = this.parts.tree.ensureFolder(drive, parsed, stamp);
      return { drive, folder: this.#shown(drive, folder), created };
    });
  }

  /** A folder. Throws NOT_FOUND, VALIDATION_ERROR. */
  get(caller: Reach, driveId: string, path: string): ShownFolder {
    const parsed = parseFolderOrRoot("path", path);
    const drive = this.parts.access.drive(caller, driveId);
    this.parts.access.requireInside(caller, drive, parsed);
    return { drive, folder: this.#shown(drive, this.#folder(drive, parsed)) };
  }

  /** The folders directly in a folder. Throws NOT_FOUND. */
  list(caller: Caller, { driveId, path, sort, page, limit, after }: FolderListRequest): FolderListing {
    const drive = this.parts.access.drive(caller, driveId);
    const parsed = parseFolderOrRoot("path", path);
    const prefix = this.parts.access.prefixOf(caller, drive);
    if (!parsed.startsWith(prefix) && prefix.startsWith(parsed)) {
      const isFirst = page === 1 && after === null;
      const folders = this.#wayInto(drive, parsed, prefix);
      return { folders: isFirst ? folders : [], total: folders.length, nextAfter: null };
    }
    this.parts.access.requireInside(caller, drive, parsed);
    const parent = this.#folder(drive, parsed);
    const offset = after === null ? (page - 1) * limit : 0;
    const some = this.parts.tables.folders.page(parent.pk, { sort, limit: limit + 1, offset, after });
    const { found, next: nextAfter } = partOf(some, limit, (folder) => folder.path);
    const folders = this.#allShown(drive, parent.path, found).map((folder) => ({ drive, folder }));
    return { folders, total: parent.ownFolderCount, nextAfter };
  }

  /** Moves a folder with everything in it. Throws NOT_FOUND, CONFLICT, VALIDATION_ERROR. */
  move(...transfer: FolderTransfer): Promise<ShownFolder> {
    return this.#transfer("move", ...transfer);
  }

  /** Copies a folder with all in it, no content twice. Throws like `move`, and QUOTA_EXCEEDED, STORAGE_FULL. */
  async copy(...transfer: FolderTransfer): Promise<ShownFolder> {
    await this.parts.tables.requireWritable();
    this.parts.blobs.space.requireFree();
    return this.#transfer("copy", ...transfer);
  }

  /** Counts what `remove` would delete; a write, so that `within` can keep the response. Throws NOT_FOUND. */
  preview(caller: Caller, driveId: string, path: string, within?: Within<FolderPreview>) {
    const parsed = parseFolderPath("path", path);
    return this.parts.access.writeFromReserve(caller, within, () => {
      const drive = this.parts.access.driveToWrite(caller, driveId, parsed);
      const folder = this.#folder(drive, parsed);
      return { path: parsed, fileCount: this.#shown(drive, folder).fileCount };
    });
  }

  /** Puts a folder with everything in it into the trash. Throws NOT_FOUND. @param batch what it is part of */
  remove(
    caller: Caller,
    driveId: string,
    path: string,
    within?: Within<RemovedFolder>,
    batch?: Batch,
  ): Promise<RemovedFolder> {
    const parsed = parseFolderPath("path", path);
    const begin = ({ now: deletedAt }: Stamp) => {
      const { tables, access, locks, retention } = this.parts;
      const drive = access.driveToWrite(caller, driveId, parsed);
      locks.requireWholeFree(drive.pk, parsed);
      const { fileCount } = this.#shown(drive, this.#folder(drive, parsed));
      const trashId = keepsDeleted(retention) ? newId<TrashId>(deletedAt) : null;
      const entry = { drive: drive.pk, kind: "folder", path: parsed, state: "filling", deletedAt } as const;
      const trash = trashId && tables.trash.insert({ ...entry, id: trashId, deletedBy: actorOf(caller) });
      const from = { drive: drive.pk, path: parsed, top: parsed };
      const work = { kind: "remove", from, to: null, trash } as const;
      return { work, files: fileCount, result: () => ({ fileCount, trashId }) };
    };
    return this.parts.folderChanges.perform(caller, within, begin, "writeFromReserve", batch);
  }

  #transfer(how: "move" | "copy", ...[caller, driveId, path, to, within, batch]: FolderTransfer) {
    const from = parseFolderPath("path", path);
    const target = parseFolderPath("destination_path", to.path);
    const begin = (stamp: Stamp) => {
      const { access } = this.parts;
      // A move takes the folder away; a copy only reads it.
      const source =
        how === "move" ? access.driveToWrite(caller, driveId, from) : access.drive(caller, driveId);
      if (how === "copy") access.requireInside(caller, source, from);
      const drive = access.driveToWrite(caller, to.driveId ?? source.id, target);
      if (how === "move") access.requireMayTake(caller, source.id, drive);
      // First: a folder may be missing only until a running work puts it back.
      this.parts.locks.requireFree(source.pk, from);
      const folder = this.#shown(source, this.#folder(source, from));
      const work = this.parts.folderChanges[how]({ source, folder, drive, path: target }, stamp);
      const result = () => {
        const made = this.parts.tables.folders.existing(drive.pk, target);
        return { drive, folder: this.#shown(drive, made) };
      };
      return { work, files: folder.fileCount, result };
    };
    return this.parts.folderChanges.perform(caller, within, begin, "write", batch);
  }

  /** What a key sees in a folder above its prefix: the way there, which counts only what the key sees. */
  #wayInto(drive: Drive, above: FolderPath, prefix: FolderPath): ShownFolder[] {
    const { folders } = this.parts.tables;
    const end = folders.byPath(drive.pk, prefix);
    const step = folders.byPath(drive.pk, wayInto(above, prefix));
    if (end === null || step === null) return [];
    const counts = seenCounts(this.parts.tables, drive, prefix, this.parts.clock.now());
    const ownFolderCount = step.pk === end.pk ? end.ownFolderCount : 1;
    return [{ drive, folder: { ...step, ...counts, ownFolderCount } }];
  }

  #folder(drive: Drive, path: FolderPath): Folder {
    return orNotFound(this.parts.tables.folders.byPath(drive.pk, path), "folder");
  }

  #shown(drive: Drive, folder: Folder): Folder {
    const [shown] = this.#allShown(drive, parentFolder(folder.path), [folder]);
    return shown ?? folder;
  }

  /** Folders of one parent, in path order, with the counts that readers see. */
  #allShown(drive: Drive, parent: FolderPath, folders: readonly Folder[]): Folder[] {
    const { tables, clock } = this.parts;
    const paths = folders.map(({ path }) => path);
    const expired = tables.fileLists.expiredBelow(drive.pk, parent, paths, clock.now());
    return folders.map((folder) => {
      const { files, bytes } = expired.get(folder.path) ?? { files: 0, bytes: 0 };
      return { ...folder, fileCount: folder.fileCount - files, totalSize: folder.totalSize - bytes };
    });
  }
}
