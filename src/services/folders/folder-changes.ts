import type { Clock } from "../../process/clock.ts";
import type { Within } from "../../db/engine/database.ts";
import type { Tables } from "../../db/tables.ts";
import { type Actor, actorOf } from "../../domain/changes/actor.ts";
import type { Caller } from "../../domain/accounts/caller.ts";
import type { RecordName } from "../../domain/idempotency.ts";
import { type FolderWork, placesOf } from "../../domain/folders/folder-work.ts";
import type { Access } from "../access.ts";
import type { FolderLocks } from "./folder-locks.ts";
import type { FolderPieces } from "./folder-pieces.ts";
import type { FolderWorks, Rest } from "./folder-works.ts";
import { START } from "./phases.ts";

/** A work that is checked and can begin: its destination exists. */
export interface Begun<T> {
  readonly work: FolderWork;
  /** How many files it is about, as far as that is known. */
  readonly files: number | null;
  /** Returns the result. Called at the end, inside the last write. */
  readonly result: () => T;
}

/** What the first write did: everything, or one piece and a record of the rest. */
type First<T> = { readonly result: T } | { readonly rest: Rest<T> };

/**
 * Copies, moves, removes and restores folders for callers. A small change is done in one transaction. The rest of a large one is
 * recorded and done by `FolderWorks`; other writes to the same folders wait until it ends.
 */
export class FolderChanges {
  readonly #parts;

  constructor(parts: {
    tables: Tables;
    access: Access;
    locks: FolderLocks;
    pieces: FolderPieces;
    works: FolderWorks;
    clock: Clock;
  }) {
    this.#parts = parts;
  }

  /**
   * Does a work for a caller. Resolves with its result when all of it is durable. If a copy or move rejects, it was
   * rolled back, or will be.
   *
   * @param within is called with the result in the transaction that decides the work: the first one for a removal,
   *   which is then finished unless it is given up; otherwise the last one
   * @param begin runs inside the first write, after the caller was checked again
   * @param how `writeFromReserve` for removals: they work on a full disk
   */
  async perform<T>(
    caller: Caller,
    within: Within<T> | undefined,
    begin: () => Begun<T>,
    how: "write" | "writeFromReserve" = "write",
  ): Promise<T> {
    const first = await this.#parts.access[how](caller, undefined, () =>
      this.#first(begin(), actorOf(caller), within),
    );
    return "result" in first ? first.result : this.#parts.works.complete(first.rest);
  }

  /** Inside the first write. */
  #first<T>({ work, files, result }: Begun<T>, by: Actor, within: Within<T> | undefined): First<T> {
    for (const { drive, top } of placesOf(work)) this.#parts.locks.requireWholeFree(drive, top);
    const now = this.#parts.clock.now();
    const { progress } = this.#parts.pieces.step(work, START, { now, by });
    const finish = () => {
      const value = result();
      within?.(value);
      return value;
    };
    if (progress === null) {
      this.#parts.pieces.end(work, { now, by });
      return { result: finish() };
    }
    const { folderWorks, idempotencyRecords } = this.#parts.tables;
    const record = (answer: RecordName | null) =>
      folderWorks.insert({ work, progress, fileTotal: files, answer }, { now, by });
    if (work.kind !== "remove") return { rest: { pk: record(null), work, by, progress, finish } };
    idempotencyRecords.takeKept();
    const removed = finish();
    const pk = record(idempotencyRecords.takeKept());
    return { rest: { pk, work, by, progress, finish: () => removed } };
  }
}
