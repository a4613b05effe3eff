import { setImmediate as nextTurn } from "node:timers/promises";
import type { Clock } from "../clock.ts";
import type { Within } from "../db/database.ts";
import type { Tables } from "../db/tables.ts";
import type { Caller } from "../domain/caller.ts";
import { CofferError, WriteRefused } from "../domain/errors.ts";
import { type FolderWork, placesOf, takenBack } from "../domain/folder-work.ts";
import type { FolderWorkPk } from "../domain/id.ts";
import { Piece } from "../domain/piece.ts";
import type { Log } from "../log.ts";
import type { Access } from "./access.ts";
import type { FolderLocks } from "./folder-locks.ts";
import { type FolderPieces, type Progress, START } from "./folder-pieces.ts";

/** How long a work rests that cannot go on, such as on a full disk, in milliseconds. */
const RETRY_MS = 10_000;

/** A work that may begin: it was checked, and what it leads into is there. */
export interface Begun<T> {
  readonly work: FolderWork;
  /** The result, once all is done. Inside the last write. */
  readonly result: () => T;
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

/** What the first write did: all of it, or one piece and a record of the rest. */
type First<T> =
  | { readonly isDone: true; readonly result: T }
  | {
      readonly isDone: false;
      readonly pk: FolderWorkPk;
      readonly work: FolderWork;
      readonly progress: Progress;
      /** The result, and what is to be kept with it. Inside the last write. */
      readonly finish: () => T;
    };

/**
 * Carries out the copies, moves and removals of folders. What fits into one piece is done in one transaction.
 * The rest is recorded and done piece by piece, one work after the other, with a turn of the event loop for all
 * other requests in between. Other writes to the same folders wait for the end. What fails on the way is taken
 * back before it is refused, and so is what a crash cut off; a removal, which cannot be, is carried to its end.
 */
export class FolderWorks {
  readonly #tables: Tables;
  readonly #access: Access;
  readonly #locks: FolderLocks;
  readonly #pieces: FolderPieces;
  readonly #clock: Clock;
  readonly #log: Log;
  #queue: Active[] = [];
  #running: Promise<void> | null = null;
  readonly #resting = new Set<NodeJS.Timeout>();
  #isStopped = false;

  constructor(parts: {
    tables: Tables;
    access: Access;
    locks: FolderLocks;
    pieces: FolderPieces;
    clock: Clock;
    log: Log;
  }) {
    this.#tables = parts.tables;
    this.#access = parts.access;
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

  /**
   * Does a work for a caller. Resolves with its result when all of it is durable; rejects when it was refused,
   * and then nothing of it is left.
   *
   * @param within gets the result in the transaction that decides the work: the first of a removal, which is
   *   then carried to its end whatever happens, and else the last
   * @param begin runs inside the first write, after the caller's standing was checked
   */
  async perform<T>(caller: Caller, within: Within<T> | undefined, begin: () => Begun<T>): Promise<T> {
    return this.#goOn(
      await this.#access.write<First<T>>(caller, undefined, () => this.#first(begin(), within)),
    );
  }

  /** Like `perform`, for a removal, which must be possible on a full disk. */
  async performFromReserve<T>(
    caller: Caller,
    within: Within<T> | undefined,
    begin: () => Begun<T>,
  ): Promise<T> {
    return this.#goOn(
      await this.#access.writeFromReserve<First<T>>(caller, undefined, () => this.#first(begin(), within)),
    );
  }

  /** Does what the first write has left to do. */
  async #goOn<T>(first: First<T>): Promise<T> {
    if (first.isDone) return first.result;
    const { pk, work, progress, finish } = first;
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

  /** Inside the first write. */
  #first<T>({ work, result }: Begun<T>, within: Within<T> | undefined): First<T> {
    for (const { drive, top } of placesOf(work)) this.#locks.requireWholeFree(drive, top);
    const now = this.#clock.now();
    const progress = this.#pieces.step(work, START, new Piece(), now);
    const finish = () => {
      const value = result();
      within?.(value);
      return value;
    };
    if (progress === null) return { isDone: true, result: finish() };
    const pk = this.#tables.folderWorks.insert(work, now);
    if (work.kind !== "remove") return { isDone: false, pk, work, progress, finish };
    const removed = finish();
    return { isDone: false, pk, work, progress, finish: () => removed };
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
