import type { Digest } from "../domain/contents/content.ts";
import { contentPath, DamagedBlob } from "./blob-file.ts";
import { UnavailableBlob } from "./blob-place.ts";
import type { Disk } from "./disk.ts";
import { hasCode } from "./system-error.ts";

/** A directory that may have a blob. */
export interface BlobSource {
  readonly blobsDir: string;
  /** Whether it is known that it cannot be used now. */
  readonly isAway: boolean;
  /** Looks whether it can be used now; more closely if a read has failed there. */
  isPresent(hasFailed?: boolean): Promise<boolean>;
}

/** A disk that a server uses. @param look looks at all of its disks */
export function sourceOf(disk: Disk, look: () => Promise<unknown>): BlobSource {
  return {
    blobsDir: disk.blobsDir,
    get isAway() {
      return disk.away !== null;
    },
    isPresent: async (hasFailed = false) => {
      if (hasFailed) disk.doubt();
      await look();
      return disk.away === null;
    },
  };
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
  const first = await readFirst(sources, digest, read);
  if ("value" in first) return first.value;
  await requireAll(sources);
  // One may have come back after it was passed over.
  const again = await readFirst(sources, digest, read);
  if ("value" in again) return again.value;
  await requireAll(sources);
  throw again.missing ?? new UnavailableBlob();
}

/** What the first source gives that has a blob; or why one lacks it, null if all are away. */
async function readFirst<T>(
  sources: readonly BlobSource[],
  digest: Digest,
  read: (path: string) => Promise<T>,
): Promise<{ readonly value: T } | { readonly missing: DamagedBlob | null }> {
  let missing: DamagedBlob | null = null;
  for (const source of sources) {
    if (source.isAway) continue;
    try {
      return { value: await read(contentPath(source.blobsDir, digest)) };
    } catch (error) {
      if (!(error instanceof DamagedBlob) || !(await isPassedOver(error, source))) throw error;
      missing ??= error;
    }
  }
  return { missing };
}

/** Throws UnavailableBlob unless all sources can be used now. */
async function requireAll(sources: readonly BlobSource[]): Promise<void> {
  if (sources.some(({ isAway }) => isAway)) throw new UnavailableBlob();
  for (const source of sources) if (!(await source.isPresent())) throw new UnavailableBlob();
}

/** Whether the disk has failed to read: for a bad sector, or since it has gone. */
export function isFailedRead(error: unknown): boolean {
  return error instanceof DamagedBlob && hasCode(error.cause, "EIO");
}

/** Whether the blob may still be at another source. */
async function isPassedOver(damage: DamagedBlob, source: BlobSource): Promise<boolean> {
  return damage.isMissing || (isFailedRead(damage) && !(await source.isPresent(true)));
}
