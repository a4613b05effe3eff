import { setImmediate as nextTurn } from "node:timers/promises";
import type { Within } from "../../db/engine/database.ts";
import type { Caller } from "../../domain/accounts/caller.ts";
import type { Batch } from "../../domain/changes/batch.ts";
import type { Change, ChangePosition } from "../../domain/changes/change.ts";
import type { Drive } from "../../domain/drives/drive.ts";
import { CofferError } from "../../domain/errors.ts";
import { isFolderPath, parseFolderPath, parsePathOfFile } from "../../domain/files/path.ts";
import type { Precondition } from "../../domain/files/precondition.ts";
import { keepsDeleted, keepsVersions, type Retention } from "../../domain/history/history.ts";
import { counted } from "../../domain/contents/texts/text.ts";
import type { Feed } from "../changes/feed.ts";
import type { Files } from "../files/files.ts";
import type { Folders, RemovedFolder } from "../folders/folders.ts";
import type { Parts } from "../parts.ts";
import { Service } from "../service.ts";
import type { RestoredEntry, Trash } from "./trash.ts";
import type { Versions } from "./versions.ts";

/** Where the file or folder is now, or was until it went into the trash. */
interface Outcome {
  readonly path: string;
  readonly isTrashed: boolean;
}

export interface UndoneChange extends Outcome {
  readonly change: Change;
}

/** Is called inside the write that undoes a change. */
type Tell = (outcome: Outcome) => void;

/** How many changes one page has, and how many are looked at. */
const LOOK = { page: 500, all: 10_000 };

/** Undoes the last change of a file or folder: a way back from a mistake that costs one call, and can be undone itself. */
export class Undo extends Service<
  Pick<Parts, "access" | "retention"> & {
    feed: Feed;
    files: Files;
    folders: Folders;
    versions: Versions;
    trash: Trash;
  }
> {
  readonly #single = this.parts.files;

  /**
   * Undoes the newest change at a path, whoever made it: a replaced or edited file gets the content that it had, what
   * was deleted comes back, what was moved goes back, and what was created goes into the trash; a folder only if it
   * holds as many files as then. Doing it again redoes it. Throws NOT_FOUND; FORBIDDEN; CONFLICT if the change cannot
   * be undone, which says why and what to do; PRECONDITION_FAILED if something changed meanwhile.
   *
   * @param path of a folder if it ends with `/`; also where something was before it was moved
   */
  async last(
    caller: Caller,
    driveRef: string,
    path: string,
    within?: Within<UndoneChange>,
  ): Promise<UndoneChange> {
    const parsed = path.endsWith("/") ? parseFolderPath("path", path) : parsePathOfFile("path", path);
    const drive = this.parts.access.driveToWrite(caller, driveRef, parsed);
    this.parts.access.requireHistory(caller, drive);
    const change = await this.#find(caller, drive, (each) => concerns(each, parsed));
    if (change === null) {
      throw new CofferError(
        "NOT_FOUND",
        `Nothing that happened to "${parsed}" is on record. Check the path: that of a folder ends with "/".`,
      );
    }
    requireSame(change, parsed);
    return {
      change,
      ...(await this.one(caller, drive, change, (outcome) => within?.({ change, ...outcome }))),
    };
  }

  /** The newest change of a kind; null if there is none among those that are looked at. */
  async #find(caller: Caller, drive: Drive, isIt: (change: Change) => boolean): Promise<Change | null> {
    let position: ChangePosition | null = null;
    for (let seen = 0; seen < LOOK.all; seen += LOOK.page) {
      const request = { drives: [drive.id], position, limit: LOOK.page, newestFirst: true };
      const { changes, next, hasMore } = this.parts.feed.page(caller, request);
      const found = changes.find(isIt);
      if (found !== undefined) return found;
      if (!hasMore) break;
      position = next;
      await nextTurn();
    }
    return null;
  }

  /**
   * Undoes a change of a drive that the caller may write, and whose history it may see. Throws as `last`.
   *
   * @param batch what the undoing of a change of a whole folder is part of
   */
  async one(caller: Caller, drive: Drive, change: Change, tell: Tell, batch?: Batch): Promise<Outcome> {
    const { type, path } = change;
    const there = { path, isTrashed: false };
    switch (type) {
      case "file.created":
      case "file.restored": {
        this.#requireTrash(change);
        const trashed = { path, isTrashed: true };
        await this.#single.remove(caller, { drive: drive.id, path }, stillHas(change), () => tell(trashed));
        return trashed;
      }
      case "file.updated":
        await this.#undoUpdate(caller, drive, change, () => tell(there));
        return there;
      case "file.moved": {
        const back = { path: movedFrom(change), isTrashed: false };
        const to = { path: back.path, driveId: undefined, onConflict: "fail" } as const;
        await this.#single.move(caller, { drive: drive.id, path }, to, stillHas(change), () => tell(back));
        return back;
      }
      case "folder.created":
      case "folder.copied":
        return this.#removeFolder(caller, drive, change, tell, batch);
      case "folder.restored":
        await this.#requireFromTrash(caller, drive, change);
        return this.#removeFolder(caller, drive, change, tell, batch);
      case "folder.moved": {
        const back = { path: movedFrom(change), isTrashed: false };
        const to = { path: back.path, driveId: undefined };
        await this.parts.folders.move(caller, drive.id, path, to, () => tell(back), batch);
        return back;
      }
      case "file.deleted":
      case "folder.deleted":
        return this.#undelete(caller, change, tell, batch);
      case "files.written":
      case "files.copied":
      case "files.moved":
      case "files.deleted":
      case "files.undone":
        throw cannotUndo(
          change,
          `It is a batch of changes: to undo them all, send batch_id ${change.batch}.`,
        );
      case "folder.updated":
      case "drive.updated":
      case "drive.restored":
      case "snapshot.created":
      case "snapshot.deleted":
      case "member.added":
      case "member.changed":
      case "member.removed":
      case "comment.created":
      case "comment.updated":
      case "comment.resolved":
      case "comment.deleted":
      case "version.labelled":
      case "link.created":
      case "link.revoked":
        throw cannotUndo(change, "Restore a snapshot instead, if there is one.");
    }
  }

  #requireTrash(change: Change): void {
    requireTrash(change, this.parts.retention);
  }

  /** Throws CONFLICT for a folder that holds more or less than after the change: to remove it would undo that, too. */
  async #removeFolder(
    caller: Caller,
    drive: Drive,
    change: Change,
    tell: Tell,
    batch?: Batch,
  ): Promise<Outcome> {
    this.#requireTrash(change);
    const { path } = change;
    const trashed = { path, isTrashed: true };
    // Inside the write: a file may just be coming.
    const within = ({ fileCount }: RemovedFolder) => {
      if (change.fileCount === null || change.fileCount === fileCount) {
        tell(trashed);
        return;
      }
      const [then, now] = [counted(change.fileCount, "file"), counted(fileCount, "file")];
      throw cannotUndo(change, `The folder had ${then} then, and has ${now} now. If you mean it, delete it.`);
    };
    await this.parts.folders.remove(caller, drive.id, path, within, batch);
    return trashed;
  }

  /** Throws CONFLICT for a folder from a snapshot: it may have been there before, and to remove it would undo more. */
  async #requireFromTrash(caller: Caller, drive: Drive, change: Change): Promise<void> {
    const isDeletion = ({ type, ref }: Change) =>
      type === "folder.deleted" && ref !== null && ref === change.ref;
    if ((await this.#find(caller, drive, isDeletion)) !== null) return;
    throw cannotUndo(change, "Restore the snapshot that was taken just before it, with the same path.");
  }

  #undoUpdate(caller: Caller, drive: Drive, change: Change, within: () => void): Promise<unknown> {
    const { retention, versions } = this.parts;
    const number = String(versionBefore(change, retention));
    return versions.restore(caller, { drive: drive.id, path: change.path }, number, stillHas(change), within);
  }

  async #undelete(caller: Caller, change: Change, tell: Tell, batch?: Batch): Promise<Outcome> {
    const within = (restored: RestoredEntry) => tell(placeOf(restored));
    return placeOf(await this.parts.trash.restore(caller, trashEntryOf(change), undefined, within, batch));
  }
}

function placeOf({ place }: RestoredEntry): Outcome {
  return { path: place.path, isTrashed: false };
}

/** Whether a change is about what is at a path, or about a folder that this is in. */
function concerns({ type, path: at, previousPath, fileCount }: Change, path: string): boolean {
  if (type.startsWith("file.")) return at === path || previousPath === path;
  if ((type === "folder.created" && fileCount === 0) || type.startsWith("files.")) return at === path;
  const isWhole = type.startsWith("folder.") || type === "drive.restored";
  return isWhole && (path.startsWith(at) || (previousPath !== null && path.startsWith(previousPath)));
}

/** Throws CONFLICT for a change of a folder above the path. */
function requireSame({ path: at, previousPath, type }: Change, path: string): void {
  if (at === path || previousPath === path) return;
  const what =
    at === ""
      ? "that the whole drive was restored from a snapshot. To undo that, restore the snapshot that was taken just before it."
      : `a change of the folder "${at}" (${type}). To undo that for the whole folder, pass its path.`;
  throw new CofferError("CONFLICT", `The last thing that happened to "${path}" was ${what}`);
}

/** The file must still have the content that the change gave it. */
function stillHas({ after }: Change): Precondition {
  return { ifMatch: after === null ? null : `"${after.digest}"`, ifNoneMatch: null, ifUnmodifiedSince: null };
}

/** Throws CONFLICT where what is deleted is gone: undoing must not do what cannot be undone. */
export function requireTrash(change: Change, retention: Retention): void {
  if (keepsDeleted(retention)) return;
  throw cannotUndo(change, "This server keeps nothing of what is deleted. If you mean it, delete it.");
}

/** The number of the content that a file had before a change. Throws CONFLICT if there is none. */
export function versionBefore(change: Change, retention: Retention): number {
  const { before, after, version } = change;
  if (version === null || before?.digest === after?.digest) {
    throw cannotUndo(
      change,
      "Only its name, tags, metadata or expiry changed, and no versions of these are kept.",
    );
  }
  if (!keepsVersions(retention)) throw cannotUndo(change, "This server keeps no earlier contents.");
  return version - 1;
}

/** The entry of the trash that something became. Throws CONFLICT if it is not there. */
export function trashEntryOf(change: Change): string {
  if (change.ref !== null) return change.ref;
  throw cannotUndo(
    change,
    "It is not in the trash: it had expired, moved to another drive, or nothing is kept.",
  );
}

export function movedFrom({ previousPath, type }: Change): string {
  if (previousPath === null) throw new Error(`a change of the type ${type} has no earlier path`);
  return previousPath;
}

export function cannotUndo({ type, path }: Change, why: string): CofferError {
  const what = isFolderPath(path) ? `the folder "${path}"` : `"${path}"`;
  return new CofferError("CONFLICT", `The last change of ${what} (${type}) cannot be undone. ${why}`);
}
