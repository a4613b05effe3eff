import { BlobStore, type SmallBlobs } from "../../../src/blobs/blob-store.ts";
import type { KnownDamage } from "../../../src/blobs/blob-file.ts";
import { Disks } from "../../../src/blobs/disks.ts";
import { ALL_FILES, NO_DAMAGE } from "../samples/blob-store-contract.ts";

/** What may differ from a store of files alone, of which none is damaged. */
interface Opening extends Partial<Parameters<typeof Disks.open>[0]> {
  readonly small?: SmallBlobs;
  readonly damaged?: KnownDamage;
}

/** Opens a store on some disks. */
export async function openBlobStore(disks: Parameters<typeof Disks.open>[0]["disks"], opening: Opening = {}) {
  const { small = ALL_FILES, damaged = NO_DAMAGE, ...options } = opening;
  return new BlobStore({ place: await Disks.open({ disks, diskReserve: 0, ...options }), small, damaged });
}
