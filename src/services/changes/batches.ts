import type { Caller } from "../../domain/accounts/caller.ts";
import {
  type Batch,
  type BatchKind,
  commonFolder,
  fileCountOf,
  summaryType,
} from "../../domain/changes/batch.ts";
import type { Author, Stamp } from "../../domain/changes/change.ts";
import { CofferError, type ErrorCode, present, WriteRefused } from "../../domain/errors.ts";
import { type BatchId, newId } from "../../domain/id.ts";
import type { Within } from "../../db/engine/database.ts";
import type { Tables } from "../../db/tables.ts";
import type { Clock } from "../../process/clock.ts";
import type { Log } from "../../process/log.ts";
import type { Access } from "../access.ts";
import { Service } from "../service.ts";
import type { Changes } from "./changes.ts";

/** Errors that are not about one part alone. */
const OF_ALL: ReadonlySet<ErrorCode> = new Set(["UNAUTHORIZED", "UNAVAILABLE", "STORAGE_FULL", "INTERNAL"]);

/** How many parts of a batch are written at once: about as much as one piece of a change of a folder. */
export const AT_ONCE = 12;

/** One part of a batch. */
export interface BatchPart {
  /** Inside a write. What it throws undoes this part alone. */
  readonly run: (stamp: Stamp) => void;
  /** Whether it works on a full disk. */
  readonly freesSpace?: boolean;
}

/** Why a part was not done; null if it was. */
export type PartError = CofferError | null;

/**
 * Batches: changes that one request makes together, in one transaction or several. Each of them is in the feed, with
 * the batch that it is part of; the last transaction adds a change that sums them up. So whoever makes one opens it,
 * takes the `stamp` of each piece from it, and closes it in the last one, all of it within `whole`.
 */
export class Batches extends Service<{
  tables: Tables;
  access: Access;
  changes: Changes;
  clock: Clock;
  log: Log;
  /** Takes back what a batch has done, and ends it. */
  reverse: (batch: Batch) => Promise<void>;
}> {
  /** A batch of which nothing is done yet. */
  open(kind: BatchKind, { by, message = null }: Author, isAtomic = false): Batch {
    return { id: newId<BatchId>(this.parts.clock.now()), kind, by, message, isAtomic };
  }

  /** For some of its changes. Inside their write. */
  stamp(batch: Batch): Stamp {
    this.parts.tables.batches.begin(batch);
    return this.#stamp(batch);
  }

  #stamp({ id, by, message = null }: Batch): Stamp {
    return { now: this.parts.clock.now(), by, message, batch: id };
  }

  /** Sums a batch up. Returns its id; null if it has changed nothing. Inside its last write. */
  close(batch: Batch): BatchId | null {
    const { tables, changes } = this.parts;
    if (!tables.batches.end(batch.id)) return null;
    const stamp = this.#stamp(batch);
    const sums = tables.changes.sumsOf(batch.id);
    for (const sum of sums) {
      const about = {
        drive: sum.drive,
        path: commonFolder(sum.paths),
        fileCount: fileCountOf(batch.kind, sum),
      };
      changes.add({ ...about, type: summaryType(batch.kind), ref: batch.id, stamp });
    }
    return sums.length === 0 ? null : batch.id;
  }

  /**
   * Does the parts of a batch in their order, each in a write of its own; some share a commit, and others have their
   * turn in between. Resolves with the error of each, null where it was done. Throws what is not about one alone.
   */
  async each(caller: Caller, batch: Batch, parts: readonly BatchPart[]): Promise<readonly PartError[]> {
    const errors: PartError[] = [];
    for (let at = 0; at < parts.length; at += AT_ONCE) {
      const some = this.#begin(caller, batch, parts.slice(at, at + AT_ONCE));
      errors.push(...(await some.done()));
    }
    return errors;
  }

  /**
   * Like `each`, for the last parts: closes the batch, mostly in the commit of the last of them, so that a small batch
   * is done as a whole or not at all. `result` is called with the errors of these parts, and `within` with its result.
   */
  async last<T>(
    caller: Caller,
    batch: Batch,
    parts: readonly BatchPart[],
    result: (errors: readonly PartError[], id: BatchId | null) => T,
    within?: Within<T>,
  ): Promise<T> {
    const first = Math.max(0, parts.length - AT_ONCE);
    const errors = await this.each(caller, batch, parts.slice(0, first));
    const some = this.#begin(caller, batch, parts.slice(first));
    const close = () =>
      this.parts.access.writeFromReserve(caller, undefined, () => {
        const known = some.outcomes();
        if (known === null) return null;
        const value = result([...errors, ...known], this.close(batch));
        within?.(value);
        return { value };
      });
    const [closed] = await Promise.all([close(), some.done()]);
    const { value } = closed ?? present(await close(), "the outcome of a batch");
    return value;
  }

  /** Begins the writes of some parts. Their outcomes are known inside the write that comes next. */
  #begin(caller: Caller, batch: Batch, parts: readonly BatchPart[]) {
    const outcomes = new Map<number, PartError>();
    const writes = parts.map(async ({ run, freesSpace = false }, at) => {
      const job = () => {
        outcomes.delete(at);
        try {
          run(this.stamp(batch));
          outcomes.set(at, null);
        } catch (error) {
          if (isOfOne(error)) outcomes.set(at, error);
          throw error;
        }
      };
      try {
        await this.parts.access[freesSpace ? "writeFromReserve" : "write"](caller, undefined, job);
      } catch (error) {
        if (outcomes.get(at) === error) return;
        // The commit failed, or it was not tried at all.
        outcomes.delete(at);
        throw error;
      }
    });
    /** Null while some of them wait. */
    const known = () =>
      outcomes.size < parts.length ? null : parts.map((_, at) => outcomes.get(at) ?? null);
    const done = async () => {
      for (const each of await Promise.allSettled(writes)) if (each.status === "rejected") throw each.reason;
      return present(known(), "the outcome of a part of a batch");
    };
    return { outcomes: known, done };
  }

  /** Runs the pieces of a batch. If they fail, it is closed with what they did until then, or all is taken back. */
  async whole<T>(batch: Batch, pieces: () => Promise<T>): Promise<T> {
    try {
      return await pieces();
    } catch (error) {
      await this.#end(batch);
      throw error;
    }
  }

  /** Ends the batches that the last process left, as if they had failed. */
  async start(): Promise<void> {
    for (const batch of this.parts.tables.batches.all()) await this.#end(batch);
  }

  /** Never rejects: what cannot be done now is done by the next start. */
  async #end(batch: Batch): Promise<void> {
    try {
      if (batch.isAtomic) await this.parts.reverse(batch);
      else await this.parts.tables.writeFromReserve(() => this.close(batch));
    } catch (error) {
      // A full or failed disk is logged already.
      if (!(error instanceof WriteRefused))
        this.parts.log.error("a batch of changes was not closed", { error });
    }
  }
}

/** Whether others of a batch may be done all the same. */
export function isOfOne(error: unknown): error is CofferError {
  return error instanceof CofferError && !OF_ALL.has(error.code);
}
