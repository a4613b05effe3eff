import { dirname } from "node:path";
import type { Digest } from "../domain/contents/content.ts";
import { CofferError } from "../domain/errors.ts";
import {
  type BlobFacts,
  damageIn,
  DamagedBlob,
  requireBlob,
  requireFile,
  setDirectoryAside,
} from "./blob-file.ts";
import { type BlobRoom, noPlaceNow } from "./blob-place.ts";
import type { Histogram } from "../process/histogram.ts";
import type { Disk } from "./disk.ts";
import type { SpacePromise } from "./disk-space.ts";
import { asRefusal } from "./system-error.ts";
import { syncDirectory, TempFile } from "./temp-file.ts";

/** An existing file below this size is read and checked before it is matched: about a millisecond at most. */
const COMPARED_BYTES = 1024 * 1024;

/** All disks of a store. */
interface AllDisks {
  /** The disk where a blob is; null if none that can be used has it. */
  holderOf(digest: Digest): Promise<Disk | null>;
  /** Looks which of them can be used. */
  look(): Promise<unknown>;
  /** How long it took to sync each content. */
  readonly syncs: Histogram;
}

interface DiskRoomParts {
  readonly disks: AllDisks;
  /** Where the blob goes. */
  readonly disk: Disk;
  /** The space for the blob, as far as its length is known. */
  readonly promise: SpacePromise;
}

/** Room for one blob on the disk that had most of it. */
export class DiskRoom implements BlobRoom {
  readonly #parts: DiskRoomParts;

  constructor(parts: DiskRoomParts) {
    this.#parts = parts;
  }

  requireFree(): void {
    this.#parts.disk.space.requireFree(this.#parts.promise);
  }

  newDraft(): Promise<TempFile> {
    return TempFile.create(this.#parts.disk.newTempPath());
  }

  wrote(bytes: number): void {
    this.#parts.promise.keep(bytes);
  }

  /**
   * In this order, so that no crash leaves a name without its content: the directory exists and is synced in its own;
   * all bytes are in the temporary file; that is synced, then renamed; then its directory is synced. A damaged file on
   * another disk goes last.
   */
  async keep(content: BlobFacts, refused: string | null, draft: () => Promise<TempFile>) {
    const { disks, disk } = this.#parts;
    const { digest, size } = content;
    const holder = (await disks.holderOf(digest)) ?? disk;
    await holder.makeShard(digest);
    const damage = await damageAt(holder.blobPath(digest), content, refused);
    const path = (damage === null ? holder : disk).blobPath(digest);
    if (damage !== null && holder !== disk) await disk.makeShard(digest);
    const file = damage === null ? null : await draft();
    if (damage?.isMissing === false) setDirectoryAside(path);
    await disks.syncs.time(async () => {
      await file?.moveTo(path, size);
      // For a match as well: another upload may have renamed it just now, and not synced yet.
      await syncDirectory(dirname(path));
    });
    if (damage !== null && holder !== disk) await holder.remove(digest);
    return damage;
  }

  async refusalOf(error: unknown): Promise<unknown> {
    const { disk, disks } = this.#parts;
    const refusal = asRefusal(error);
    if (refusal !== error) disk.space.noteNoSpace();
    if (refusal instanceof CofferError) return refusal;
    await disks.look();
    return disk.away === null ? error : noPlaceNow();
  }

  end(): void {
    this.#parts.promise.end();
  }
}

/** While no disk can be used. A small blob needs none. */
export class NoRoom implements BlobRoom {
  requireFree(): void {
    throw noPlaceNow();
  }

  async newDraft(): Promise<TempFile> {
    throw noPlaceNow();
  }

  wrote(): void {}

  async keep(): Promise<null> {
    throw noPlaceNow();
  }

  async refusalOf(error: unknown): Promise<unknown> {
    return error;
  }

  end(): void {}
}

async function damageAt(
  path: string,
  content: BlobFacts,
  refused: string | null,
): Promise<DamagedBlob | null> {
  if (refused !== null) return new DamagedBlob(path, content.digest, refused);
  return damageIn(() => (content.size < COMPARED_BYTES ? requireBlob : requireFile)(path, content));
}
