import { existsSync } from "node:fs";
import { rename, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { BlobStore } from "../../../src/blobs/blob-store.ts";
import { diskAt } from "../../../src/blobs/disk-paths.ts";
import { Disks } from "../../../src/blobs/disks.ts";
import { openStored } from "../../../src/blobs/open-stored.ts";
import { JoinedPlace } from "../../../src/blobs/joined/joined-place.ts";
import type { Digest } from "../../../src/domain/contents/content.ts";
import { newId, type StoreId } from "../../../src/domain/id.ts";
import { ALL_FILES, plainStore, NO_DAMAGE, type OpenedStore } from "../samples/blob-store-contract.ts";
import { optionsFor } from "../peers/s3-options.ts";
import { S3Server } from "../peers/s3-server.ts";
import { openBucketAt } from "./open-bucket.ts";
import { FAST_DIRECTORY, temporaryDirectory } from "./temporary-directory.ts";

const ID = newId<StoreId>(1);

/** A store on a disk and in a bucket, of which one is former. */
export async function openJoined(current: "bucket" | "disk") {
  await using opening = new AsyncDisposableStack();
  const isFormer = current === "disk";
  const server = opening.use(await S3Server.start("a-bucket"));
  const s3 = optionsFor(server, { prefix: "a/prefix/" });
  const bucket = opening.use(await openBucketAt(s3, { store: ID, isFormer }));
  server.objects.set("a/prefix/identity", Buffer.from(`${ID}\n`));
  const { path } = opening.use(await temporaryDirectory(FAST_DIRECTORY));
  const root = join(path, "disk");
  const openDisks = (isFormerDisk: boolean) =>
    Disks.open({ disks: [{ ...diskAt(root), isFormer: isFormerDisk }], diskReserve: 0, store: ID });
  await (await openDisks(false)).writeIdentity(ID);
  const disks = await openDisks(!isFormer);
  const storeOn = (place: Disks | typeof bucket.place | JoinedPlace) =>
    new BlobStore({ place, small: ALL_FILES, damaged: NO_DAMAGE });
  const place = new JoinedPlace(
    isFormer
      ? { current: disks, former: bucket.place, isFormerNear: false }
      : { current: bucket.place, former: disks, isFormerNear: true },
  );
  const pathOf = (digest: Digest) => join(root, "blobs", digest.slice(0, 2), digest);
  const inBucket = (digest: Digest) => server.objects.has(bucket.nameOf(digest));
  const closing = opening.move();
  return {
    bucket: { ...bucket, server },
    place,
    store: storeOn(place),
    /** The store as it was before the change. */
    before: storeOn(isFormer ? bucket.place : await openDisks(false)),
    /** Where the disk has a content. */
    pathOf,
    holders: (digest: Digest) => [
      ...(existsSync(pathOf(digest)) ? ["disk"] : []),
      ...(inBucket(digest) ? ["bucket"] : []),
    ],
    /** Changes its bytes, or takes them away, at the place named. */
    spoil: async (at: "bucket" | "disk", digest: Digest, bytes: Uint8Array | null) => {
      if (at === "disk") await (bytes === null ? rm(pathOf(digest)) : writeFile(pathOf(digest), bytes));
      else if (bytes === null) server.objects.delete(bucket.nameOf(digest));
      else server.objects.set(bucket.nameOf(digest), bytes);
      await bucket.clearCache();
    },
    /** Its contents as another process opens them. */
    openStored: () => {
      const { endpoint, region, ...keys } = server.settings;
      return openStored({
        disks: { disks: [root], store: ID },
        bucket: {
          s3: {
            endpoint,
            region,
            isPathStyle: true,
            credentials: { kind: "keys", ...keys, sessionToken: null },
            bucket: "a-bucket",
            prefix: "a/prefix/",
          },
          store: ID,
          cacheDir: null,
          tmpDir: join(path, "tmp"),
          diskReserve: 0,
        },
        current: isFormer ? "disks" : "bucket",
      });
    },
    takeDisk: () => rename(root, `${root}-gone`),
    bringDiskBack: () => rename(`${root}-gone`, root),
    [Symbol.asyncDispose]: () => closing.disposeAsync(),
  };
}

/** As the contract of stores has it. */
export async function joinedStore(current: "bucket" | "disk"): Promise<OpenedStore> {
  const opened = await openJoined(current);
  const { store } = opened;
  return {
    ...plainStore(store),
    spoil: (digest, bytes) => opened.spoil(current, digest, bytes),
    [Symbol.asyncDispose]: () => opened[Symbol.asyncDispose](),
  };
}
