import { mkdir, readdir, readFile, rm, stat, utimes } from "node:fs/promises";
import { dirname, join } from "node:path";
import { setImmediate as nextTurn } from "node:timers/promises";
import { ifPresent } from "../blobs/system-error.ts";
import { SHARD } from "../blobs/blob-directory.ts";
import { newTempPath, TEMP_NAME, TempFile } from "../blobs/temp-file.ts";
import type { DriveId } from "../domain/id.ts";
import { isWhole, type ThumbnailSize } from "../domain/contents/thumbnail.ts";
import type { Digest } from "../domain/contents/content.ts";
import { once } from "../domain/once.ts";
import { Recent } from "../domain/recent.ts";

/** What a thumbnail counts for at least, in bytes: so that there are not too many files to look at at a start. */
const LEAST_BYTES = 16 * 1024;
/** How many are put in order at once. */
const PIECE = 500;
/** How often a thumbnail that is used is marked as such on the disk, in milliseconds. */
const MARK_MS = 3_600_000;

/** Which thumbnail. Each drive has its own: how fast one comes must not tell what others have. */
export interface ThumbnailName {
  readonly digest: Digest;
  readonly driveId: DriveId;
  readonly size: ThumbnailSize;
}

interface Kept {
  readonly bytes: number;
  /** When its use was marked last, in milliseconds since the epoch. */
  readonly markedAt: number;
}

/**
 * Thumbnails that are kept, up to a number of bytes: `ab/<digest>.<drive>.<size>.webp`. Everything in here can be drawn
 * again, so its directory may be removed at any time, and nothing is told that something could not be kept.
 */
export class ThumbnailStore {
  readonly #directory: string;
  readonly #most: number;
  /** What there is, by path in the directory. */
  readonly #kept: () => Promise<Recent<string, Kept>>;

  constructor(directory: string, most: number) {
    this.#directory = directory;
    this.#most = most;
    this.#kept = once(() => this.#load());
  }

  /** Null if there is none. @param now milliseconds since the epoch */
  async get(name: ThumbnailName, now: number): Promise<Uint8Array<ArrayBuffer> | null> {
    const kept = await this.#kept();
    const path = pathOf(name);
    const found = kept.get(path);
    if (found === undefined) return null;
    const bytes = await readFile(join(this.#directory, path)).catch(() => null);
    if (bytes === null || !isWhole(bytes)) {
      kept.delete(path);
      return null;
    }
    if (now - found.markedAt > MARK_MS) {
      kept.set(path, { ...found, markedAt: now });
      await utimes(join(this.#directory, path), now / 1000, now / 1000).catch(() => {});
    }
    return new Uint8Array(bytes);
  }

  /** It is there once it is whole on the disk. Throws errors of system calls. @param now milliseconds since the epoch */
  async put(name: ThumbnailName, bytes: Uint8Array, now: number): Promise<void> {
    const kept = await this.#kept();
    const path = pathOf(name);
    const file = join(this.#directory, path);
    await mkdir(dirname(file), { recursive: true, mode: 0o700 });
    await TempFile.write(newTempPath(this.#directory), [bytes], (temp) => temp.moveTo(file, bytes.length));
    await utimes(file, now / 1000, now / 1000);
    kept.set(path, { bytes: bytes.length, markedAt: now });
  }

  /** Removes all thumbnails of a content that is gone. */
  async forget(digest: Digest): Promise<void> {
    const shard = digest.slice(0, 2);
    const names = (await ifPresent(readdir(join(this.#directory, shard)))) ?? [];
    const own = names.filter((name) => name.startsWith(`${digest}.`));
    if (own.length === 0) return;
    const kept = await this.#kept();
    for (const name of own) {
      kept.delete(`${shard}/${name}`);
      await rm(join(this.#directory, shard, name), { force: true });
    }
  }

  /** Looks what there is, and removes what a crash left half written. Others have their turn meanwhile. */
  async #load(): Promise<Recent<string, Kept>> {
    // By when they were marked as used: more exactly than that nothing is known of them.
    const found = new Map<number, Found[]>();
    for (const name of (await ifPresent(readdir(this.#directory))) ?? []) {
      if (TEMP_NAME.test(name)) await rm(join(this.#directory, name), { force: true });
      if (!SHARD.test(name)) continue;
      for (const each of await this.#foundIn(name)) {
        const time = Math.floor(each.markedAt / MARK_MS);
        const others = found.get(time);
        if (others === undefined) found.set(time, [each]);
        else others.push(each);
      }
    }
    const kept = new Recent<string, Kept>(
      this.#most,
      ({ bytes }) => Math.max(bytes, LEAST_BYTES),
      (path) => void rm(join(this.#directory, path), { force: true }).catch(() => {}),
    );
    let count = 0;
    for (const time of [...found.keys()].toSorted((a, b) => a - b)) {
      for (const { path, ...each } of found.get(time) ?? []) {
        kept.set(path, each);
        count += 1;
        if (count % PIECE === 0) await nextTurn();
      }
    }
    return kept;
  }

  async #foundIn(shard: string): Promise<Found[]> {
    const names = (await ifPresent(readdir(join(this.#directory, shard)))) ?? [];
    const found = names.filter(isName).map(async (name): Promise<Found | null> => {
      const path = `${shard}/${name}`;
      const facts = await ifPresent(stat(join(this.#directory, path)));
      return facts && { path, bytes: facts.size, markedAt: facts.mtimeMs };
    });
    return (await Promise.all(found)).filter((each) => each !== null);
  }
}

interface Found extends Kept {
  readonly path: string;
}

function pathOf({ digest, driveId, size }: ThumbnailName): string {
  return `${digest.slice(0, 2)}/${digest}.${driveId}.${size}.webp`;
}

/** Whether the store has made a file of this name. */
function isName(name: string): boolean {
  return /^[0-9a-f]{64}\.[0-9a-f-]{36}\.(small|medium|large)\.webp$/.test(name);
}
