import type { Clock } from "../clock.ts";
import type { Within } from "../db/database.ts";
import type { Tables } from "../db/tables.ts";
import type { Caller } from "../domain/caller.ts";
import { type FolderWork, placesOf } from "../domain/folder-work.ts";
import { Piece } from "../domain/piece.ts";
import type { Access } from "./access.ts";
import type { FolderLocks } from "./folder-locks.ts";
import { type FolderPieces, START } from "./folder-pieces.ts";
import type { FolderWorks, Rest } from "./folder-works.ts";

/** A work that may begin: it was checked, and what it leads into is there. */
export interface Begun<T> {
  readonly work: FolderWork;
  /** The result, once all is done. Inside the last write. */
  readonly result: () => T;
}

/** What the first write did: all of it, or one piece and a record of the rest. */
type First<T> =
  { readonly isDone: true; readonly result: T } | { readonly isDone: false; readonly rest: Rest<T> };

/**
 * Copies, moves and removes folders for callers. What fits into one piece is done in one transaction. The rest is
 * recorded and left to `FolderWorks`, and other writes to the same folders wait for its end.
 */
export class FolderChanges {
  readonly #tables: Tables;
  readonly #access: Access;
  readonly #locks: FolderLocks;
  readonly #pieces: FolderPieces;
  readonly #works: FolderWorks;
  readonly #clock: Clock;

  constructor(parts: {
    tables: Tables;
    access: Access;
    locks: FolderLocks;
    pieces: FolderPieces;
    works: FolderWorks;
    clock: Clock;
  }) {
    this.#tables = parts.tables;
    this.#access = parts.access;
    this.#locks = parts.locks;
    this.#pieces = parts.pieces;
    this.#works = parts.works;
    this.#clock = parts.clock;
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

  /** Has done what the first write left to do. */
  async #goOn<T>(first: First<T>): Promise<T> {
    return first.isDone ? first.result : this.#works.complete(first.rest);
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
    if (work.kind !== "remove") return { isDone: false, rest: { pk, work, progress, finish } };
    const removed = finish();
    return { isDone: false, rest: { pk, work, progress, finish: () => removed } };
  }
}
