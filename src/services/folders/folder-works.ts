import { setImmediate as nextTurn } from "node:timers/promises";
import type { Clock } from "../../clock.ts";
import type { RecordedWork } from "../../db/folder-works.ts";
import type { Tables } from "../../db/tables.ts";
import type { Actor, Stamp } from "../../domain/actor.ts";
import { CofferError, WriteRefused } from "../../domain/errors.ts";
import { type FolderWork, undoOf } from "../../domain/folders/folder-work.ts";
import type { FolderWorkPk, SnapshotPk } from "../../domain/id.ts";
import type { Log } from "../../log.ts";
import type { SnapshotRemoval } from "../snapshots/snapshot-removal.ts";
import type { FolderLocks } from "./folder-locks.ts";
import type { FolderPieces } from "./folder-pieces.ts";
import { type Progress, START } from "./progress.ts";

/** How long to wait before a failed work is tried again, such as on a full disk; in milliseconds. */
const RETRY_MS = 10_000;

/** The rest of a recorded work. */
export interface Rest<T> {
  readonly pk: FolderWorkPk;
  readonly work: FolderWork;
  readonly by: Actor;
  readonly progress: Progress;
  /** Returns the result, and stores what belongs to it. Called inside the last write. */
  readonly finish: () => T;
}

/** A recorded work in progress. */
interface Active {
  readonly pk: FolderWorkPk;
  readonly work: FolderWork;
  /** Who asked for it; null for one that undoes another. */
  readonly by: Actor | null;
  progress: Progress;
  /** The snapshot that goes with the work that this undoes; null for none. */
  readonly dropped: SnapshotPk | null;
  /** Whether the database has this work on record; false while it still has the one that this undoes. */
  isRecorded: boolean;
  /** Called inside the last piece. What it returns is called when that is durable. */
  readonly finish: () => () => void;
  /** Rejects the request that waits for the work, if there is one. */
  readonly reject: (error: unknown) => void;
}

/**
 * Finishes the recorded copies, moves and removals of folders: one piece of each in turn, with a turn of the event
 * loop for other requests in between. A failed one is undone before its request is refused, and so is one that a crash
 * interrupted. A removal cannot be undone, so it is always finished.
 */
export class FolderWorks {
  readonly #tables: Tables;
  readonly #locks: FolderLocks;
  readonly #pieces: FolderPieces;
  readonly #snapshotRemoval: SnapshotRemoval;
  readonly #clock: Clock;
  readonly #log: Log;
  #queue: Active[] = [];
  #running: Promise<void> | null = null;
  readonly #waiting = new Set<NodeJS.Timeout>();
  #isStopped = false;

  constructor(parts: {
    tables: Tables;
    locks: FolderLocks;
    pieces: FolderPieces;
    snapshotRemoval: SnapshotRemoval;
    clock: Clock;
    log: Log;
  }) {
    this.#tables = parts.tables;
    this.#locks = parts.locks;
    this.#pieces = parts.pieces;
    this.#snapshotRemoval = parts.snapshotRemoval;
    this.#clock = parts.clock;
    this.#log = parts.log;
  }

  /** Continues the works that the last process left. */
  start(): void {
    for (const recorded of this.#tables.folderWorks.all()) this.#enqueue(this.#inBackground(recorded));
  }

  /** Resolves after the current piece. Waiting requests are refused; the next start continues the works. */
  async stop(): Promise<void> {
    this.#isStopped = true;
    for (const timer of this.#waiting) clearTimeout(timer);
    await this.#running;
    for (const { reject } of this.#queue) reject(stopping());
    this.#locks.refuseAll(stopping());
  }

  /**
   * Does the rest of a work. Resolves when all of it is durable. If a copy or move rejects, it was rolled back, or will
   * be.
   */
  complete<T>({ pk, work, by, progress, finish }: Rest<T>): Promise<T> {
    const { promise, resolve, reject } = Promise.withResolvers<T>();
    this.#enqueue({
      pk,
      work,
      by,
      progress,
      dropped: null,
      isRecorded: true,
      finish: () => {
        const result = finish();
        return () => resolve(result);
      },
      reject,
    });
    return promise;
  }

  /** The work that undoes a work, or finishes a removal, when no request waits for it. */
  #inBackground({ pk, work: begun, by }: RecordedWork): Active {
    const work = undoOf(begun);
    return {
      pk,
      work,
      by: work === begun ? by : null,
      progress: START,
      dropped: ownSnapshotOf(begun),
      isRecorded: work === begun,
      finish: () => () =>
        this.#log.info("a change of a folder was rolled back or finished", { kind: begun.kind }),
      reject: () => {},
    };
  }

  #enqueue(active: Active): void {
    if (this.#isStopped) {
      active.reject(stopping());
      return;
    }
    this.#queue.push(active);
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
      const { write, writeFromReserve } = this.#tables;
      // Removals free space, and returns need little: both work on a full disk.
      const needsLittle = active.work.kind === "remove" || active.work.kind === "return";
      const { progress, settle } = await (needsLittle ? writeFromReserve : write)(() => this.#piece(active));
      active.isRecorded = true;
      if (progress !== null) {
        active.progress = progress;
        return false;
      }
      this.#locks.release(active.pk);
      settle();
    } catch (error) {
      await this.#fail(active, error);
    }
    return true;
  }

  /** Inside a write. Returns the progress (null at the end), and what to call when the write is durable. */
  #piece(active: Active): { readonly progress: Progress | null; readonly settle: () => void } {
    const { pk, work, by, dropped, isRecorded, finish } = active;
    const { folderWorks } = this.#tables;
    const stamp = { now: this.#clock.now(), by };
    if (!isRecorded) {
      folderWorks.replace(pk, work);
      this.#drop(dropped, stamp);
    }
    const progress = this.#pieces.step(work, active.progress, stamp);
    if (progress !== null) return { progress, settle: () => {} };
    folderWorks.remove(pk);
    this.#pieces.end(work, stamp);
    return { progress, settle: finish() };
  }

  async #fail(active: Active, error: unknown): Promise<void> {
    const { pk, work, dropped, reject } = active;
    if (work.kind === "fork" && (await this.#forget(pk, ownSnapshotOf(work)))) {
      // Nobody has seen the drive; the sweep removes it.
      this.#locks.release(pk);
      reject(error);
      return;
    }
    const back = undoOf(work);
    if (back !== work) {
      const finish = () => () => reject(error);
      this.#enqueue({ ...active, work: back, by: null, progress: START, isRecorded: false, finish });
      return;
    }
    const isDriveGone = error instanceof CofferError && error.code === "NOT_FOUND";
    if (isDriveGone && (await this.#forget(pk, dropped))) {
      // The rest was deleted with the drive.
      this.#locks.release(pk);
      reject(error);
      return;
    }
    // A full or failed disk is logged already.
    if (!(error instanceof WriteRefused)) {
      this.#log.error("a change of a folder is delayed", { kind: work.kind, error });
    }
    const isFull = error instanceof WriteRefused && error.code === "STORAGE_FULL";
    this.#locks.refuse(pk, delayed(isFull, "Another change to this folder is waiting; try again later."));
    reject(delayed(isFull, "This change has begun, and goes on by itself. Do not send it again."));
    this.#retryLater({ ...active, progress: START, reject: () => {} });
  }

  /** Removes the record of a work, and a snapshot that goes with it. Returns false if that failed. */
  async #forget(pk: FolderWorkPk, dropped: SnapshotPk | null = null): Promise<boolean> {
    try {
      await this.#tables.writeFromReserve(() => {
        this.#tables.folderWorks.remove(pk);
        this.#drop(dropped, { now: this.#clock.now(), by: null });
      });
      return true;
    } catch (error) {
      this.#log.error("the record of a change of a folder could not be removed", { error });
      return false;
    }
  }

  /** Deletes the snapshot of a work that is given up. Inside a write. */
  #drop(pk: SnapshotPk | null, stamp: Stamp): void {
    const snapshot = pk === null ? null : this.#tables.snapshots.byPk(pk);
    if (snapshot !== null) this.#snapshotRemoval.begin(snapshot, stamp);
  }

  #retryLater(active: Active): void {
    if (this.#isStopped) return;
    const timer = setTimeout(() => {
      this.#waiting.delete(timer);
      this.#enqueue(active);
    }, RETRY_MS);
    this.#waiting.add(timer);
  }
}

function ownSnapshotOf(work: FolderWork): SnapshotPk | null {
  return work.kind === "fork" && work.ownsSnapshot ? work.snapshot : null;
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
