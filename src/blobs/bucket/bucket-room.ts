import type { Digest } from "../../domain/contents/content.ts";
import { type BlobFacts, damageIn, DamagedBlob } from "../blob-file.ts";
import { type BlobRoom, noPlaceNow, UnavailableBlob } from "../blob-place.ts";
import type { DiskSpace, SpacePromise } from "../disk-space.ts";
import { asRefusal } from "../system-error.ts";
import { keepDirectory, newTempPath, TempFile } from "../temp-file.ts";
import type { BlobCache } from "../cache/blob-cache.ts";
import type { BucketBlobs } from "./bucket-blobs.ts";

/** A blob below this size is sent, or read and compared, without a look whether it is there. Bytes. */
const COMPARED_BYTES = 1024 * 1024;

export interface BucketRoomParts {
  readonly blobs: BucketBlobs;
  readonly cache: BlobCache;
  readonly tmpDir: string;
  readonly space: DiskSpace;
  /** Throws UNAVAILABLE for a blob that may still be removed by a request that nobody waits for any more. */
  readonly requireSettled: (digest: Digest) => void;
}

/** Room for one blob: it is written here before it is sent, as its name is known only at its end. */
export class BucketRoom implements BlobRoom {
  readonly #parts: BucketRoomParts;
  readonly #promise: SpacePromise;

  /** Throws STORAGE_FULL. @param announced bytes of the blob, 0 if that is not known */
  constructor(parts: BucketRoomParts, announced: number) {
    this.#parts = parts;
    this.#promise = parts.space.promise(announced);
  }

  requireFree(): void {
    this.#parts.space.requireFree(this.#promise);
  }

  newDraft(): Promise<TempFile> {
    const { tmpDir } = this.#parts;
    keepDirectory(tmpDir);
    return TempFile.create(newTempPath(tmpDir));
  }

  wrote(bytes: number): void {
    this.#promise.keep(bytes);
  }

  /** The store has accepted all bytes, with their digest, before this resolves. */
  async keep(content: BlobFacts, refused: string | null, draft: () => Promise<TempFile>) {
    this.#parts.requireSettled(content.digest);
    const known = await this.#knownDamage(content, refused);
    if (known === "none") return null;
    const path = await (await draft()).end(content.size);
    const damage = await this.#send(content, known, Bun.file(path));
    if (damage !== null) await this.#parts.cache.add(content, path);
    return damage;
  }

  async refusalOf(error: unknown): Promise<unknown> {
    const refusal = asRefusal(error);
    if (refusal !== error) this.#parts.space.noteNoSpace();
    return refusal instanceof UnavailableBlob ? noPlaceNow() : refusal;
  }

  end(): void {
    this.#promise.end();
  }

  /** What is wrong with a blob; null if that is not known yet, as it costs more to look than to send it. */
  async #knownDamage(content: BlobFacts, refused: string | null): Promise<DamagedBlob | "none" | null> {
    const { blobs } = this.#parts;
    if (refused !== null) return blobs.damaged(content, refused);
    if (content.size < COMPARED_BYTES) return null;
    return (await damageIn(() => blobs.require(content))) ?? "none";
  }

  /** Sends a blob. Returns what was wrong with it; null if it was there, and is left. */
  async #send(content: BlobFacts, known: DamagedBlob | null, file: Blob): Promise<DamagedBlob | null> {
    const { blobs } = this.#parts;
    if (known === null && (await blobs.put(content, file, true)) === "written")
      return missing(blobs, content);
    const damage = known ?? (await damageIn(() => blobs.readAll(content)));
    if (damage !== null) await blobs.put(content, file, false);
    return damage;
  }
}

function missing(blobs: BucketBlobs, { digest }: BlobFacts): DamagedBlob {
  return new DamagedBlob(blobs.nameOf(digest), digest, "is missing", { isMissing: true });
}
