import type { Within } from "../../db/engine/database.ts";
import type { Caller } from "../../domain/accounts/caller.ts";
import type { Batch } from "../../domain/changes/batch.ts";
import { authorOf, type Change, type ChangePosition, type Stamp } from "../../domain/changes/change.ts";
import type { Drive } from "../../domain/drives/drive.ts";
import { CofferError, notFound, orNotFound } from "../../domain/errors.ts";
import type { File } from "../../domain/files/file.ts";
import { containingFolder, lastSegment, parseFolderPath, parsePathOfFile } from "../../domain/files/path.ts";
import { type BatchId, parseId } from "../../domain/id.ts";
import { type BatchPart, isOfOne, type PartError } from "../changes/batches.ts";
import { named } from "../files/files.ts";
import type { Parts } from "../parts.ts";
import { Service } from "../service.ts";
import type { Trash } from "./trash.ts";
import { cannotUndo, movedFrom, requireTrash, trashEntryOf, type Undo, versionBefore } from "./undo.ts";
import type { Versions } from "./versions.ts";

export interface FailedUndo {
  readonly path: string;
  readonly error: CofferError;
}

interface Tally {
  /** How many changes were undone. */
  readonly undone: number;
  /** Changes that were not, the newest first. */
  readonly failed: readonly FailedUndo[];
}

export interface UndoneBatch extends Tally {
  /** The batch that the undoing is, which can be undone, too; null if nothing was. */
  readonly batch: BatchId | null;
}

/** How many changes are read at once. */
const PAGE = 200;

/** Undoes many changes: each, the newest first, if what it changed still is as it left it. */
export class BatchUndo extends Service<
  Pick<Parts, "tables" | "access" | "tree" | "batches" | "retention"> & {
    undo: Undo;
    versions: Versions;
    trash: Trash;
  }
> {
  /**
   * Undoes what a batch changed in a drive, in several transactions: a batch again. `within` is called in the last one.
   * Throws NOT_FOUND, also for a batch of which the caller sees only a part; FORBIDDEN; CONFLICT while it is under way;
   * GONE if not all of its changes are kept any more.
   */
  async all(
    caller: Caller,
    driveRef: string,
    id: string,
    within?: Within<UndoneBatch>,
  ): Promise<UndoneBatch> {
    const drive = this.#drive(caller, driveRef);
    const asked = this.#find(caller, drive, id);
    return this.#each(caller, drive, this.#changesOf(asked, drive), within);
  }

  /** Undoes some changes of a drive, like `all`. Throws NOT_FOUND for one that the caller does not see whole; FORBIDDEN. */
  async some(
    caller: Caller,
    driveRef: string,
    positions: readonly ChangePosition[],
    within?: Within<UndoneBatch>,
  ): Promise<UndoneBatch> {
    const drive = this.#drive(caller, driveRef);
    const prefix = this.parts.access.prefixOf(caller, drive);
    const numbers = [...new Set(positions.map(({ number }) => number))];
    const found = this.parts.tables.changes.at(drive.pk, numbers);
    const times = new Map(positions.map(({ number, at }) => [number, at]));
    const isSeen = ({ number, at, path, previousPath }: Change) =>
      times.get(number) === at && path.startsWith(prefix) && (previousPath ?? path).startsWith(prefix);
    if (found.length < numbers.length || !found.every(isSeen)) throw notFound("change");
    return this.#each(caller, drive, [found], within);
  }

  /** A drive whose changes the caller may undo. Throws NOT_FOUND, FORBIDDEN. */
  #drive(caller: Caller, driveRef: string): Drive {
    const drive = this.parts.access.driveToWrite(caller, driveRef, null);
    this.parts.access.requireHistory(caller, drive);
    return drive;
  }

  /** @param pages changes, the newest first */
  #each(
    caller: Caller,
    drive: Drive,
    pages: Iterable<readonly Change[]>,
    within?: Within<UndoneBatch>,
  ): Promise<UndoneBatch> {
    const { batches } = this.parts;
    const batch = batches.open("undo", authorOf(caller));
    const partOf = (change: Change): BatchPart => ({
      run: (stamp) => this.#undo(caller, drive, change, stamp),
      freesSpace: freesSpace(change),
    });
    return batches.whole(batch, async () => {
      let done: Tally = { undone: 0, failed: [] };
      let waiting: Change[] = [];
      const doWaiting = async () => {
        done = added(done, waiting, await batches.each(caller, batch, waiting.map(partOf)));
        waiting = [];
      };
      for (const page of pages) {
        await doWaiting();
        for (const change of page) {
          if (isOfWholeFolder(change)) {
            await doWaiting();
            done = added(done, [change], [await this.#undoFolder(caller, drive, change, batch)]);
          } else waiting.push(change);
        }
      }
      const result = (errors: readonly PartError[], made: BatchId | null) => ({
        ...added(done, waiting, errors),
        batch: made,
      });
      return batches.last(caller, batch, waiting.map(partOf), result, within);
    });
  }

  /** The changes of a batch, the newest first, read some at a time. */
  *#changesOf(batch: BatchId, drive: Drive): Generator<readonly Change[]> {
    let before = Number.MAX_SAFE_INTEGER;
    for (;;) {
      const page = this.parts.tables.changes.ofBatch(batch, drive.pk, before, PAGE);
      yield page.filter(({ ref }) => ref !== batch);
      const last = page.at(-1);
      if (last === undefined || page.length < PAGE) return;
      before = last.number;
    }
  }

  /** The id of a batch that has ended, and of which the caller sees all that it changed in the drive. */
  #find(caller: Caller, drive: Drive, text: string): BatchId {
    const { tables, access } = this.parts;
    const id = orNotFound(parseId<BatchId>(text), "batch");
    const [newest] = tables.changes.ofBatch(id, drive.pk, Number.MAX_SAFE_INTEGER, 1);
    const { path, fileCount } = orNotFound(newest, "batch");
    if (!containingFolder(path).startsWith(access.prefixOf(caller, drive))) throw notFound("batch");
    if (tables.batches.isUnderWay(id))
      throw new CofferError("CONFLICT", "This batch is still under way: undo it once it has ended.");
    const sum = tables.changes.sumsOf(id).find((each) => each.drive === drive.pk);
    if (sum === undefined || sum.files.came + sum.files.went < (fileCount ?? 0)) {
      throw new CofferError(
        "GONE",
        "Some changes of this batch are not kept any more. Restore a snapshot, or single files from the trash.",
      );
    }
    return id;
  }

  /** A change of a whole folder is undone in pieces of its own: that may take long. */
  async #undoFolder(caller: Caller, drive: Drive, change: Change, batch: Batch): Promise<PartError> {
    try {
      await this.parts.undo.one(caller, drive, change, () => {}, batch);
      return null;
    } catch (error) {
      if (isOfOne(error)) return error;
      throw error;
    }
  }

  /** Inside a write. */
  #undo(caller: Caller, drive: Drive, change: Change, stamp: Stamp): void {
    const { tree, retention, versions, trash, access, tables } = this.parts;
    switch (change.type) {
      case "file.created":
      case "file.restored":
        requireTrash(change, retention);
        tree.trash([this.#unchanged(caller, change)], stamp);
        return;
      case "file.updated":
        versions.restoreOf(caller, this.#unchanged(caller, change), versionBefore(change, retention), stamp);
        return;
      case "file.moved": {
        const file = this.#unchanged(caller, change);
        const path = parsePathOfFile("path", movedFrom(change));
        access.driveToWrite(caller, drive.id, path);
        tree.move(file, drive, path, named(file, lastSegment(path)), stamp);
        return;
      }
      case "file.deleted":
        trash.restoreFile(caller, trashEntryOf(change), change.path, stamp);
        return;
      case "folder.created": {
        const folder = tables.folders.byPath(drive.pk, parseFolderPath("path", change.path));
        if (folder === null) return;
        if (folder.ownFileCount + folder.ownFolderCount > 0) throw cannotUndo(change, "It is not empty.");
        tree.removeEmpty(drive, folder, stamp);
        return;
      }
      case "folder.deleted":
        tree.ensureFolder(drive, parseFolderPath("path", change.path), stamp);
        return;
      case "folder.copied":
      case "folder.moved":
      case "folder.restored":
      case "folder.updated":
      case "files.written":
      case "files.copied":
      case "files.moved":
      case "files.deleted":
      case "files.undone":
      case "comment.created":
      case "comment.updated":
      case "comment.resolved":
      case "comment.deleted":
      case "version.labelled":
      case "drive.updated":
      case "drive.restored":
      case "snapshot.created":
      case "snapshot.deleted":
      case "member.added":
      case "member.changed":
      case "member.removed":
      case "link.created":
      case "link.revoked":
        throw cannotUndo(change, "It is none of a single file.");
    }
  }

  /** The file that a change was about, if it still is as that left it. Throws NOT_FOUND, CONFLICT. */
  #unchanged(caller: Caller, change: Change): File {
    const file = this.parts.access.fileToWrite(caller, { id: change.fileId ?? "" });
    const isSame =
      file.drivePk === change.drivePk && file.path === change.path && file.digest === change.after?.digest;
    if (!isSame) throw cannotUndo(change, "It has changed since.");
    return file;
  }
}

/** With some more changes, and why each was not undone. */
function added({ undone, failed }: Tally, changes: readonly Change[], errors: readonly PartError[]): Tally {
  const more = changes.flatMap(({ path }, at) => {
    const error = errors[at] ?? null;
    return error === null ? [] : [{ path, error }];
  });
  return { undone: undone + changes.length - more.length, failed: [...failed, ...more] };
}

/** Whether it is about a folder with what is in it, not about an empty one that came or went with its last file. */
function isOfWholeFolder({ type, fileCount, ref }: Change): boolean {
  const isBare = fileCount === 0 && ref === null && (type === "folder.created" || type === "folder.deleted");
  return type.startsWith("folder.") && !isBare;
}

/** Whether undoing it works on a full disk. */
function freesSpace({ type }: Change): boolean {
  return type === "file.created" || type === "file.restored";
}
