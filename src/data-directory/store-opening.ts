import { realpath, rm } from "node:fs/promises";
import type { EmptiedDisk, StorePlace } from "../blobs/blob-place.ts";
import type { StoredPlaces } from "../blobs/open-stored.ts";
import { present } from "../domain/errors.ts";
import { isBucket, recordDisks, type StoreDisks } from "./disks-file.ts";
import { type FoundStore, openDisks, type OpeningParts, tellOfDisk } from "./found-store.ts";
import { everRecorded, findDisks } from "./store-disks.ts";
import { checkStoreIdentity, markStore, type StoreMark } from "./store-identity.ts";
import { placesOf } from "./stored-places.ts";

/** The contents of a store, which fit to its database, before they are used. */
export class StoreOpening {
  readonly #parts: OpeningParts;
  readonly #found: FoundStore;
  readonly #mark: StoreMark | null;
  #place: StorePlace | null = null;

  private constructor(parts: OpeningParts, found: FoundStore, mark: StoreMark | null) {
    this.#parts = parts;
    this.#found = found;
    this.#mark = mark;
  }

  /**
   * Looks at the disks, and at the bucket, and changes nothing. Throws DataDirectoryError unless they and the database
   * fit, or if a bucket cannot be reached that the store has not used.
   */
  static async check(parts: OpeningParts): Promise<StoreOpening> {
    const found = await findStore(parts);
    return new StoreOpening(parts, found, await checkStoreIdentity({ ...parts, disks: found.disks }));
  }

  /** Opens them. Comes first. */
  async open(): Promise<StorePlace> {
    this.#place = await this.#found.open();
    return this.#place;
  }

  /**
   * Gives the store's identity to its database, and to new places, records these, and forgets those that are not used any
   * more and hold nothing. After a crash in between, the next start still accepts them. Returns where others find the contents.
   */
  async mark(): Promise<StoredPlaces> {
    const { directory } = this.#parts;
    const place = present(this.#place, "the opened place");
    const store = await markStore(this.#parts, place, this.#mark);
    await place.writeOwner(await realpath(directory.root));
    const emptied = await place.dropEmptied();
    await this.#record(place);
    await this.#forget(emptied);
    this.#tell(place);
    return placesOf(rootsOf(place), { ...this.#parts, store });
  }

  /** Forgets the places that are not used any more, once they hold nothing. */
  async forgetEmptied(): Promise<void> {
    const place = present(this.#place, "the opened place");
    const emptied = await place.dropEmptied();
    if (emptied.length === 0) return;
    await this.#record(place);
    await this.#forget(emptied);
  }

  #record(place: StorePlace): Promise<void> {
    return recordDisks(this.#parts.directory, rootsOf(place));
  }

  /** Comes after the record: one that is recorded and has no marks is taken for one that is away. */
  async #forget(emptied: readonly EmptiedDisk[]): Promise<void> {
    for (const disk of emptied) {
      await disk.removeMarks();
      this.#parts.log.info("what is no longer in COFFER_BLOBS holds no contents, and is forgotten", {
        disk: disk.root,
      });
    }
  }

  #tell(place: StorePlace): void {
    const { directory, log } = this.#parts;
    if (this.#mark?.adopted === true)
      log.warn("contents that the database does not know are kept, but not used");
    const { listed, former } = this.#found.disks;
    for (const { root, identity, away } of [...listed, ...former].filter((disk) => !isBucket(disk.root))) {
      if (away !== null) tellOfDisk(log, root, away);
      else if (identity === null && root !== directory.root)
        log.info("a new disk is used for contents", { disk: root });
    }
    const gone = place.away().map(({ root }) => root);
    for (const { root, isFormer } of place.all) {
      if (isFormer && !gone.includes(root)) log.warn(TO_MOVE, { disk: root });
    }
  }
}

const TO_MOVE =
  "what is no longer in COFFER_BLOBS still holds contents: they are read there; coffer blobs migrate moves them";

async function findStore(parts: OpeningParts): Promise<FoundStore> {
  const { directory, bucket, forget } = parts;
  const recorded = forget ? [] : await everRecorded(directory);
  if (bucket !== null || recorded.some(isBucket)) {
    const { findWithBucket } = await import("./bucket-opening.ts");
    return findWithBucket(parts, recorded);
  }
  const disks = await findDisks(parts);
  const open = async () => {
    // Of a bucket that was used before.
    await rm(directory.blobCache, { recursive: true, force: true });
    return openDisks(disks, parts);
  };
  return { disks, open };
}

function rootsOf(place: StorePlace): StoreDisks {
  const { current = [], former = [] } = Object.groupBy(place.all, ({ isFormer }) =>
    isFormer ? "former" : "current",
  );
  return { current: current.map(({ root }) => root), former: former.map(({ root }) => root) };
}
