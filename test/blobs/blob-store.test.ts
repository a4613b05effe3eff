import { describe, expect, test } from "bun:test";
import { existsSync, lstatSync, mkdirSync, statSync, symlinkSync, writeFileSync } from "node:fs";
import { readdir, rename, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import type { BlobStore } from "../../src/blobs/blob-store.ts";
import { diskAt } from "../../src/blobs/disk-paths.ts";
import { DamagedBlob } from "../../src/blobs/blob-file.ts";
import { Database } from "../../src/db/engine/database.ts";
import { openTables } from "../../src/db/tables.ts";
import type { Digest } from "../../src/domain/contents/content.ts";
import type { BlobPk } from "../../src/domain/id.ts";
import { SMALL_CONTENT_BYTES } from "../../src/domain/limits.ts";
import { RawClient } from "../http/raw-client.ts";
import {
  describeBlobStore,
  digestOf,
  listAll,
  plainStore,
  type OpenedStore,
  put,
  sampleBytes,
} from "../support/samples/blob-store-contract.ts";
import { FakeClock } from "../support/server/fake-clock.ts";
import { openBlobStore } from "../support/server/open-blob-store.ts";
import { eventually } from "../support/server/scenario.ts";
import { NO_OPEN_FILES, openFiles } from "../support/faults/open-files.ts";
import { withReason } from "../support/server/skip.ts";
import { testWith } from "../support/server/test-with.ts";
import { FAST_DIRECTORY, temporaryDirectory } from "../support/server/temporary-directory.ts";
import { failureOf, refusalOf } from "../support/samples/failure.ts";

const MIB = 1024 * 1024;

interface OpenedFileStore extends OpenedStore {
  readonly blobsDir: string;
  readonly tmpDir: string;
  /** Where a content has its file. */
  pathOf(digest: Digest): string;
}

/** Opens a store of files alone in the directories of another. */
function openAgain(
  { blobsDir, tmpDir }: Pick<OpenedFileStore, "blobsDir" | "tmpDir">,
  opening: Parameters<typeof openBlobStore>[1] = {},
): Promise<BlobStore> {
  return openBlobStore([{ root: dirname(blobsDir), blobsDir, tmpDir }], opening);
}

/** A store whose contents are all files. */
async function openStore(): Promise<OpenedFileStore> {
  const place = await temporaryDirectory(FAST_DIRECTORY);
  const { blobsDir, tmpDir } = diskAt(place.path);
  const store = await openAgain({ blobsDir, tmpDir });
  const pathOf = (digest: Digest) => join(blobsDir, digest.slice(0, 2), digest);
  return {
    ...plainStore(store),
    blobsDir,
    tmpDir,
    pathOf,
    spoil: (digest, bytes) => (bytes === null ? rm(pathOf(digest)) : writeFile(pathOf(digest), bytes)),
    [Symbol.asyncDispose]: () => place[Symbol.asyncDispose](),
  };
}

/** A store whose small contents are in the database, with the rows that name them. */
async function openSmallStore(): Promise<OpenedStore> {
  const place = await temporaryDirectory(FAST_DIRECTORY);
  const database = Database.open(join(place.path, "coffer.db"), new FakeClock());
  const { blobs, smallContents, damagedContents } = openTables(database);
  const { blobsDir, tmpDir } = diskAt(place.path);
  const store = await openAgain({ blobsDir, tmpDir }, { small: smallContents, damaged: damagedContents });
  const query = <T>(text: string) => database.sql.query<T, [Digest]>(text);
  const row = query<{ pk: BlobPk }>("SELECT pk FROM blob WHERE digest = ?");
  const use = query<null>("UPDATE blob SET refs = refs + 1 WHERE digest = ?");
  const leave = query<null>("UPDATE blob SET refs = refs - 1 WHERE digest = ?");
  return {
    store,
    commit: async (writer) => {
      const { digest, size, bytes, head } = await writer.commit();
      if (bytes === null) throw new Error("a small content became a file");
      const kept = await database.write(() => {
        const outcome = smallContents.put(blobs.ensure(digest, size, null).pk, bytes);
        use.run(digest);
        return outcome;
      });
      let isUsed = true;
      const unpin = () => {
        if (isUsed) leave.run(digest);
        isUsed = false;
      };
      return { digest, size, head, isHealed: kept === "healed", unpin, [Symbol.dispose]: unpin };
    },
    remove: async (digest) => {
      const isGone = await database.write(() => {
        const found = row.get(digest);
        return found === null || blobs.remove(found.pk);
      });
      return isGone && (await store.remove(digest));
    },
    digests: async () => {
      expect(await listAll(store)).toEqual([]);
      return database.sql
        .query<{ digest: Digest }, []>(
          "SELECT digest FROM small_content c JOIN blob b ON b.pk = c.blob ORDER BY digest",
        )
        .all()
        .map(({ digest }) => digest);
    },
    spoil: async (digest, bytes) => {
      const pk = row.get(digest)?.pk ?? 0;
      if (bytes === null) database.sql.run("DELETE FROM small_content WHERE blob = ?", [pk]);
      else database.sql.run("UPDATE small_content SET bytes = ? WHERE blob = ?", [bytes, pk]);
    },
    [Symbol.asyncDispose]: async () => {
      await database.close();
      await place[Symbol.asyncDispose]();
    },
  };
}

describeBlobStore({ name: "files", largest: Number.POSITIVE_INFINITY, open: openStore });
describeBlobStore({ name: "the database", largest: SMALL_CONTENT_BYTES, open: openSmallStore });

const it = testWith(openStore);

describe("on disk", () => {
  it("every content is in exactly one part, with its age", async (opened) => {
    const since = Date.now();
    const expected: Digest[] = [];
    for (let seed = 1; seed <= 40; seed++) {
      using blob = await put(opened.store, sampleBytes(100, seed));
      expected.push(blob.digest);
    }
    expect(await listAll(opened.store)).toEqual(expected.toSorted());
    for (let shard = 0; shard < opened.store.shardCount; shard++) {
      for (const { modifiedAt } of await opened.store.list(shard)) {
        expect(Math.abs(modifiedAt - since)).toBeLessThan(60_000);
        expect(Number.isInteger(modifiedAt)).toBe(true);
      }
    }
  });

  it("a content lies in the directory of its first two digits, for this user alone", async (opened) => {
    using blob = await put(opened.store, sampleBytes(10));
    const path = opened.pathOf(blob.digest);
    expect(await Bun.file(path).bytes()).toEqual(sampleBytes(10));
    expect(statSync(path).mode & 0o777).toBe(0o600);
    expect(statSync(opened.blobsDir).mode & 0o777).toBe(0o700);
    expect(await readdir(opened.blobsDir)).toEqual([blob.digest.slice(0, 2)]);
    expect(statSync(dirname(path)).mode & 0o777).toBe(0o700);
  });

  it("a small upload touches no disk before its commit, a large one only tmp", async (opened) => {
    await using writer = await opened.store.create();
    await writer.write(sampleBytes(64 * 1024));
    expect(await readdir(opened.tmpDir)).toEqual([]);
    await writer.write(sampleBytes(1));
    expect(await readdir(opened.tmpDir)).toHaveLength(1);
    expect(await listAll(opened.store)).toEqual([]);
    await writer.abort();
    expect(await readdir(opened.tmpDir)).toEqual([]);
  });

  it("a large content leaves no temporary file, when it is new, matched or removed", async (opened) => {
    const temporary = () => readdir(opened.tmpDir);
    const blob = await put(opened.store, sampleBytes(MIB));
    expect([blob.size, await temporary()]).toEqual([MIB, []]);
    blob.unpin();
    const matched = await put(opened.store, sampleBytes(MIB));
    expect([matched.size, await temporary()]).toEqual([MIB, []]);
    matched.unpin();
    await opened.store.remove(blob.digest);
    expect(await temporary()).toEqual([]);
  });

  it("a file of the wrong length under a content's name is replaced, not matched", async (opened) => {
    const content = sampleBytes(1000);
    await Bun.write(opened.pathOf(digestOf(content)), "cut");
    using blob = await put(opened.store, content);
    expect(await opened.store.readAll(blob)).toEqual(Buffer.from(content));
  });

  it("names that are no digests, or lie in another's directory, are not listed", async (opened) => {
    using blob = await put(opened.store, sampleBytes(10));
    const other = blob.digest.startsWith("00") ? "01" : "00";
    mkdirSync(join(opened.blobsDir, other));
    writeFileSync(join(opened.blobsDir, other, blob.digest), "x");
    writeFileSync(join(opened.blobsDir, other, ".DS_Store"), "x");
    writeFileSync(join(opened.blobsDir, other, blob.digest.toUpperCase()), "x");
    expect(await listAll(opened.store)).toEqual([blob.digest]);
  });

  it("opening again keeps contents, and sweeps out of tmp the files that the store made itself", async (opened) => {
    const blob = await put(opened.store, sampleBytes(10));
    const left = await opened.store.create();
    await left.write(sampleBytes(MIB));
    const [own = ""] = await readdir(opened.tmpDir);
    writeFileSync(join(opened.tmpDir, crypto.randomUUID()), "an earlier version's");
    const foreign = ["letter.txt", `${own}.txt`, crypto.randomUUID().toUpperCase()].toSorted();
    for (const name of foreign) writeFileSync(join(opened.tmpDir, name), "x");
    const again = await openAgain(opened);
    expect((await readdir(opened.tmpDir)).toSorted()).toEqual(foreign);
    expect(await listAll(again)).toEqual([blob.digest]);
    await left.abort();
  });

  it("opening follows no link in tmp and removes nothing below a directory", async (opened) => {
    const outside = join(opened.blobsDir, "..", "outside");
    writeFileSync(outside, "precious");
    const [link, directory] = [crypto.randomUUID(), `coffer-${crypto.randomUUID()}.tmp`];
    symlinkSync(outside, join(opened.tmpDir, link));
    await Bun.write(join(opened.tmpDir, directory, crypto.randomUUID()), "x");
    await openAgain(opened);
    expect((await readdir(opened.tmpDir)).toSorted()).toEqual([link, directory].toSorted());
    expect(await readdir(join(opened.tmpDir, directory))).toHaveLength(1);
    expect(await Bun.file(outside).text()).toBe("precious");
  });

  test.each(["blobs", "tmp", "blobs/7f"])("%s as a symbolic link is refused", async (name) => {
    await using opened = await openStore();
    const root = join(opened.blobsDir, "..");
    mkdirSync(join(opened.blobsDir, "7f"));
    await rename(join(root, name), join(root, "elsewhere"));
    symlinkSync(join(root, "elsewhere"), join(root, name));
    expect(await refusalOf(openAgain(opened))).toContain(`${join(root, name)} is a symbolic link`);
  });

  it("a file in the place of a directory of contents is refused", async (opened) => {
    writeFileSync(join(opened.blobsDir, "7f"), "somebody's own");
    expect(await refusalOf(openAgain(opened))).toMatch(/cannot be used: EEXIST.*7f/);
  });

  it("a directory of contents that somebody makes, before the start or later, is used", async (opened) => {
    const [early, late] = [sampleBytes(10), sampleBytes(11)];
    mkdirSync(join(opened.blobsDir, digestOf(early).slice(0, 2)));
    const again = await openAgain(opened);
    mkdirSync(join(opened.blobsDir, digestOf(late).slice(0, 2)));
    for (const bytes of [early, late]) {
      using blob = await put(again, bytes);
      expect(await again.readAll(blob)).toEqual(Buffer.from(bytes));
    }
  });

  it("a small content is kept in memory when it is sent, but not for who needs its bytes once", async (opened) => {
    const bytes = sampleBytes(100);
    let reads = 0;
    const small = { smallBytes: 100, get: () => (reads++, bytes) };
    const store = await openAgain(opened, { small });
    const content = { digest: digestOf(bytes), size: 100 };
    for (let n = 0; n < 2; n++) expect(await store.readBeginning(content, 10)).toEqual(bytes.subarray(0, 10));
    for (let n = 0; n < 2; n++) expect(await store.readAll(content)).toEqual(bytes);
    expect(reads).toBe(4);
    for (let n = 0; n < 2; n++) expect(await (await store.read(content)).bytes()).toEqual(bytes);
    expect(reads).toBe(5);
  });

  it("a disk at its reserve takes no new content and still serves the old", async (opened) => {
    const blob = await put(opened.store, sampleBytes(10));
    const full = await openAgain(opened, { diskReserve: Number.MAX_SAFE_INTEGER });
    expect(await failureOf(full.create())).toMatchObject({ name: "CofferError", code: "STORAGE_FULL" });
    expect(await full.readAll(blob)).toEqual(Buffer.from(sampleBytes(10)));
    expect(await full.remove(blob.digest)).toBe(true);
  });

  const other = FAST_DIRECTORY === tmpdir() ? "/dev/shm" : tmpdir();
  const found = statSync(other, { throwIfNoEntry: false });
  const noOther =
    found === undefined || found.dev === statSync(FAST_DIRECTORY).dev ? "there is no other disk" : "";
  test.skipIf(noOther !== "")(
    withReason("tmp on another file system than blobs stops the start", noOther),
    async () => {
      await using opened = await openStore();
      await using elsewhere = await temporaryDirectory(other);
      expect(await refusalOf(openAgain({ ...opened, tmpDir: elsewhere.path }))).toContain(
        "must be on one file system",
      );
    },
  );
});

/** What may be found under a content's name that is no file of its size. */
const THINGS: readonly (readonly [name: string, put: (path: string, secret: string) => unknown])[] = [
  ["a link to a file of the same size", (path, secret) => symlinkSync(secret, path)],
  ["a link to nothing", (path, secret) => symlinkSync(`${secret}-gone`, path)],
  ["a directory", (path) => mkdirSync(path)],
  ["a directory with something in it", (path) => mkdirSync(join(path, "sub"), { recursive: true })],
  ["a named pipe", (path) => Bun.spawnSync(["mkfifo", path])],
  ["nothing", () => {}],
];
const things = THINGS.filter(([name]) => name !== "a named pipe" || Bun.which("mkfifo") !== null);

describe.each(things)("%s in a content's place", (name, place) => {
  const sizes: [name: string, length: number][] = [
    ["small", 32],
    ["large", MIB],
  ];

  async function placed(length: number) {
    const opened = await openStore();
    const content = sampleBytes(length);
    const written = await put(opened.store, content);
    written.unpin();
    const path = opened.pathOf(written.digest);
    const secret = join(opened.blobsDir, "..", "secret");
    writeFileSync(secret, sampleBytes(length, 7));
    await rm(path);
    place(path, secret);
    return { store: opened, content, blob: { digest: written.digest, size: length }, path, secret };
  }

  test.each(sizes)("is not given out as a content, and is replaced by an upload, %s", async (_, length) => {
    const { store, content, blob, path, secret } = await placed(length);
    await using opened = store;
    for (const attempt of [
      () => opened.store.read(blob),
      () => opened.store.read(blob, { start: 1, end: 3 }),
      () => opened.store.readAll(blob),
    ]) {
      expect(await failureOf(attempt)).toBeInstanceOf(DamagedBlob);
    }
    expect(await listAll(opened.store)).toEqual([]);
    using again = await put(opened.store, content);
    expect(again.healed === null).toBe(name === "nothing");
    expect(lstatSync(path).isFile()).toBe(true);
    expect(await opened.store.readAll(again)).toEqual(Buffer.from(content));
    expect(await readdir(opened.tmpDir)).toEqual([]);
    expect(await Bun.file(secret).bytes()).toEqual(sampleBytes(length, 7));
    // Whatever was in a directory is not ours to remove.
    const beside = (await readdir(join(path, ".."))).filter((entry) => entry.endsWith(".aside"));
    expect(beside).toHaveLength(name.startsWith("a directory") ? 1 : 0);
  });

  test("can be removed, and nothing else goes with it", async () => {
    const { store, blob, path, secret } = await placed(32);
    await using opened = store;
    expect(await opened.store.remove(blob.digest)).toBe(true);
    expect(existsSync(path)).toBe(false);
    expect(await Bun.file(secret).bytes()).toEqual(sampleBytes(32, 7));
    expect(await readdir(opened.tmpDir)).toEqual([]);
  });
});

test.skipIf(NO_OPEN_FILES !== "")(
  withReason("a client that goes away, or asks with HEAD, closes the file", NO_OPEN_FILES),
  async () => {
    await using opened = await openStore();
    using blob = await put(opened.store, sampleBytes(32 * MIB));
    const open = () => openFiles()?.filter((path) => path.startsWith(opened.blobsDir)).length ?? 0;
    const server = Bun.serve({ port: 0, fetch: async () => new Response(await opened.store.read(blob)) });
    try {
      await fetch(server.url, { method: "HEAD" });
      const client = await RawClient.to(server.port ?? 0);
      await client.write("GET / HTTP/1.1\r\nHost: x\r\n\r\n");
      await client.until(/\r\n\r\n/);
      // What it does not read does not fit into the buffers on the way.
      client.socket.pause();
      expect(open()).toBeGreaterThan(0);
      client.close();
      await eventually(() => open() === 0);
    } finally {
      await server.stop(true);
    }
  },
);

it("eight contents of 64 MiB written at once need little memory", async (opened) => {
  const piece = sampleBytes(MIB);
  Bun.gc(true);
  const before = process.memoryUsage().rss;
  const blobs = await Promise.all(
    Array.from({ length: 8 }, async (_, which) => {
      await using writer = await opened.store.create();
      await writer.write(Uint8Array.of(which));
      for (let i = 0; i < 64; i++) await writer.write(piece);
      return await writer.commit();
    }),
  );
  expect(process.memoryUsage().rss - before).toBeLessThan(128 * MIB);
  for (const { digest } of blobs) expect(statSync(opened.pathOf(digest)).size).toBe(64 * MIB + 1);
});
