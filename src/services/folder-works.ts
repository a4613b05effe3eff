import { setImmediate as nextTurn } from "node:timers/promises";
import type { Clock } from "../clock.ts";
import type { Tables } from "../db/tables.ts";
import { CofferError, WriteRefused } from "../domain/errors.ts";
import { type FolderWork, takenBack } from "../domain/folder-work.ts";
import type { FolderWorkPk } from "../domain/id.ts";
import { Piece } from "../domain/piece.ts";
import type { Log } from "../log.ts";
import type { FolderLocks } from "./folder-locks.ts";
import { type FolderPieces, type Progress, START } from "./folder-pieces.ts";

/** How long a work rests that cannot go on, such as on a full disk, in milliseconds. */
const RETRY_MS = 10_000;

/** What is left to do of a work, which is recorded. */
export interface Rest<T> {
  readonly pk: FolderWorkPk;
  readonly work: FolderWork;
  readonly progress: Progress;
  /** The result, and what is to be kept with it. Inside the last write. */
  readonly finish: () => T;
}

/** A recorded work on its way. */
interface Active {
  readonly pk: FolderWorkPk;
  readonly work: FolderWork;
  progress: Progress;
  /** Whether the record says this work, and not yet the one that it takes back. */
  isRecorded: boolean;
  /** Runs inside the last piece; what it returns, once that is durable. */
  readonly finish: () => () => void;
  /** Tells whoever asked for it, where somebody still waits. */
  readonly reject: (error: unknown) => void;
}

/**
 * Carries the recorded copies, moves and removals of folders to their ends: one piece of each in turn, with a turn
 * of the event loop for all other requests in between. What fails on the way is taken back before it is refused,
 * and so is what a crash cut off; a removal, which cannot be, is carried to its end.
 */
export class FolderWorks {
  readonly #tables: Tables;
  readonly #locks: FolderLocks;
  readonly #pieces: FolderPieces;
  readonly #clock: Clock;
  readonly #log: Log;
  #queue: Active[] = [];
  #running: Promise<void> | null = null;
  readonly #resting = new Set<NodeJS.Timeout>();
  #isStopped = false;

  constructor(parts: { tables: Tables; locks: FolderLocks; pieces: FolderPieces; clock: Clock; log: Log }) {
    this.#tables = parts.tables;
    this.#locks = parts.locks;
    this.#pieces = parts.pieces;
    this.#clock = parts.clock;
    this.#log = parts.log;
  }

  /** Goes on with what the last process left. */
  start(): void {
    for (const { pk, work } of this.#tables.folderWorks.all()) this.#enqueue(this.#inBackground(pk, work));
  }

  /** Lets a piece in progress end. Who waits for more is refused; the next start goes on with it. */
  async stop(): Promise<void> {
    this.#isStopped = true;
    for (const timer of this.#resting) clearTimeout(timer);
    await this.#running;
    for (const { reject } of this.#queue) reject(stopping());
    this.#locks.refuseAll(stopping());
  }

  /** Does the rest of a work. Resolves when all is durable; rejects when it was refused, and nothing of it is left. */
  complete<T>({ pk, work, progress, finish }: Rest<T>): Promise<T> {
    const { promise, resolve, reject } = Promise.withResolvers<T>();
    this.#enqueue({
      pk,
      work,
      progress,
      isRecorded: true,
      finish: () => {
        const result = finish();
        return () => resolve(result);
      },
      reject,
    });
    return promise;
  }

  /** What takes a work back, or carries a removal to its end, without anybody who waits for it. */
  #inBackground(pk: FolderWorkPk, begun: FolderWork): Active {
    const work = takenBack(begun);
    return {
      pk,
      work,
      progress: START,
      isRecorded: work === begun,
      finish: () => () =>
        this.#log.info("a change of a folder was taken back or finished", { kind: begun.kind }),
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

  /** One piece of each in turn, so that small works do not wait for large ones. */
  async #run(): Promise<void> {
    for (let active = this.#queue.shift(); active !== undefined; active = this.#queue.shift()) {
      if (!(await this.#advance(active))) this.#queue.push(active);
      if (this.#isStopped) break;
      await nextTurn();
    }
    this.#running = null;
  }

  /** Does one piece; whether the work has ended, or rests. */
  async #advance(active: Active): Promise<boolean> {
    try {
      const { write, writeFromReserve } = this.#tables;
      // What frees room, or only gives things back, goes on when the disk is full.
      const isModest = active.work.kind === "remove" || active.work.kind === "return";
      const { progress, settle } = await (isModest ? writeFromReserve : write)(() => this.#piece(active));
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

  /** Inside a write. How far it has come and, where all is done, what to do once that is durable. */
  #piece(active: Active): { readonly progress: Progress | null; readonly settle: () => void } {
    const { pk, work, isRecorded, finish } = active;
    const { folderWorks } = this.#tables;
    if (!isRecorded) folderWorks.replace(pk, work);
    const progress = this.#pieces.step(work, active.progress, new Piece(), this.#clock.now());
    if (progress !== null) return { progress, settle: () => {} };
    folderWorks.remove(pk);
    return { progress, settle: finish() };
  }

  async #fail(active: Active, error: unknown): Promise<void> {
    const { pk, work, reject } = active;
    const back = takenBack(work);
    if (back !== work) {
      const finish = () => () => reject(error);
      this.#enqueue({ ...active, work: back, progress: START, isRecorded: false, finish });
      return;
    }
    const isGone = error instanceof CofferError && error.code === "NOT_FOUND";
    if (isGone && (await this.#forget(pk))) {
      // What was left to do went with the drive.
      this.#locks.release(pk);
      reject(error);
      return;
    }
    // That the disk is full or has failed is in the log already.
    if (!(error instanceof WriteRefused)) {
      this.#log.error("a change of a folder is delayed", { kind: work.kind, error });
    }
    const refusal = new CofferError(
      "UNAVAILABLE",
      "Another change to this folder is still running; try again later.",
    );
    this.#locks.refuse(pk, refusal);
    reject(refusal);
    this.#rest({ ...active, progress: START, reject: () => {} });
  }

  /** Takes the record of a work away; whether that went well. */
  async #forget(pk: FolderWorkPk): Promise<boolean> {
    try {
      await this.#tables.writeFromReserve(() => this.#tables.folderWorks.remove(pk));
      return true;
    } catch (error) {
      this.#log.error("the record of a change of a folder could not be removed", { error });
      return false;
    }
  }

  #rest(active: Active): void {
    if (this.#isStopped) return;
    const timer = setTimeout(() => {
      this.#resting.delete(timer);
      this.#enqueue(active);
    }, RETRY_MS);
    this.#resting.add(timer);
  }
}

function stopping(): CofferError {
  return new CofferError("UNAVAILABLE", "The server is shutting down; try again once it is running again.");
}
