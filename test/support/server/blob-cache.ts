import { lstatSync, readdirSync } from "node:fs";
import { join } from "node:path";
import type { BlobFacts, DamagedBlob } from "../../../src/blobs/blob-file.ts";
import { BlobCache } from "../../../src/blobs/cache/blob-cache.ts";
import type { ByteRange } from "../../../src/domain/contents/content.ts";
import { CofferError, messageOf } from "../../../src/domain/errors.ts";
import { createLog } from "../../../src/process/log.ts";
import { BlobServer } from "../peers/blob-server.ts";
import { FakeClock } from "./fake-clock.ts";
import { FAST_DIRECTORY, temporaryDirectory } from "./temporary-directory.ts";

type CacheOptions = Parameters<typeof BlobCache.open>[0];

/** A cache in front of a server of contents. */
export interface OpenedCache extends AsyncDisposable {
  readonly cache: BlobCache;
  readonly server: BlobServer;
  readonly clock: FakeClock;
  readonly directory: string;
  /** What it was told of. */
  readonly damages: DamagedBlob[];
  /** The lines of its log. */
  readonly logged: string[];
  readonly options: CacheOptions;
  /** Opens another cache in the same directory, or with other options. The first one is closed before. */
  readonly reopen: (changes?: Partial<CacheOptions>) => Promise<BlobCache>;
}

/** @param parent the directory in which it has its own */
export async function openCache(maxBytes = 64 * 1024 * 1024, parent = FAST_DIRECTORY): Promise<OpenedCache> {
  await using opening = new AsyncDisposableStack();
  const place = opening.use(await temporaryDirectory(parent));
  const server = opening.use(new BlobServer());
  const [clock, damages, logged]: [FakeClock, DamagedBlob[], string[]] = [new FakeClock(), [], []];
  const directory = join(place.path, "cache");
  const caches: BlobCache[] = [];
  const options: CacheOptions = {
    directory,
    maxBytes,
    diskReserve: 0,
    clock,
    log: createLog({ format: "pretty", clock, write: (line) => void logged.push(line) }),
    remote: server,
    onDamage: (damage) => void damages.push(damage),
  };
  const open = async (changes: Partial<CacheOptions> = {}) => {
    await caches.at(-1)?.close();
    const cache = await BlobCache.open({ ...options, ...changes });
    caches.push(cache);
    await cache.counted;
    return cache;
  };
  const cache = await open();
  const closing = opening.move();
  return {
    cache,
    server,
    clock,
    directory,
    damages,
    logged,
    options,
    reopen: open,
    [Symbol.asyncDispose]: async () => {
      await caches.at(-1)?.close();
      await closing.disposeAsync();
    },
  };
}

/** All bytes of a read. Throws where it has an error. */
export async function bytesOf(cache: BlobCache, content: BlobFacts, range?: ByteRange): Promise<Uint8Array> {
  return new Response(await cache.read(content, range)).bytes();
}

/** A stream that a read gives, of a content that is not here. */
export async function streamed(cache: BlobCache, content: BlobFacts, range?: ByteRange) {
  const found = await cache.read(content, range);
  if (found instanceof Blob) throw new Error("this was here already");
  return found.getReader();
}

/** Why a read has failed, as the log tells it: callers are told no more than that it was interrupted. */
export function reasonOf(error: unknown): string {
  const isInterrupted = error instanceof CofferError && error.cause !== undefined;
  return messageOf(isInterrupted ? error.cause : error);
}

/** What is in a directory: the paths of files, from there on, sorted. */
export function filesBelow(directory: string): string[] {
  return readdirSync(directory, { recursive: true, encoding: "utf8" })
    .filter((path) => !isDirectory(join(directory, path)))
    .toSorted();
}

/** What the regular files in a directory take on the disk, in bytes. They may go meanwhile. */
export function diskUse(directory: string): number {
  const sizes = readdirSync(directory, { recursive: true, encoding: "utf8" }).map((path) => {
    const found = lstatSync(join(directory, path), { throwIfNoEntry: false });
    return found?.isFile() === true ? Math.ceil(found.size / 4096) * 4096 : 0;
  });
  return sizes.reduce((sum, size) => sum + size, 0);
}

function isDirectory(path: string): boolean {
  return lstatSync(path, { throwIfNoEntry: false })?.isDirectory() === true;
}
