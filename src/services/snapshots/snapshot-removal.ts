import { HELD, type Held, type HeldPosition } from "../../db/snapshots/snapshots.ts";
import type { Stamp } from "../../domain/changes/change.ts";
import type { DrivePk, SnapshotId } from "../../domain/id.ts";
import { Piece } from "../../domain/folders/piece.ts";
import { ROOT } from "../../domain/files/path.ts";
import type { Snapshot } from "../../domain/snapshots/snapshot.ts";
import type { Parts } from "../parts.ts";
import { Service } from "../service.ts";
import { requireFurther } from "../pieces.ts";

/** Rows per held row: its own, its content's counts, its drive's and their owner's. */
const ROWS: Readonly<Record<Held, number>> = { held_file: 8, held_folder: 2 };
/** How many held rows one piece looks at. */
const LOOKS = 500;

interface Progress {
  /** Its row may be another's by the next piece. */
  readonly snapshot: SnapshotId;
  /** How many of `HELD` are done. */
  readonly done: number;
  readonly after: HeldPosition;
}

/** Deletes snapshots, and then removes what only these need, in small pieces. */
export class SnapshotRemoval extends Service<Pick<Parts, "tables" | "changes">> {
  #progress: Progress | null = null;

  /** Deletes a snapshot that no work uses: from now on nobody sees it. Inside a write. */
  begin({ pk, drivePk: drive, id: ref }: Pick<Snapshot, "pk" | "id" | "drivePk">, stamp: Stamp): void {
    this.parts.tables.snapshots.markDeleted(pk, stamp.now);
    this.parts.changes.add({ drive, type: "snapshot.deleted", path: ROOT, ref, stamp });
  }

  /** Does one piece, in a write of its own. Resolves with 0 if nothing is left to do. */
  async piece(): Promise<number> {
    const snapshot = this.parts.tables.snapshots.deleted();
    if (snapshot === null) return 0;
    const { id, number } = snapshot;
    const begun = this.#progress?.snapshot === id ? this.#progress : startOf(id, number);
    // If it cannot go on from there, it starts again.
    this.#progress = null;
    const reached = await this.parts.tables.writeFromReserve(() => this.#remove(begun));
    if (reached !== null) requireFurther("the removal of a snapshot", positionOf(begun), positionOf(reached));
    this.#progress = reached;
    return 1;
  }

  /** Removes some held rows of a deleted drive. Returns how many. Inside a write. */
  removeSomeOf(drive: DrivePk, limit: number): number {
    const { heldRows } = this.parts.tables;
    const files = heldRows.held_file.removeSomeOf(drive, limit);
    return files + heldRows.held_folder.removeSomeOf(drive, limit - files);
  }

  /**
   * A snapshot's rows have an `until` from its number on. Those that start before the snapshot before it, and those
   * that last until the one after it, are needed there.
   */
  #remove({ snapshot: id, done, after: start }: Progress): Progress | null {
    const { snapshots, heldRows } = this.parts.tables;
    const snapshot = snapshots.deleted();
    if (snapshot?.id !== id) return null;
    const held = HELD[done];
    if (held === undefined) {
      snapshots.remove(snapshot.pk);
      return null;
    }
    const piece = new Piece();
    let after = start;
    const { some, remove } = heldRows[held];
    const rows = some(snapshot.drivePk, after.until, after.pk, snapshot.after, LOOKS);
    for (const row of rows) {
      if (piece.isFull) return { snapshot: id, done, after };
      if (row.era >= snapshot.before) {
        remove(row.pk);
        piece.takeRows(ROWS[held]);
      }
      after = row;
    }
    return rows.length === LOOKS ? { snapshot: id, done, after } : startOf(id, snapshot.number, done + 1);
  }
}

function positionOf({ done, after }: Progress): string {
  return `${done} ${after.until} ${after.pk}`;
}

/** The position before all rows of a snapshot. */
function startOf(snapshot: SnapshotId, number: number, done = 0): Progress {
  return { snapshot, done, after: { until: number, pk: 0 } };
}
