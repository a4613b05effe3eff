import { readdirSync } from "node:fs";
import { rm } from "node:fs/promises";
import { join } from "node:path";
import { BlobStore } from "../../../src/blobs/blob-store.ts";
import type { DamagedBlob } from "../../../src/blobs/blob-file.ts";
import { BucketAccess } from "../../../src/blobs/bucket/bucket-access.ts";
import { nameOfBlob } from "../../../src/blobs/bucket/bucket-names.ts";
import { BucketPlace } from "../../../src/blobs/bucket/bucket-place.ts";
import type { Digest } from "../../../src/domain/contents/content.ts";
import type { StoreId } from "../../../src/domain/id.ts";
import { createLog } from "../../../src/process/log.ts";
import type { S3Options } from "../../../src/s3/requests.ts";
import { optionsFor } from "../peers/s3-options.ts";
import { S3Server } from "../peers/s3-server.ts";
import { ALL_FILES, plainStore, NO_DAMAGE, type OpenedStore } from "../samples/blob-store-contract.ts";
import { FakeClock } from "./fake-clock.ts";
import { FAST_DIRECTORY, temporaryDirectory } from "./temporary-directory.ts";

const MIB = 1024 * 1024;

interface Opening {
  readonly cacheBytes?: number;
  readonly store?: StoreId;
  readonly isFormer?: boolean;
}

/** A store in a bucket. All contents are objects. */
export async function openBucketAt(
  s3: Omit<S3Options, "onCircuit">,
  { cacheBytes = 64 * MIB, store: id, isFormer = false }: Opening = {},
) {
  await using opening = new AsyncDisposableStack();
  const directory = opening.use(await temporaryDirectory(FAST_DIRECTORY));
  const [tmpDir, cacheDir] = [join(directory.path, "tmp"), join(directory.path, "cache")];
  const [told, damages]: [(string | null)[], DamagedBlob[]] = [[], []];
  const access = new BucketAccess({ s3, store: id ?? null, onChange: (why) => void told.push(why) });
  const { clock } = s3;
  const log = createLog({ format: "pretty", clock, write: () => {} });
  const leasesDir = join(directory.path, "leases");
  const options = { access, isFormer, tmpDir, cacheDir, leasesDir, cacheBytes, diskReserve: 0, clock, log };
  const place = opening.adopt(await BucketPlace.open(options), (opened) => opened.close());
  place.onDamage((damage) => void damages.push(damage));
  const store = new BlobStore({ place, small: ALL_FILES, damaged: NO_DAMAGE });
  const closing = opening.move();
  return {
    store,
    place,
    access,
    /** What was said of the bucket: why it cannot be used, and null that it can. */
    told,
    /** What was said of contents that were being sent. */
    damages,
    nameOf: (digest: Digest) => `${s3.prefix}${nameOfBlob(digest)}`,
    tmpDir,
    /** The temporary files. */
    temporary: () => readdirSync(tmpDir),
    clearCache: () => rm(cacheDir, { recursive: true, force: true }),
    [Symbol.asyncDispose]: () => closing.disposeAsync(),
  };
}

/** The same, in a bucket of a server of its own. */
export async function openBucket({ s3 = {}, ...more }: Opening & { readonly s3?: Partial<S3Options> } = {}) {
  await using opening = new AsyncDisposableStack();
  const clock = new FakeClock();
  const server = opening.use(await S3Server.start("a-bucket", { clock }));
  const options = optionsFor(server, { prefix: "a/prefix/", clock, ...s3 });
  const opened = opening.use(await openBucketAt(options, more));
  const closing = opening.move();
  return { ...opened, server, clock, [Symbol.asyncDispose]: () => closing.disposeAsync() };
}

/** As the contract of stores has it. @param spoil puts bytes, or nothing, under a name in the bucket */
export function contractStore(
  opened: Awaited<ReturnType<typeof openBucketAt>>,
  spoil: (name: string, bytes: Uint8Array | null) => Promise<void>,
): OpenedStore {
  const { store } = opened;
  return {
    ...plainStore(store),
    spoil: async (digest, bytes) => {
      await spoil(opened.nameOf(digest), bytes);
      await opened.clearCache();
    },
    [Symbol.asyncDispose]: () => opened[Symbol.asyncDispose](),
  };
}
