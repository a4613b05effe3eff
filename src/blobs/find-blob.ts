import type { Digest } from "../domain/contents/content.ts";
import { contentPath, DamagedBlob } from "./blob-file.ts";
import { UnavailableBlob } from "./blob-place.ts";
import { hasCode } from "./system-error.ts";

/** A directory that may have a blob. */
export interface BlobSource {
  readonly blobsDir: string;
  /** Whether it is known that it cannot be used now. */
  readonly isAway: boolean;
  /** Looks whether it can be used now; more closely if a read has failed there. */
  isPresent(hasFailed?: boolean): Promise<boolean>;
}

/**
 * What `read` gives for the first source that has a blob: it throws DamagedBlob for one that is missing there, before it
 * does anything else. Throws UnavailableBlob if none has it that can be used now, and DamagedBlob if all can be.
 */
export async function findBlob<T>(
  sources: readonly BlobSource[],
  digest: Digest,
  read: (path: string) => Promise<T>,
): Promise<T> {
  let missing: DamagedBlob | null = null;
  for (const source of sources) {
    if (source.isAway) continue;
    try {
      return await read(contentPath(source.blobsDir, digest));
    } catch (error) {
      if (!(error instanceof DamagedBlob) || !(await isPassedOver(error, source))) throw error;
      missing ??= error;
    }
  }
  for (const source of sources) {
    if (source.isAway || !(await source.isPresent())) throw new UnavailableBlob();
  }
  throw missing ?? new UnavailableBlob();
}

/** Whether the disk has failed to read: for a bad sector, or since it has gone. */
export function isFailedRead(error: unknown): boolean {
  return error instanceof DamagedBlob && hasCode(error.cause, "EIO");
}

/** Whether the blob may still be at another source. */
async function isPassedOver(damage: DamagedBlob, source: BlobSource): Promise<boolean> {
  return damage.isMissing || (isFailedRead(damage) && !(await source.isPresent(true)));
}
