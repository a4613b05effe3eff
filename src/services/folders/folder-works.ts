import { setImmediate as nextTurn } from "node:timers/promises";
import type { RecordedWork } from "../../db/folders/folder-works.ts";
import type { Author, Stamp } from "../../domain/changes/change.ts";
import { CofferError, WriteRefused } from "../../domain/errors.ts";
import { doneOf, type FolderWork, givenUp, goesOn, type Undoable } from "../../domain/folders/folder.ts";
import type { FolderWorkPk } from "../../domain/id.ts";
import type { Parts } from "../parts.ts";
import { Service } from "../service.ts";
import type { SnapshotRemoval } from "../snapshots/snapshot-removal.ts";
import type { FolderPieces } from "./folder-pieces.ts";
import type { WorkNotices } from "./work-notices.ts";
import { type Progress, type Reached, START } from "./phases.ts";

/** How long to wait before a failed work is tried again, such as on a full disk; in milliseconds. */
const RETRY_MS = 10_000;

/** The rest of a recorded work. */
interface Rest<T> extends Pick<Active, "pk" | "work" | "author" | "progress"> {
  /** Returns the result, and stores what belongs to it. Called inside the last write. */
  readonly finish: () => T;
}

/** A recorded work in progress. The progress is that of what takes it back, if it is being taken back. */
interface Active extends Undoable {
  readonly pk: FolderWorkPk;
  /** Who asked for it, and why. */
  readonly author: Author;
  progress: Progress;
  /** Called inside the last write. What it returns is called when that is durable. */
  readonly finish: () => () => void;
  /** Rejects the request that waits for the work, if there is one. */
  readonly reject: (error: unknown) => void;
}

/**
 * Finishes the recorded changes of folders: one piece of each in turn, with turns for other requests in between. One
 * that failed, was given up or was interrupted by a crash is taken back; its request is refused after that. But a
 * removal or rewind that failed or was interrupted goes on.
 */
export class FolderWorks extends Service<
  Pick<Parts, "tables" | "locks" | "clock" | "log"> & {
    pieces: FolderPieces;
    snapshotRemoval: SnapshotRemoval;
    notices: WorkNotices;
  }
> {
  #queue: Active[] = [];
  #running: Promise<void> | null = null;
  /** What to do at once instead of after a pause. */
  readonly #waiting = new Map<FolderWorkPk, { readonly timer: NodeJS.Timeout; readonly again: () => void }>();
  #isStopped = false;

  /** Continues the works that the last process left. */
  start(): void {
    for (const recorded of this.parts.tables.folderWorks.all()) this.#enqueue(this.#inBackground(recorded));
  }

  /** Resolves after the current piece. Waiting requests are refused; the next start continues the works. */
  async stop(): Promise<void> {
    this.#isStopped = true;
    for (const { timer } of this.#waiting.values()) clearTimeout(timer);
    await this.#running;
    for (const { reject } of this.#queue) reject(stopping());
    this.parts.locks.refuseAll(stopping());
  }

  /** Does the rest of a work. Resolves when all of it is durable. A copy or move that rejects is rolled back. */
  complete<T>(rest: Rest<T>): Promise<T> {
    const { promise, resolve, reject } = Promise.withResolvers<T>();
    const finish = () => {
      const result = rest.finish();
      return () => resolve(result);
    };
    this.#enqueue({ ...rest, isUndone: false, finish, reject });
    return promise;
  }

  /** Tries a work again at once that waits for that, if it does. */
  hurry(pk: FolderWorkPk): void {
    const waiting = this.#waiting.get(pk);
    if (waiting === undefined) return;
    clearTimeout(waiting.timer);
    waiting.again();
  }

  /** What goes on with a work, or takes it back, when no request waits for it. */
  #inBackground(recorded: RecordedWork): Active {
    const { work, progress } = recorded;
    const isUndone = recorded.isUndone || !goesOn(work);
    return {
      ...recorded,
      author: { by: recorded.by, message: recorded.message },
      isUndone,
      progress: { ...START, files: isUndone === recorded.isUndone ? progress.files : 0 },
      finish: () => () =>
        this.parts.log.info("a change of a folder was rolled back or finished", { kind: work.kind }),
      reject: () => {},
    };
  }

  #enqueue(active: Active): void {
    if (this.#isStopped) {
      active.reject(stopping());
      return;
    }
    this.#queue.push(active);
    this.parts.notices.goesOn(active.pk);
    this.#running ??= this.#run();
  }

  /** Does one piece of each in turn, so small works do not wait for large ones. */
  async #run(): Promise<void> {
    for (let active = this.#queue.shift(); active !== undefined; active = this.#queue.shift()) {
      if (!(await this.#advance(active))) this.#queue.push(active);
      if (this.#isStopped) break;
      await nextTurn();
    }
    this.#running = null;
  }

  /** Does one piece. Returns whether the work has left the queue: it has ended, or waits to be tried again. */
  async #advance(active: Active): Promise<boolean> {
    try {
      const { write, writeFromReserve } = this.parts.tables;
      const reached = await (needsLittle(active) ? writeFromReserve : write)(() => this.#piece(active));
      if (reached === "given up") {
        this.parts.log.info("a change of a folder was given up", { kind: active.work.kind });
        this.#takeBack(active, givenUp(active.work));
        return true;
      }
      if ("phase" in reached) {
        active.progress = reached;
        this.parts.notices.goesOn(active.pk);
        return false;
      }
      this.#release(active.pk, reached.recorded);
      reached.settle();
    } catch (error) {
      await this.#fail(active, error);
    }
    return true;
  }

  /** Inside a write. At the end, `settle` is to be called when that is durable. */
  #piece({ pk, work, isUndone, author, progress: begun, finish }: Active) {
    const { folderWorks } = this.parts.tables;
    if (!isUndone && folderWorks.isUndone(pk)) return "given up";
    if (isUndone) folderWorks.undo(pk);
    const stamp = { now: this.parts.clock.now(), ...(isUndone ? { by: null } : author) };
    const does = doneOf({ work, isUndone });
    const { progress, files }: Reached =
      does === null ? { progress: null, files: begun.files } : this.parts.pieces.step(does, begun, stamp);
    folderWorks.advance(pk, progress ?? { phase: begun.phase, files });
    if (progress !== null) return progress;
    const recorded = folderWorks.byPk(pk);
    folderWorks.remove(pk);
    if (does === null) this.#stop(work, stamp);
    else this.parts.pieces.end(does, stamp);
    return { recorded, settle: finish() };
  }

  /** Ends a work where it is. The snapshot that was taken for it goes. Inside the last write. */
  #stop(work: FolderWork, stamp: Stamp): void {
    this.parts.pieces.stop(work, stamp);
    if (work.kind !== "fork" || !work.ownsSnapshot) return;
    const snapshot = this.parts.tables.snapshots.byPk(work.snapshot);
    if (snapshot !== null) this.parts.snapshotRemoval.begin(snapshot, stamp);
  }

  /** Takes a work back, and then refuses its request. */
  #takeBack(active: Active, error: unknown): void {
    const finish = () => () => active.reject(error);
    this.#enqueue({ ...active, isUndone: true, progress: START, finish });
  }

  async #fail(active: Active, error: unknown): Promise<void> {
    const { pk, work, isUndone, reject, progress } = active;
    const isDriveGone = error instanceof CofferError && error.code === "NOT_FOUND";
    if (!isUndone && !goesOn(work)) {
      this.#takeBack(active, error);
      return;
    }
    if (isDriveGone && (await this.#forget(pk))) {
      // The rest was deleted with the drive.
      this.#release(pk, null);
      reject(error);
      return;
    }
    // A full or failed disk is logged already.
    if (!(error instanceof WriteRefused)) {
      this.parts.log.error("a change of a folder is delayed", { kind: work.kind, error });
    }
    const isFull = error instanceof WriteRefused && error.code === "STORAGE_FULL";
    const waiting = delayed(isFull, "Another change to this folder is waiting; try again later.");
    this.parts.locks.refuse(pk, waiting);
    reject(delayed(isFull, "This change has begun, and goes on by itself. Do not send it again."));
    if (this.#isStopped) return;
    const again = () => {
      this.#waiting.delete(pk);
      this.#enqueue({ ...active, progress: { ...START, files: progress.files }, reject: () => {} });
    };
    this.#waiting.set(pk, { timer: setTimeout(again, RETRY_MS), again });
  }

  /** Lets everybody know that a work has ended. `ended` is null if it went with its drive. */
  #release(pk: FolderWorkPk, ended: RecordedWork | null): void {
    this.parts.locks.release(pk);
    this.parts.notices.ends(pk, ended);
  }

  /** Removes the record of a work. Returns false if that failed. */
  async #forget(pk: FolderWorkPk): Promise<boolean> {
    try {
      await this.parts.tables.writeFromReserve(() => this.parts.tables.folderWorks.remove(pk));
      return true;
    } catch (error) {
      this.parts.log.error("the record of a change of a folder could not be removed", { error });
      return false;
    }
  }
}

/** Removals free space, and returns need little: both work on a full disk. */
function needsLittle({ work, isUndone }: Active): boolean {
  const does = doneOf({ work, isUndone });
  return does === null || does.kind === "remove" || does.kind === "return";
}

function stopping(): CofferError {
  return new CofferError("UNAVAILABLE", "The server is shutting down; try again once it is running again.");
}

/** The error while a change waits to be tried again. */
function delayed(isFull: boolean, advice: string): CofferError {
  return isFull
    ? new CofferError("STORAGE_FULL", `The server's disk is full. ${advice}`)
    : new CofferError("UNAVAILABLE", `The server could not finish. ${advice}`);
}
