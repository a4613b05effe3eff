import { realpath } from "node:fs/promises";
import type { BlobPlaces } from "../blobs/blob-directories.ts";
import type { Disk } from "../blobs/disk.ts";
import { removeMarks } from "../blobs/disk-marks.ts";
import { diskAt } from "../blobs/disk-paths.ts";
import { Disks } from "../blobs/disks.ts";
import type { Tables } from "../db/tables.ts";
import type { BlobPlace } from "../blobs/blob-place.ts";
import type { StoredPlaces } from "../blobs/open-stored.ts";
import { present } from "../domain/errors.ts";
import type { Clock } from "../process/clock.ts";
import type { Log } from "../process/log.ts";
import type { DataDirectory } from "./data-directory.ts";
import { recordDisks, type StoreDisks } from "./disks-file.ts";
import { type FoundDisk, type FoundDisks, findDisks } from "./store-disks.ts";
import { checkStoreIdentity, markStore, type StoreMark } from "./store-identity.ts";

/** The contents of a store, which fit to its database, before they are used. */
export interface ContentsOpening {
  /** Opens them. Comes first. */
  open(): Promise<BlobPlace>;
  /**
   * Gives the store's identity to its database, and to new places, records these, and forgets those that are not used any
   * more and hold nothing. After a crash in between, the next start still accepts them. Returns where others find the contents.
   */
  mark(): Promise<StoredPlaces>;
  /** Forgets the places that are not used any more, once they hold nothing. */
  forgetEmptied(): Promise<void>;
}

export interface OpeningParts {
  readonly directory: DataDirectory;
  /** Bytes that are to stay free on each disk. */
  readonly diskReserve: number;
  readonly tables: Tables;
  readonly clock: Clock;
  readonly log: Log;
  /** Whether the operator wants to use what does not belong together; see `checkStoreIdentity`. */
  readonly adopt: boolean;
  /** See `findDisks`. */
  readonly forget: boolean;
}

interface StoreOpeningParts extends OpeningParts {
  /** The roots of the disks to use. */
  readonly roots: readonly string[];
}

/** The contents of a store on disks. */
export class StoreOpening implements ContentsOpening {
  readonly #parts: StoreOpeningParts;
  readonly #found: FoundDisks;
  readonly #mark: StoreMark | null;
  #disks: Disks | null = null;

  private constructor(parts: StoreOpeningParts, found: FoundDisks, mark: StoreMark | null) {
    this.#parts = parts;
    this.#found = found;
    this.#mark = mark;
  }

  /** Looks at the disks, and changes nothing. Throws DataDirectoryError unless they and the database fit. */
  static async check(parts: StoreOpeningParts): Promise<StoreOpening> {
    const found = await findDisks(parts);
    return new StoreOpening(parts, found, await checkStoreIdentity({ ...parts, disks: found }));
  }

  async open(): Promise<Disks> {
    const { tables, log, diskReserve } = this.#parts;
    const { listed, former } = this.#found;
    this.#disks = await Disks.open({
      disks: [
        ...listed.map((disk) => ({ ...toOpen(disk), isFormer: false })),
        ...former.map((disk) => ({ ...toOpen(disk), isFormer: true })),
      ],
      store: tables.store.id(),
      diskReserve,
      onChange: (root, why) => tellOfDisk(log, root, why),
    });
    return this.#disks;
  }

  async mark(): Promise<BlobPlaces> {
    const { directory, log } = this.#parts;
    const disks = present(this.#disks, "the opened disk");
    const store = await markStore(this.#parts, disks, this.#mark);
    await disks.writeOwner(await realpath(directory.root));
    const { listed, former } = this.#found;
    const emptied = await disks.dropEmptied();
    await this.#record(disks);
    await this.#forget(emptied);
    tellOfMark(log, this.#mark);
    for (const { root, identity, away } of [...listed, ...former]) {
      if (away !== null) tellOfDisk(log, root, away);
      else if (identity === null && root !== directory.root)
        log.info("a new disk is used for contents", { disk: root });
    }
    for (const { root, isFormer } of disks.present) if (isFormer) log.warn(TO_MOVE, { disk: root });
    const kept = rootsOf(disks);
    return { disks: [...kept.current, ...kept.former], former: kept.former, store };
  }

  async forgetEmptied(): Promise<void> {
    const disks = present(this.#disks, "the opened disk");
    const emptied = await disks.dropEmptied();
    if (emptied.length === 0) return;
    await this.#record(disks);
    await this.#forget(emptied);
  }

  #record(disks: Disks): Promise<void> {
    return recordDisks(this.#parts.directory, rootsOf(disks));
  }

  /** Comes after the record: one that is recorded and has no marks is taken for one that is away. */
  async #forget(emptied: readonly Disk[]): Promise<void> {
    for (const { root, blobsDir } of emptied) {
      await removeMarks(blobsDir);
      this.#parts.log.info("a disk that is no longer in COFFER_BLOBS holds no contents, and is forgotten", {
        disk: root,
      });
    }
  }
}

const TO_MOVE =
  "a disk that is no longer in COFFER_BLOBS still holds contents: they are read there; coffer blobs migrate moves them";

function toOpen({ root, away }: FoundDisk) {
  return { ...diskAt(root), isAway: away !== null };
}

function rootsOf(disks: Disks): StoreDisks {
  const { current = [], former = [] } = Object.groupBy(disks.all, ({ isFormer }) =>
    isFormer ? "former" : "current",
  );
  return { current: current.map(({ root }) => root), former: former.map(({ root }) => root) };
}

/** Says that contents were adopted. */
export function tellOfMark(log: Log, mark: StoreMark | null): void {
  if (mark?.adopted === true) log.warn("contents that the database does not know are kept, but not used");
}

/** @param why null if it is back */
function tellOfDisk(log: Log, disk: string, why: string | null): void {
  if (why === null) log.warn("a disk of contents is back", { disk });
  else
    log.error("a disk cannot be used: contents that are on it alone are unavailable until it is back", {
      disk,
      why,
    });
}
