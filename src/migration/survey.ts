import { type MigrationPlace, type PlacedBlob, SHARDS } from "../blobs/migration/migration-place.ts";
import type { Digest } from "../domain/contents/content.ts";

/** How many contents, and their bytes. */
export interface Amount {
  readonly contents: number;
  readonly bytes: number;
}

/** What a migration has to do. */
export interface MigrationPlan {
  /** What is at the sources. */
  readonly all: Amount;
  /** What of it is not at the targets yet. */
  readonly missing: Amount;
  /** Bytes that the targets have room for. */
  readonly room: number;
}

/** Counts what there is to do, by names and sizes alone. */
export async function survey(
  sources: readonly MigrationPlace[],
  targets: readonly MigrationPlace[],
): Promise<MigrationPlan> {
  const [all, missing] = [
    { contents: 0, bytes: 0 },
    { contents: 0, bytes: 0 },
  ];
  for (let shard = 0; shard < SHARDS; shard += 1) {
    const seen = new Set<Digest>();
    for (const source of sources) {
      for (const blob of await source.list(shard)) {
        add(all, blob);
        if (seen.has(blob.digest) || (await holderOf(blob, targets)) !== null) continue;
        seen.add(blob.digest);
        add(missing, blob);
      }
    }
  }
  const rooms = await Promise.all(targets.map((target) => target.room()));
  return { all, missing, room: rooms.reduce((sum, room) => sum + Math.max(0, room), 0) };
}

/** The first place that has a blob with its size; null if none has. */
export async function holderOf<T extends MigrationPlace>(
  { digest, size }: PlacedBlob,
  places: readonly T[],
): Promise<T | null> {
  for (const place of places) if ((await place.sizeOf(digest)) === size) return place;
  return null;
}

function add(amount: { contents: number; bytes: number }, { size }: PlacedBlob): void {
  amount.contents += 1;
  amount.bytes += size;
}
