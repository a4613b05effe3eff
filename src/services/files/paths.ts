import type { Within } from "../../db/engine/database.ts";
import type { Caller } from "../../domain/accounts/caller.ts";
import type { Batch } from "../../domain/changes/batch.ts";
import { CofferError, invalid } from "../../domain/errors.ts";
import type { File } from "../../domain/files/file.ts";
import {
  asFilePath,
  asFolderPath,
  type FilePath,
  type FolderPath,
  lastSegment,
  parentFolder,
  parseFolderPath,
  parsePathOfFile,
  withSlash,
} from "../../domain/files/path.ts";
import type { Precondition } from "../../domain/files/precondition.ts";
import { keepsDeleted } from "../../domain/history/history.ts";
import type { TrashId } from "../../domain/id.ts";
import type { FolderDestination, Folders, RemovedFolder, ShownFolder } from "../folders/folders.ts";
import type { Parts } from "../parts.ts";
import { Service } from "../service.ts";
import type { Destination, Files, Removed, Transferred } from "./files.ts";
import { freeIn, numbered } from "./free-places.ts";

/** A file or folder as a caller names it: a folder also without its last slash, if no file is at that path. */
export interface PathRef {
  readonly drive: string;
  readonly path: string;
}

interface FolderRef extends PathRef {
  /** Whether a new path that ends with `/` is the folder into which it goes. */
  readonly keepsName: boolean;
}

/** What is at a path. */
export type Found =
  { readonly kind: "file"; readonly file: File } | ({ readonly kind: "folder" } & ShownFolder);

/** What was copied or moved, as it is now; or was left because its new place is taken. */
export type TransferredPath = Found & { readonly isSkipped: boolean };

export interface RemovedPath {
  readonly kind: Found["kind"];
  readonly path: FilePath | FolderPath;
  readonly fileCount: number;
  /** Its entry in the trash; null if it is not kept. */
  readonly trashId: TrashId | null;
}

/** Files and folders alike, by their paths. Every method throws what the services of files and of folders throw. */
export class Paths extends Service<
  Pick<Parts, "tables" | "access" | "retention"> & { files: Files; folders: Folders }
> {
  readonly #single = this.parts.files;

  get(caller: Caller, ref: PathRef): Found {
    const path = this.meant(caller, ref);
    return isOfFolder(path)
      ? { kind: "folder", ...this.parts.folders.get(caller, ref.drive, path) }
      : { kind: "file", file: this.#single.get(caller, { drive: ref.drive, path }) };
  }

  /** Puts it into the trash, a folder with all it holds. @param isConfirmed see `requireConfirmed` */
  remove(
    caller: Caller,
    ref: PathRef,
    precondition: Precondition,
    isConfirmed: boolean,
    within?: Within<RemovedPath>,
  ): Promise<RemovedPath> {
    const path = this.meant(caller, ref);
    if (!isOfFolder(path)) {
      return withResult<Removed, RemovedPath>(
        (inner) => this.#single.remove(caller, { drive: ref.drive, path }, precondition, inner),
        ({ file, trashId }) => ({ kind: "file", path: file.path, fileCount: 1, trashId }),
        within,
      );
    }
    requireNoCondition(precondition);
    this.requireConfirmed(isConfirmed);
    return withResult<RemovedFolder, RemovedPath>(
      (inner) => this.parts.folders.remove(caller, ref.drive, path, inner),
      (removed) => ({ kind: "folder", path: parseFolderPath("path", path), ...removed }),
      within,
    );
  }

  /** What `remove` would delete; a write, so that `within` can keep the response. */
  preview(caller: Caller, ref: PathRef, within?: Within<Omit<RemovedPath, "trashId">>) {
    return this.parts.access.writeFromReserve(caller, within, () => {
      const found = this.get(caller, ref);
      const { kind, path, fileCount } =
        found.kind === "file"
          ? { kind: found.kind, path: found.file.path, fileCount: 1 }
          : { kind: found.kind, ...found.folder };
      this.parts.access.driveToWrite(caller, ref.drive, path);
      return { kind, path, fileCount };
    });
  }

  /** Throws VALIDATION_ERROR for a deletion of many that cannot be undone, unless the caller has confirmed it. */
  requireConfirmed(isConfirmed: boolean): void {
    if (isConfirmed || keepsDeleted(this.parts.retention)) return;
    throw invalid("confirm", "must be true: this server keeps nothing of what is deleted");
  }

  /**
   * Copies or moves. What keeps its name is put into the folder that the new path is: a file where that ends with `/`; a
   * folder only if it was named without its slash.
   */
  transfer(
    how: "copy" | "move",
    caller: Caller,
    ref: PathRef,
    to: Destination,
    precondition: Precondition,
    within?: Within<TransferredPath>,
  ): Promise<TransferredPath> {
    const path = this.meant(caller, ref);
    if (!isOfFolder(path)) {
      return withResult<Transferred, TransferredPath>(
        (inner) => this.#single[how](caller, { drive: ref.drive, path }, to, precondition, inner),
        (transferred) => ({ kind: "file", ...transferred }),
        within,
      );
    }
    requireNoCondition(precondition);
    const folder = { ...ref, path, keepsName: !ref.path.endsWith("/") };
    return this.transferFolder(how, caller, folder, to, within);
  }

  /** Copies or moves a folder. @param batch what it is part of */
  transferFolder(
    how: "copy" | "move",
    caller: Caller,
    folder: FolderRef,
    to: Destination,
    within?: Within<TransferredPath>,
    batch?: Batch,
  ): Promise<TransferredPath> {
    const { drive, path } = folder;
    const target = this.#folderTarget(caller, folder, to);
    if (target === null) {
      return this.parts.access.write(caller, within, () => ({
        kind: "folder",
        ...this.parts.folders.get(caller, drive, path),
        isSkipped: true,
      }));
    }
    return withResult<ShownFolder, TransferredPath>(
      (inner) => this.parts.folders[how](caller, drive, path, target, inner, batch),
      (there) => ({ kind: "folder", ...there, isSkipped: false }),
      within,
    );
  }

  /** The path as it was sent, or that of the folder which is there. What is not there is taken for a file. */
  meant(caller: Caller, { drive: driveRef, path }: PathRef): string {
    if (isOfFolder(path)) return path;
    const file = parsePathOfFile("path", path);
    if (this.parts.access.findFile(caller, { drive: driveRef, path }) !== null) return path;
    const drive = this.parts.access.findDrive(caller, driveRef);
    const folder = asFolderPath(file);
    if (drive === null || !folder.startsWith(this.parts.access.prefixOf(caller, drive))) return path;
    return this.parts.tables.folders.byPath(drive.pk, folder) === null ? path : folder;
  }

  /** Where a folder goes; null if it is to stay where it is. */
  #folderTarget(caller: Caller, folder: FolderRef, to: Destination): FolderDestination | null {
    const { access, tables } = this.parts;
    const from = parseFolderPath("path", folder.path);
    const sent =
      folder.keepsName && to.path.endsWith("/")
        ? `${to.path}${lastSegment(asFilePath(from))}/`
        : withSlash(to.path);
    const target = parseFolderPath("destination_path", sent);
    const drive = access.driveToWrite(caller, to.driveId ?? folder.drive, target);
    const isFreeAt = (at: FilePath) =>
      tables.folders.byPath(drive.pk, asFolderPath(at)) === null &&
      tables.files.byPath(drive.pk, at) === null;
    const isFree = isFreeAt(asFilePath(target));
    return isFree ? { ...to, path: target } : besideTaken(to, target, isFreeAt);
  }
}

/** Where a folder goes whose place is taken; null for nowhere. Throws CONFLICT. */
function besideTaken(
  to: Destination,
  target: FolderPath,
  isFreeAt: (path: FilePath) => boolean,
): FolderDestination | null {
  switch (to.onConflict) {
    case "fail":
      // The write refuses it.
      return { ...to, path: target };
    case "skip":
      return null;
    case "keep_both": {
      const name = lastSegment(asFilePath(target));
      const free = freeIn(parentFolder(target), name, "folder", numbered, isFreeAt);
      return { ...to, path: asFolderPath(free) };
    }
    case "replace":
      throw new CofferError(
        "CONFLICT",
        `"${target}" is taken, and no folder replaces anything. Pass on_conflict: keep_both or skip, or delete it first.`,
      );
  }
}

/** Whether it is the path of a folder, as sent; the root is one. */
export function isOfFolder(path: string): boolean {
  return path === "" || path.endsWith("/");
}

function requireNoCondition({ ifMatch, ifNoneMatch, ifUnmodifiedSince }: Precondition): void {
  if (ifMatch === null && ifNoneMatch === null && ifUnmodifiedSince === null) return;
  throw invalid("if_match", "goes with a file: a folder has no ETag");
}

/** Performs a write whose result is shown otherwise, also to `within`. */
async function withResult<Inner, Outer>(
  perform: (within: Within<Inner> | undefined) => Promise<Inner>,
  shown: (result: Inner) => Outer,
  within: Within<Outer> | undefined,
): Promise<Outer> {
  return shown(await perform(within && ((result) => within(shown(result)))));
}
