import { describe, expect, test } from "bun:test";
import { existsSync } from "node:fs";
import { mkdir, readdir, rename, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { BlobDirectories } from "../../src/blobs/blob-directories.ts";
import { DamagedBlob, readBlob } from "../../src/blobs/blob-file.ts";
import { findBlob } from "../../src/blobs/find-blob.ts";
import { UnavailableBlob } from "../../src/blobs/blob-place.ts";
import { BlobStore } from "../../src/blobs/blob-store.ts";
import { diskAt } from "../../src/blobs/disk-paths.ts";
import { Disks } from "../../src/blobs/disks.ts";
import type { Digest } from "../../src/domain/contents/content.ts";
import { newId, type StoreId } from "../../src/domain/id.ts";
import {
  ALL_FILES,
  describeBlobStore,
  digestOf,
  flipped,
  listAll,
  plainStore,
  NO_DAMAGE,
  type OpenedStore,
  put,
  sampleBytes,
} from "../support/samples/blob-store-contract.ts";
import { failureOf, refusalOf } from "../support/samples/failure.ts";
import { FAST_DIRECTORY, temporaryDirectory } from "../support/server/temporary-directory.ts";
import { testWith } from "../support/server/test-with.ts";

const ID = newId<StoreId>(1);
const NAMES = ["a", "b", "c"] as const;

type Name = (typeof NAMES)[number];

/** What is said of the disks of a store. */
type Said = [name: string, isBack: boolean];

/** Three disks, which are directories that can be taken away. */
async function openDisks() {
  const place = await temporaryDirectory(FAST_DIRECTORY);
  const rootOf = (name: Name) => join(place.path, name);
  const pathOf = (name: Name, digest: Digest) => join(rootOf(name), "blobs", digest.slice(0, 2), digest);
  const said: Said[] = [];
  /** Opens a store on some disks. */
  const open = async (
    away: readonly Name[] = [],
    names: readonly Name[] = NAMES,
    former: readonly Name[] = [],
  ) => {
    const disks = await Disks.open({
      disks: names.map((name) => ({
        ...diskAt(rootOf(name)),
        isAway: away.includes(name),
        isFormer: former.includes(name),
      })),
      diskReserve: 0,
      store: ID,
      onChange: (root, why) => said.push([root.slice(-1), why === null]),
    });
    return { disks, store: new BlobStore({ place: disks, small: ALL_FILES, damaged: NO_DAMAGE }) };
  };
  const opened = await open();
  await opened.disks.writeIdentity(ID);
  return {
    ...opened,
    open,
    said,
    rootOf,
    pathOf,
    /** The disks that have a file of a content. */
    holders: (digest: Digest) => NAMES.filter((name) => existsSync(pathOf(name, digest))),
    take: (name: Name) => rename(rootOf(name), `${rootOf(name)}-gone`),
    bringBack: async (name: Name) => {
      await rm(rootOf(name), { recursive: true, force: true });
      await rename(`${rootOf(name)}-gone`, rootOf(name));
      await opened.disks.look();
    },
    /** Stores a content on one disk. */
    putOn: async (name: Name, bytes: Uint8Array) => {
      const { store, disks } = await open([], [name]);
      await disks.look();
      const blob = await put(store, bytes);
      blob.unpin();
      return { digest: blob.digest, size: blob.size };
    },
    directories: () => new BlobDirectories({ disks: NAMES.map(rootOf), store: ID }),
    [Symbol.asyncDispose]: () => place[Symbol.asyncDispose](),
  };
}

/** So many bytes that a disk with so much more has more room, whatever else writes to it meanwhile. */
async function muchOf({ space }: BlobStore): Promise<number> {
  return Math.floor((await space.freeBytes()) / NAMES.length / 20);
}

/** Three disks, of which the second has most room. */
async function openStore(): Promise<OpenedStore> {
  const opened = await openDisks();
  const { store } = opened;
  // A promise takes room from the disk that would be next.
  const much = await muchOf(store);
  const promised = [await store.create(2 * much), await store.create(much)];
  await promised[1]?.abort();
  return {
    ...plainStore(store),
    spoil: async (digest, bytes) => {
      for (const name of opened.holders(digest)) {
        const path = opened.pathOf(name, digest);
        await (bytes === null ? rm(path) : writeFile(path, bytes));
      }
    },
    [Symbol.asyncDispose]: async () => {
      await promised[0]?.abort();
      await opened[Symbol.asyncDispose]();
    },
  };
}

describeBlobStore({ name: "three disks", largest: Number.POSITIVE_INFINITY, disks: 3, open: openStore });

const it = testWith(openDisks);
const LARGE = 100_000;

async function* piecesOf(bytes: Uint8Array): AsyncGenerator<Uint8Array> {
  yield bytes;
}

describe("a former disk", () => {
  it("gets nothing new, though it would be next, and nothing anew, not even while no other can be used", async (opened) => {
    const content = await opened.putOn("a", sampleBytes(LARGE));
    const { store, disks } = await opened.open([], ["a", "b"], ["a"]);
    using added = await put(store, sampleBytes(LARGE, 2));
    expect([opened.holders(added.digest), opened.holders(content.digest)]).toEqual([["b"], ["a"]]);
    await writeFile(opened.pathOf("a", content.digest), "damaged");
    using healed = await put(store, sampleBytes(LARGE));
    expect([healed.digest, opened.holders(content.digest)]).toEqual([content.digest, ["b"]]);
    const [a, b] = [opened.rootOf("a"), opened.rootOf("b")];
    const repaired = new BlobDirectories({ disks: [a, b], former: [a], store: ID });
    await rename(opened.pathOf("b", content.digest), opened.pathOf("a", content.digest));
    await repaired.rewrite(content, piecesOf(sampleBytes(LARGE)));
    expect(opened.holders(content.digest)).toEqual(["a", "b"]);
    await opened.take("b");
    await disks.look();
    expect(disks.isReachable).toBe(false);
    const writer = await store.create();
    expect(await failureOf(writer.write(sampleBytes(5_000_000)).then(() => writer.commit()))).toMatchObject({
      code: "UNAVAILABLE",
    });
  });

  it("is dropped once it holds nothing, but not for having gone", async (opened) => {
    const content = await opened.putOn("a", sampleBytes(LARGE));
    const { store, disks } = await opened.open([], ["a", "b"], ["a"]);
    expect(await disks.dropEmptied()).toEqual([]);
    await opened.take("a");
    expect(await disks.dropEmptied()).toEqual([]);
    await opened.bringBack("a");
    await store.remove(content.digest);
    expect((await disks.dropEmptied()).map(({ root }) => root)).toEqual([opened.rootOf("a")]);
    expect(disks.all.map(({ root }) => root)).toEqual([opened.rootOf("b")]);
    expect(await failureOf(async () => store.readAll(content))).toMatchObject({ isMissing: true });
  });
});

describe("where contents are", () => {
  it("a new one goes where there is most room, beside what is promised", async (opened) => {
    const holders: Name[][] = [];
    const much = await muchOf(opened.store);
    for (const n of [3, 2, 1]) {
      const held = await opened.store.create(n * much);
      using blob = await put(opened.store, sampleBytes(LARGE, n));
      holders.push(opened.holders(blob.digest));
      expect((await readdir(join(opened.rootOf("a"), "tmp"))).length).toBe(0);
      await held.abort();
    }
    const first = await opened.store.create(3 * much);
    const second = await opened.store.create(3 * much);
    using third = await put(opened.store, sampleBytes(LARGE, 9));
    expect([...holders, opened.holders(third.digest)]).toEqual([["b"], ["b"], ["b"], ["c"]]);
    await first.abort();
    await second.abort();
  });

  it("the same content is found on any disk, and not written again", async (opened) => {
    for (const [n, name] of NAMES.entries()) {
      const bytes = sampleBytes(LARGE, n + 1);
      const content = await opened.putOn(name, bytes);
      using again = await put(opened.store, bytes);
      expect([again.isWritten, opened.holders(content.digest)]).toEqual([false, [name]]);
      expect(await opened.store.readAll(content)).toEqual(Buffer.from(bytes));
      expect(opened.store.stateOf(content.digest)).not.toBeNull();
    }
    expect(await listAll(opened.store)).toHaveLength(3);
  });

  it("a damaged one is replaced on the disk with room, and the damaged one goes", async (opened) => {
    const bytes = sampleBytes(LARGE);
    const { digest } = await opened.putOn("c", bytes);
    await writeFile(opened.pathOf("c", digest), flipped(bytes));
    using blob = await put(opened.store, bytes);
    expect(blob.healed?.problem).toBe("does not match its SHA-256");
    expect(opened.holders(digest)).toEqual(["a"]);
    expect(await opened.store.readAll(blob)).toEqual(Buffer.from(bytes));
  });

  it("one that is on two disks goes from both", async (opened) => {
    const bytes = sampleBytes(LARGE);
    for (const name of ["a", "c"] as const) await opened.putOn(name, bytes);
    expect(opened.holders(digestOf(bytes))).toEqual(["a", "c"]);
    expect(await opened.store.remove(digestOf(bytes))).toBe(true);
    expect(opened.holders(digestOf(bytes))).toEqual([]);
  });

  it("who reads beside the server finds one on any disk, and puts a missing one where there is room", async (opened) => {
    const bytes = sampleBytes(LARGE);
    const content = await opened.putOn("c", bytes);
    const directories = opened.directories();
    await directories.requireSize(content);
    expect((await Array.fromAsync(directories.names())).map(({ digest }) => digest)).toEqual([
      content.digest,
    ]);
    await writeFile(opened.pathOf("c", content.digest), flipped(bytes));
    expect(await failureOf(Array.fromAsync(directories.pieces(content)))).toBeInstanceOf(DamagedBlob);
    async function* pieces() {
      yield bytes;
    }
    await directories.rewrite(content, pieces());
    expect(await Bun.file(opened.pathOf("c", content.digest)).bytes()).toEqual(bytes);
    await rm(opened.pathOf("c", content.digest));
    expect(await failureOf(directories.requireSize(content))).toBeInstanceOf(DamagedBlob);
    await directories.rewrite(content, pieces());
    await directories.requireSize(content);
  });
});

const LOSSES: readonly (readonly [name: string, lose: (root: string) => Promise<unknown>])[] = [
  ["is gone", async () => {}],
  ["is an empty mount point", (root) => mkdir(root)],
  ["has directories, but no identity", (root) => mkdir(join(root, "blobs", "00"), { recursive: true })],
  [
    "belongs to another store",
    async (root) => {
      await mkdir(join(root, "blobs"), { recursive: true });
      await writeFile(join(root, "blobs/identity"), newId<StoreId>(2));
    },
  ],
];

describe.each(LOSSES)("a disk that %s", (_, lose) => {
  test("its contents are unavailable while it runs, the others are served, and it is used again when it is back", async () => {
    await using opened = await openDisks();
    const { store, disks, said } = opened;
    const [there, away] = [sampleBytes(LARGE, 1), sampleBytes(LARGE, 2)];
    const [here, gone] = [await opened.putOn("a", there), await opened.putOn("b", away)];
    await opened.take("b");
    await lose(opened.rootOf("b"));
    const directories = opened.directories();
    const attempts = [
      () => store.read(gone),
      () => store.readAll(gone),
      () => store.readBeginning(gone, 10),
      () => Array.fromAsync(store.pieces(gone)),
      () => store.requirePlaced(gone),
      () => directories.requireSize(gone),
      () => Array.fromAsync(directories.pieces(gone)),
    ];
    for (const attempt of attempts) expect(await failureOf(attempt)).toBeInstanceOf(UnavailableBlob);
    expect(await store.readAll(here)).toEqual(Buffer.from(there));
    expect([store.stateOf(gone.digest), store.isCutShort(gone)]).toEqual([null, false]);
    expect(disks.away().map(({ root }) => root)).toEqual([opened.rootOf("b")]);
    expect((await directories.away()).map(({ root }) => root)).toEqual([opened.rootOf("b")]);
    // Also a content that no disk has may be there.
    const unknown = { digest: digestOf(sampleBytes(5)), size: 5 };
    expect(await failureOf(() => store.readAll(unknown))).toBeInstanceOf(UnavailableBlob);
    using fresh = await put(store, sampleBytes(LARGE, 3));
    using again = await put(store, away);
    expect([opened.holders(fresh.digest), again.isWritten]).toEqual([["a"], true]);
    expect(await listAll(store)).toEqual([here.digest, fresh.digest, again.digest].toSorted());
    expect(said).toEqual([["b", false]]);
    await opened.bringBack("b");
    expect(said).toEqual([
      ["b", false],
      ["b", true],
    ]);
    expect(opened.holders(gone.digest)).toEqual(["a", "b"]);
    again.unpin();
    expect(await store.remove(gone.digest)).toBe(true);
    expect(opened.holders(gone.digest)).toEqual([]);
    expect(await failureOf(() => store.readAll(gone))).toBeInstanceOf(DamagedBlob);
  });

  test("it may be so at the start, and come later", async () => {
    await using opened = await openDisks();
    const bytes = sampleBytes(LARGE);
    const content = await opened.putOn("b", bytes);
    const left = join(opened.rootOf("b"), "tmp", `coffer-${crypto.randomUUID()}.tmp`);
    await writeFile(left, "left by a crash");
    await opened.take("b");
    await lose(opened.rootOf("b"));
    const { store, disks } = await opened.open(["b"]);
    expect(await failureOf(() => store.read(content))).toBeInstanceOf(UnavailableBlob);
    expect((await disks.disks()).map(({ total }) => total === null)).toEqual([false, true, false]);
    await opened.bringBack("b");
    await disks.look();
    expect(await store.readAll(content)).toEqual(Buffer.from(bytes));
    expect(existsSync(left)).toBe(false);
    expect(disks.away()).toEqual([]);
  });

  test("with the others gone as well, uploads wait for them, and go on once one is back", async () => {
    await using opened = await openDisks();
    for (const name of NAMES) {
      await opened.take(name);
      await lose(opened.rootOf(name));
    }
    const failure = await failureOf(put(opened.store, sampleBytes(LARGE)));
    expect(failure).toMatchObject({ code: "UNAVAILABLE" });
    expect(await failureOf(() => opened.store.space.requireFree())).toMatchObject({ code: "UNAVAILABLE" });
    expect([await opened.store.space.hasSpace(), await opened.store.space.shortage()]).toEqual([false, 0]);
    await opened.bringBack("c");
    using blob = await put(opened.store, sampleBytes(LARGE));
    expect(opened.holders(blob.digest)).toEqual(["c"]);
    // Nothing was written where a disk should be.
    for (const name of ["a", "b"] as const) {
      const shard = join(opened.rootOf(name), "blobs", blob.digest.slice(0, 2));
      expect([name, existsSync(shard)]).toEqual([name, false]);
    }
  });
});

it("a disk that comes back just after it was passed over is asked again", async (opened) => {
  const content = await opened.putOn("b", sampleBytes(LARGE));
  let isAway = true;
  const source = {
    blobsDir: join(opened.rootOf("b"), "blobs"),
    get isAway() {
      const was = isAway;
      isAway = false;
      return was;
    },
    isPresent: async () => true,
  };
  expect(await findBlob([source], content.digest, (path) => readBlob(path, content))).toHaveLength(LARGE);
  await rm(opened.pathOf("b", content.digest));
  const failure = await failureOf(findBlob([source], content.digest, (path) => readBlob(path, content)));
  expect(failure).toMatchObject({ isMissing: true });
});

it("a disk that goes away in the middle of an upload fails it, and nothing of it stays", async (opened) => {
  const { store } = opened;
  const writer = await store.create();
  await writer.write(sampleBytes(LARGE));
  await opened.take("a");
  // Others have room.
  store.space.requireFree();
  expect(await failureOf(writer.commit())).toMatchObject({ code: "UNAVAILABLE" });
  using blob = await put(store, sampleBytes(LARGE));
  expect(opened.holders(blob.digest)).toEqual(["b"]);
});

it("a content that none of all disks has is missing, and one that is there and damaged is damaged, whatever is away", async (opened) => {
  const bytes = sampleBytes(LARGE);
  const content = await opened.putOn("c", bytes);
  await writeFile(opened.pathOf("c", content.digest), flipped(bytes));
  await opened.take("b");
  expect(await failureOf(() => opened.store.readAll(content))).toMatchObject({ isMissing: false });
  await opened.bringBack("b");
  await rm(opened.pathOf("c", content.digest));
  expect(await failureOf(() => opened.store.readAll(content))).toMatchObject({ isMissing: true });
  expect(opened.said).toEqual([]);
});

it("a disk that cannot be made ready when it comes stays away, and says why", async (opened) => {
  await opened.take("b");
  const { disks } = await opened.open(["b"]);
  await rm(join(`${opened.rootOf("b")}-gone`, "tmp"), { recursive: true });
  await writeFile(join(`${opened.rootOf("b")}-gone`, "tmp"), "a file");
  await opened.bringBack("b");
  await disks.look();
  expect(disks.away()).toEqual([{ root: opened.rootOf("b"), why: expect.stringContaining("EEXIST") }]);
});

it("a disk that is listed, and cannot be used at the start, stops that", async (opened) => {
  await rm(join(opened.rootOf("b"), "tmp"), { recursive: true });
  await writeFile(join(opened.rootOf("b"), "tmp"), "a file");
  expect(await refusalOf(opened.open())).toContain(`${join(opened.rootOf("b"), "tmp")} cannot be used`);
});

it("the sizes of all disks are added up, and told of each", async ({ disks, store, rootOf }) => {
  const { total } = await store.space.figures();
  const each = await disks.disks();
  expect(each.map(({ root }) => root)).toEqual(NAMES.map(rootOf));
  expect(each.reduce((sum, disk) => sum + (disk.total ?? 0), 0)).toBe(total);
});
