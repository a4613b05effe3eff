import { realpath } from "node:fs/promises";
import { diskAt } from "../blobs/disk-paths.ts";
import { Disks } from "../blobs/disks.ts";
import type { Tables } from "../db/tables.ts";
import type { BlobPlace } from "../blobs/blob-place.ts";
import type { StoredPlaces } from "../blobs/open-stored.ts";
import { present } from "../domain/errors.ts";
import type { Clock } from "../process/clock.ts";
import type { Log } from "../process/log.ts";
import type { DataDirectory } from "./data-directory.ts";
import { recordDisks } from "./disks-file.ts";
import { type FoundDisks, findDisks } from "./store-disks.ts";
import { checkStoreIdentity, markStore, type StoreMark } from "./store-identity.ts";

/** The contents of a store, which fit to its database, before they are used. */
export interface ContentsOpening {
  /** Opens them. Comes first. */
  open(): Promise<BlobPlace>;
  /**
   * Gives the store's identity to its database, and to new places, and records these. After a crash in between, the
   * next start still accepts them. Returns where others find the contents.
   */
  mark(): Promise<StoredPlaces>;
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
    this.#disks = await Disks.open({
      disks: this.#found.listed.map(({ root, away }) => ({ ...diskAt(root), isAway: away !== null })),
      store: tables.store.id(),
      diskReserve,
      onChange: (root, why) => tellOfDisk(log, root, why),
    });
    return this.#disks;
  }

  async mark(): Promise<StoredPlaces> {
    const { directory, log, roots } = this.#parts;
    const disks = present(this.#disks, "the opened disk");
    const store = await markStore(this.#parts, disks, this.#mark);
    await disks.writeOwner(await realpath(directory.root));
    const { listed } = this.#found;
    await recordDisks(
      directory,
      listed.map(({ root }) => root),
    );
    tellOfMark(log, this.#mark);
    for (const { root, identity, away } of listed) {
      if (away !== null) tellOfDisk(log, root, away);
      else if (identity === null && root !== directory.root)
        log.info("a new disk is used for contents", { disk: root });
    }
    return { disks: roots, store };
  }
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
