import {
  type Batch,
  type BatchKind,
  commonFolder,
  fileCountOf,
  summaryType,
} from "../../domain/changes/batch.ts";
import type { Actor, Stamp } from "../../domain/changes/change.ts";
import { WriteRefused } from "../../domain/errors.ts";
import { type BatchId, newId } from "../../domain/id.ts";
import type { Tables } from "../../db/tables.ts";
import type { Clock } from "../../process/clock.ts";
import type { Log } from "../../process/log.ts";
import { Service } from "../service.ts";
import type { Changes } from "./changes.ts";

/**
 * Batches: changes that one request makes together, in one transaction or several. Each of them is in the feed, with
 * the batch that it is part of; the last transaction adds a change that sums them up. So whoever makes one opens it,
 * takes the `stamp` of each piece from it, and closes it in the last one, all of it within `whole`.
 */
export class Batches extends Service<{ tables: Tables; changes: Changes; clock: Clock; log: Log }> {
  /** A batch of which nothing is done yet. */
  open(kind: BatchKind, by: Actor, isAtomic = false): Batch {
    return { id: newId<BatchId>(this.parts.clock.now()), kind, by, isAtomic };
  }

  /** For some of its changes. Inside their write. */
  stamp(batch: Batch): Stamp {
    this.parts.tables.batches.begin(batch);
    return { now: this.parts.clock.now(), by: batch.by, batch: batch.id };
  }

  /** Sums a batch up. Returns its id; null if it has changed nothing. Inside its last write. */
  close(batch: Batch): BatchId | null {
    const { tables, changes, clock } = this.parts;
    if (!tables.batches.end(batch.id)) return null;
    const stamp = { now: clock.now(), by: batch.by, batch: batch.id };
    for (const sum of tables.changes.sumsOf(batch.id)) {
      const about = {
        drive: sum.drive,
        path: commonFolder(sum.paths),
        fileCount: fileCountOf(batch.kind, sum),
      };
      changes.add({ ...about, type: summaryType(batch.kind), ref: batch.id, stamp });
    }
    return batch.id;
  }

  /** Runs the pieces of a batch. If they fail, it is closed with what they did until then. */
  async whole<T>(batch: Batch, pieces: () => Promise<T>): Promise<T> {
    try {
      return await pieces();
    } catch (error) {
      await this.#leave(batch);
      throw error;
    }
  }

  /** Closes the batches that the last process left. */
  async start(): Promise<void> {
    for (const batch of this.parts.tables.batches.all()) await this.#leave(batch);
  }

  /** Never rejects: what cannot be closed now is closed by the next start. */
  async #leave(batch: Batch): Promise<void> {
    try {
      await this.parts.tables.writeFromReserve(() => this.close(batch));
    } catch (error) {
      // A full or failed disk is logged already.
      if (!(error instanceof WriteRefused))
        this.parts.log.error("a batch of changes was not closed", { error });
    }
  }
}
