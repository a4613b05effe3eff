import type { Within } from "../../db/engine/database.ts";
import { bodyOf, contentOf, type FileBody } from "../../db/files/files.ts";
import type { Batch } from "../../domain/changes/batch.ts";
import { authorOf, type Stamp, stampOf } from "../../domain/changes/change.ts";
import type { ByteRange } from "../../domain/contents/content.ts";
import type { Caller } from "../../domain/accounts/caller.ts";
import type { Drive } from "../../domain/drives/drive.ts";
import { pathTaken } from "../../domain/errors.ts";
import {
  type File,
  type FileChanges,
  type FileFacts,
  type FileRef,
  type FileView,
  parseAttributes,
  parseRename,
} from "../../domain/files/file.ts";
import { type BatchId, type FileId, parseId, type TrashId } from "../../domain/id.ts";
import { mimeTypeOf } from "../../domain/contents/mime-types.ts";
import {
  type Filename,
  type FilePath,
  lastSegment,
  parseFilePath,
  parsePathOfFile,
} from "../../domain/files/path.ts";
import type { OnConflict } from "../../domain/files/taken.ts";
import { Piece, trashedFile } from "../../domain/folders/piece.ts";
import { type Precondition, requirePrecondition } from "../../domain/files/precondition.ts";
import { requireMayExpire } from "../../domain/accounts/roles.ts";
import type { BlobChecks } from "../contents/blob-checks.ts";
import type { Parts } from "../parts.ts";
import { Service } from "../service.ts";
import { freeBeside, isFree } from "./free-places.ts";

/** The destination of a copy or move, as sent. */
export interface Destination {
  readonly path: string;
  /** An id or slug; undefined for the same drive. */
  readonly driveId: string | undefined;
  readonly onConflict: OnConflict;
}

/** A file that was copied or moved, as it is now; or was left because its new place was taken. */
export interface Transferred {
  readonly file: File;
  readonly isSkipped: boolean;
}

/** The arguments of a copy or move. */
type FileTransfer = [
  caller: Caller,
  ref: FileRef,
  to: Destination,
  precondition: Precondition,
  within?: Within<Transferred>,
];

export interface Removed {
  readonly file: File;
  readonly trashId: TrashId | null;
}

/** Files as they are named by who wants to remove them. */
export type NamedFiles =
  { readonly ids: readonly string[] } | { readonly drive: string; readonly paths: readonly string[] };

interface WantedFile {
  readonly ref: FileRef;
  /** How it was named, in one way or several. */
  readonly names: readonly string[];
}

/** The ids or paths of deleted files with their entries in the trash, and of those that could not be deleted. */
export interface RemovedFiles {
  readonly deleted: readonly string[];
  /** One for each of `deleted`, in the same order; null if the file is not kept. */
  readonly trashIds: readonly (TrashId | null)[];
  readonly failed: readonly string[];
  /** Null if nothing was deleted. */
  readonly batch: BatchId | null;
}

export class Files extends Service<
  Pick<Parts, "tables" | "blobs" | "damaged" | "access" | "tree" | "batches" | "clock" | "usage"> & {
    blobChecks: BlobChecks;
  }
> {
  /** Throws NOT_FOUND, like every method here, for a file that the caller may not see. */
  get(caller: Caller, ref: FileRef): File {
    return this.parts.access.file(caller, ref);
  }

  facts(caller: Caller, view: FileView): FileFacts {
    return this.parts.access.fileIn(caller, view);
  }

  /** The content or a range, read while it is sent; no caller for a link. Counts as bandwidth. Throws DamagedFile. */
  content(caller: Caller | null, file: FileFacts, range?: ByteRange) {
    this.parts.usage.countSent(caller, file.driveId, (range?.end ?? file.size) - (range?.start ?? 0));
    return this.parts.blobChecks.read(file, range);
  }

  isDamaged(file: FileFacts): boolean {
    return this.parts.damaged.isKnown(file);
  }

  /** The check of its blob that is still running; null if there is none. It never rejects. */
  runningCheck(file: FileFacts): Promise<void> | null {
    return this.parts.blobChecks.running(file);
  }

  /** Whether the content of a file has fewer bytes than it had, so that less was sent than announced. */
  isCutShort(file: FileFacts): boolean {
    return this.parts.blobs.isCutShort(file);
  }

  /** Whether the content of a file may still be sent to a caller who has asked for it. */
  mayGoOn(caller: Caller, { driveId }: FileFacts): boolean {
    return this.parts.access.mayGoOn(caller, [driveId]);
  }

  /** The whole content in memory; only for small files. Counts as bandwidth. */
  contentWhole(caller: Caller, file: FileFacts) {
    this.parts.usage.countSent(caller, file.driveId, file.size);
    return this.parts.damaged.readFor(file, () => this.parts.blobs.readAll(file));
  }

  /** Changes attributes and the path. Throws CONFLICT, PRECONDITION_FAILED, VALIDATION_ERROR. */
  update(
    caller: Caller,
    ref: FileRef,
    changes: FileChanges,
    precondition: Precondition,
    within?: Within<File>,
  ): Promise<File> {
    return this.parts.access.write(caller, within, () => {
      const stamp = this.#stamp(caller);
      const file = this.parts.access.fileToWrite(caller, ref);
      const { filename, path } = parseRename(file, changes);
      const drive = this.parts.access.driveToWrite(caller, file.driveId, path);
      const attributes = parseAttributes(file, changes, stamp.now);
      requireMayExpire(drive.role, file.expiresAt, attributes.expiresAt);
      requirePrecondition(precondition, file);
      const body = { ...named(file, filename), ...attributes };
      return path === file.path
        ? this.parts.tree.change(drive, file, body, stamp)
        : this.parts.tree.move(file, drive, path, body, stamp);
    });
  }

  /** Copies a file. Its content is not stored twice. The copy has no expiry. */
  copy(...asked: FileTransfer): Promise<Transferred> {
    return this.#transfer("copy", ...asked);
  }

  move(...asked: FileTransfer): Promise<Transferred> {
    return this.#transfer("move", ...asked);
  }

  #transfer(how: "copy" | "move", ...[caller, ref, to, precondition, within]: FileTransfer) {
    return this.parts.access.write(caller, within, () =>
      this.transferred(how, caller, ref, to, precondition, this.#stamp(caller)),
    );
  }

  /** Copies or moves a file. Inside a write. */
  transferred(
    how: "copy" | "move",
    caller: Caller,
    ref: FileRef,
    to: Destination,
    precondition: Precondition,
    stamp: Stamp,
  ): Transferred {
    const { access, tree } = this.parts;
    const isMove = how === "move";
    const file = isMove ? access.fileToWrite(caller, ref) : access.file(caller, ref);
    const { drive, path } = this.#destination(caller, file, to);
    if (isMove) access.requireMayTake(caller, file.driveId, drive);
    requirePrecondition(precondition, file);
    if (isMove && drive.pk === file.drivePk && path === file.path) return { file, isSkipped: false };
    const free = this.#makeWay(file, drive, path, to.onConflict, stamp);
    if (free === null) return { file, isSkipped: true };
    const body = named(file, lastSegment(free));
    const there = isMove
      ? tree.move(file, drive, free, body, stamp)
      : tree.add(drive, free, { ...body, ...contentOf(file), expiresAt: null }, stamp);
    return { file: there, isSkipped: false };
  }

  remove(caller: Caller, ref: FileRef, precondition: Precondition, within?: Within<Removed>) {
    return this.parts.access.writeFromReserve(caller, within, () => {
      const file = this.parts.access.fileToWrite(caller, ref);
      requirePrecondition(precondition, file);
      const [trashId = null] = this.parts.tree.trash([file], this.#stamp(caller));
      return { file, trashId };
    });
  }

  /**
   * Puts into the trash what the caller may remove: a batch of several transactions. `within` is called in the last one.
   * Throws NOT_FOUND, FORBIDDEN for the drive of paths, VALIDATION_ERROR for a malformed path.
   * @param batch what this ends, when it has removed `before`
   */
  async removeMany(
    caller: Caller,
    files: NamedFiles,
    within?: Within<RemovedFiles>,
    batch = this.parts.batches.open("delete", authorOf(caller)),
    before: RemovedFiles = { deleted: [], trashIds: [], failed: [], batch: null },
  ): Promise<RemovedFiles> {
    const left = this.#wantedOf(caller, files);
    let removed = before;
    await this.parts.batches.whole(batch, async () => {
      do {
        const outcome = await this.parts.access.writeFromReserve(
          caller,
          ({ taken, sum }) => (taken === left.length ? within?.(sum) : undefined),
          () => this.#removeSome(caller, left, removed, batch),
        );
        left.splice(0, outcome.taken);
        removed = outcome.sum;
      } while (left.length > 0);
    });
    return removed;
  }

  /** What is named, each file once: the same id or path can be written in several ways. */
  #wantedOf(caller: Caller, files: NamedFiles): WantedFile[] {
    if ("ids" in files) {
      const ids = Map.groupBy(new Set(files.ids), (id) => parseId<FileId>(id) ?? id);
      return [...ids].map(([id, names]) => ({ ref: { id }, names }));
    }
    const { id: drive } = this.parts.access.driveToWrite(caller, files.drive, null);
    const parsed = new Map(files.paths.map((path, at) => [path, parsePathOfFile(`paths[${at}]`, path)]));
    const paths = Map.groupBy(parsed.keys(), (path) => parsed.get(path) ?? path);
    return [...paths].map(([path, names]) => ({ ref: { drive, path }, names }));
  }

  #removeSome(caller: Caller, wanted: readonly WantedFile[], before: RemovedFiles, batch: Batch) {
    const piece = new Piece();
    const found: { readonly file: File; readonly names: readonly string[] }[] = [];
    const failed = [...before.failed];
    let taken = 0;
    for (const { ref, names } of wanted) {
      if (piece.isFull) break;
      taken += 1;
      const file = this.parts.access.findFileToWrite(caller, ref);
      piece.takeRows(1);
      if (file === null) {
        failed.push(...names);
        continue;
      }
      found.push({ file, names });
      piece.takeFile(trashedFile(file));
    }
    const { batches, tree } = this.parts;
    const files = found.map(({ file }) => file);
    const trashed = files.length === 0 ? [] : tree.trash(files, batches.stamp(batch));
    const deleted = [...before.deleted, ...found.flatMap(({ names }) => names)];
    const trashIds = [
      ...before.trashIds,
      ...found.flatMap(({ names }, index) => names.map(() => trashed[index] ?? null)),
    ];
    const closed = taken === wanted.length ? batches.close(batch) : null;
    return { taken, sum: { deleted, trashIds, failed, batch: closed } };
  }

  #destination(caller: Caller, file: File, to: Destination): { drive: Drive; path: FilePath } {
    const path = parseFilePath("destination_path", to.path, file.filename);
    return { drive: this.parts.access.driveToWrite(caller, to.driveId ?? file.driveId, path), path };
  }

  /**
   * The path at which a file may be put, once what is there is out of the way; null if the file is to stay where it is.
   * Never replaces `file` itself, which would be lost.
   */
  #makeWay(file: File, drive: Drive, path: FilePath, onConflict: OnConflict, stamp: Stamp): FilePath | null {
    if (onConflict === "keep_both") return freeBeside(this.parts, drive, path, stamp);
    const present = this.parts.tree.occupant(drive, path, stamp);
    if (onConflict === "skip") return isFree(this.parts, drive, path, stamp) ? path : null;
    if (present === null) return path;
    if (present.pk === file.pk) throw pathTaken("file", path);
    if (onConflict === "fail") throw pathTaken("file", path, "pass on_conflict: replace");
    this.parts.tree.trash([present], stamp);
    return path;
  }

  #stamp(caller: Caller): Stamp {
    return stampOf(caller, this.parts.clock.now());
  }
}

/** A file's body with another filename, which decides the type unless the uploader gave one. */
export function named(file: File, filename: Filename): FileBody {
  const mimeType = file.mimeGiven ? file.mimeType : mimeTypeOf(filename);
  return { ...bodyOf(file), filename, mimeType };
}
