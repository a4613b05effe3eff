import { realpath } from "node:fs/promises";
import { diskAt } from "../blobs/disk-paths.ts";
import { Disks } from "../blobs/disks.ts";
import type { Tables } from "../db/tables.ts";
import type { StoreId } from "../domain/id.ts";
import type { Clock } from "../process/clock.ts";
import type { Log } from "../process/log.ts";
import type { DataDirectory } from "./data-directory.ts";
import { recordDisks } from "./disks-file.ts";
import { type FoundDisks, findDisks } from "./store-disks.ts";
import { checkStoreIdentity, markStore, type StoreMark } from "./store-identity.ts";

interface StoreOpeningParts {
  readonly directory: DataDirectory;
  /** The roots of the disks to use. */
  readonly roots: readonly string[];
  readonly tables: Tables;
  readonly clock: Clock;
  readonly log: Log;
  /** Whether the operator wants to use what does not belong together; see `checkStoreIdentity`. */
  readonly adopt: boolean;
  /** See `findDisks`. */
  readonly forget: boolean;
}

/** The contents of a store, which fit to its database, before they are used. */
export class StoreOpening {
  readonly #parts: StoreOpeningParts;
  readonly #found: FoundDisks;
  readonly #mark: StoreMark | null;

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

  /** Opens the disks. @param diskReserve bytes that are to stay free on each */
  open(diskReserve: number): Promise<Disks> {
    const { tables, log } = this.#parts;
    return Disks.open({
      disks: this.#found.listed.map(({ root, away }) => ({ ...diskAt(root), isAway: away !== null })),
      store: tables.store.id(),
      diskReserve,
      onChange: (root, why) => tellOfDisk(log, root, why),
    });
  }

  /**
   * Gives the store's identity to its database, and to new disks, and records the disks. After a crash in between, the
   * next start still accepts them. Returns the identity.
   */
  async mark(disks: Disks): Promise<StoreId> {
    const { directory, log } = this.#parts;
    const id = await markStore(this.#parts, disks, this.#mark);
    await disks.writeOwner(await realpath(directory.root));
    const { listed } = this.#found;
    await recordDisks(
      directory,
      listed.map(({ root }) => root),
    );
    if (this.#mark?.adopted === true)
      log.warn("contents that the database does not know are kept, but not used");
    for (const { root, identity, away } of listed) {
      if (away !== null) tellOfDisk(log, root, away);
      else if (identity === null && root !== directory.root)
        log.info("a new disk is used for contents", { disk: root });
    }
    return id;
  }
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
