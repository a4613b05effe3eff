import type { OldestKept } from "../../db/history/kept.ts";
import type { Releaser } from "../../db/contents/blobs.ts";
import type { Parts } from "../parts.ts";
import { Service } from "../service.ts";
import type { HistoryRemoval } from "./history-removal.ts";
import { inPieces } from "../pieces.ts";
import type { SnapshotRemoval } from "../snapshots/snapshot-removal.ts";

/** How many versions one transaction removes. */
const PIECE = 50;

interface Pruned {
  readonly rows: number;
  /** Bytes, as far as no other row names the same contents. */
  readonly bytes: number;
  /** Whether an entry of the trash is to be emptied now. */
  readonly hasEntry: boolean;
}

const NOTHING: Pruned = { rows: 0, bytes: 0, hasEntry: false };

/** Removes what is kept where room is needed: the oldest first, then the snapshots that the server took itself. */
export class Pruning extends Service<
  Pick<Parts, "tables" | "quota" | "clock"> & {
    historyRemoval: HistoryRemoval;
    snapshotRemoval: SnapshotRemoval;
  }
> {
  #isStopped = false;

  /** Makes room for an owner, as far as that is possible. Resolves with the number of removed rows. */
  async pruneOf(owner: Releaser): Promise<number> {
    const hasExcess = () => this.parts.quota.hasKeptExcess(owner, this.parts.clock.now());
    let rows = 0;
    while (!this.#isStopped && hasExcess()) {
      const pruned = await this.#pruneSome(owner, hasExcess);
      if (pruned.rows === 0 && !(await this.#dropSnapshot(owner))) break;
      rows += pruned.rows;
    }
    return rows;
  }

  /** Makes room on the disk, whoever keeps what is there. Resolves with the number of removed rows. */
  async pruneForTheDisk(bytes: number): Promise<number> {
    let left = bytes;
    let rows = 0;
    while (!this.#isStopped && left > 0) {
      let needed = left;
      const pruned = await this.#pruneSome("all", (size) => (needed -= size) > 0);
      if (pruned.rows === 0) break;
      left -= pruned.bytes;
      rows += pruned.rows;
    }
    return rows;
  }

  /** No transaction starts after the current one. */
  stop(): void {
    this.#isStopped = true;
  }

  /** @param goesOn is called after each removal with its bytes */
  async #pruneSome(owner: Releaser | "all", goesOn: (bytes: number) => boolean): Promise<Pruned> {
    const { writeFromReserve: write, keptAges } = this.parts.tables;
    const pruned = await write(() => {
      const [oldest, next] = keptAges.oldest(owner);
      if (oldest === undefined) return NOTHING;
      if (oldest.kind !== "entry")
        return this.#pruneVersions(oldest, next?.at ?? Number.MAX_SAFE_INTEGER, goesOn);
      const entry = keptAges.entry(oldest.drive);
      if (entry === null) return NOTHING;
      this.parts.tables.trash.setState(entry.pk, "gone");
      return { rows: 1, bytes: entry.size, hasEntry: true };
    });
    // Until it is empty it takes room: the next one would go without need.
    if (pruned.hasEntry) {
      await this.#inPieces(() => write(() => this.parts.historyRemoval.emptySome()));
    }
    return pruned;
  }

  #pruneVersions({ drive }: OldestKept, until: number, goesOn: (bytes: number) => boolean): Pruned {
    let [rows, bytes] = [0, 0];
    for (const { pk, size } of this.parts.tables.keptAges.versions(drive, until, PIECE)) {
      this.parts.tables.fileVersions.remove(pk);
      rows += 1;
      bytes += size;
      if (!goesOn(size)) break;
    }
    return { rows, bytes, hasEntry: false };
  }

  /** Deletes the oldest snapshot that the server took of a drive of this owner. Resolves with whether there was one. */
  async #dropSnapshot(owner: Releaser): Promise<boolean> {
    const { tables, snapshotRemoval, clock } = this.parts;
    const isDropped = await tables.writeFromReserve(() => {
      const oldest = tables.snapshots.oldestAutomatic(owner);
      if (oldest !== null) snapshotRemoval.begin(oldest, { now: clock.now(), by: null });
      return oldest !== null;
    });
    const removed = await this.#inPieces(() => snapshotRemoval.piece());
    return isDropped || removed > 0;
  }

  #inPieces(piece: () => Promise<number>): Promise<number> {
    return inPieces(piece, () => this.#isStopped);
  }
}
