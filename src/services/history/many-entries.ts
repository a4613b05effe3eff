import { setImmediate as nextTurn } from "node:timers/promises";
import type { Within } from "../../db/engine/database.ts";
import type { Caller } from "../../domain/accounts/caller.ts";
import type { Batch } from "../../domain/changes/batch.ts";
import { authorOf } from "../../domain/changes/change.ts";
import type { CofferError } from "../../domain/errors.ts";
import type { BatchId } from "../../domain/id.ts";
import { type BatchPart, isOfOne, type PartError } from "../changes/batches.ts";
import type { Parts } from "../parts.ts";
import { Service } from "../service.ts";
import type { Trash } from "./trash.ts";

/** What became of one of many entries: where it is now, or why it stayed. */
export type EntryOutcome = { readonly id: string } & (
  { readonly path: string; readonly error: null } | { readonly path: null; readonly error: CofferError }
);

export interface RestoredEntries {
  /** In the order in which they were named. */
  readonly each: readonly EntryOutcome[];
  /** Null if nothing was restored. */
  readonly batch: BatchId | null;
}

/** How many entries are looked up before others have their turn. */
const LOOKED_AT = 100;

/** Brings much back from the trash by one request. */
export class ManyEntries extends Service<Pick<Parts, "batches"> & { trash: Trash }> {
  /**
   * Restores each entry as `Trash.restore` does: a batch. What fails stops no other, unless the server cannot go on at
   * all. `within` is called in the last transaction.
   */
  restore(
    caller: Caller,
    named: readonly string[],
    within?: Within<RestoredEntries>,
  ): Promise<RestoredEntries> {
    const { batches, trash } = this.parts;
    const ids = [...new Set(named)];
    const batch = batches.open("undo", authorOf(caller));
    const outcomes = new Map<string, EntryOutcome>();
    const partOf = (id: string): BatchPart => ({
      run: (stamp) => {
        const { place } = trash.restoreFile(caller, id, undefined, stamp);
        outcomes.set(id, { id, path: place.path, error: null });
      },
    });
    const note = (some: readonly string[], errors: readonly PartError[]) => {
      for (const [at, id] of some.entries()) {
        const error = errors[at] ?? null;
        if (error !== null) outcomes.set(id, { id, path: null, error });
      }
    };
    return batches.whole(batch, async () => {
      const files: string[] = [];
      for (const [at, id] of ids.entries()) {
        if (at % LOOKED_AT === LOOKED_AT - 1) await nextTurn();
        if (this.#isFolder(caller, id)) outcomes.set(id, await this.#restoreFolder(caller, id, batch));
        else files.push(id);
      }
      const result = (errors: readonly PartError[], made: BatchId | null): RestoredEntries => {
        note(files, errors);
        return { each: ids.flatMap((id) => outcomes.get(id) ?? []), batch: made };
      };
      return batches.last(caller, batch, files.map(partOf), result, within);
    });
  }

  /** What the caller may not see is no folder: it is refused as a file. */
  #isFolder(caller: Caller, id: string): boolean {
    try {
      return this.parts.trash.get(caller, id).kind === "folder";
    } catch (error) {
      if (isOfOne(error)) return false;
      throw error;
    }
  }

  async #restoreFolder(caller: Caller, id: string, batch: Batch): Promise<EntryOutcome> {
    try {
      const { place } = await this.parts.trash.restore(caller, id, undefined, undefined, batch);
      return { id, path: place.path, error: null };
    } catch (error) {
      if (isOfOne(error)) return { id, path: null, error };
      throw error;
    }
  }
}
