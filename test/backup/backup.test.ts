import { describe, expect, test } from "bun:test";
import { existsSync } from "node:fs";
import { mkdir, readdir, rm, stat, truncate, writeFile } from "node:fs/promises";
import { join, resolve } from "node:path";
import { backUpAsStream, backUpTo } from "../../src/backup/backup.ts";
import { keptBackups } from "../../src/backup/manifest.ts";
import { DirectoryPlace } from "../../src/backup/directory-place.ts";
import { restoreFrom, restoreStream } from "../../src/backup/restore.ts";
import type { BackupOptions } from "../../src/backup/run.ts";
import { LEASE_MS } from "../../src/db/upkeep/store.ts";
import { MIGRATIONS } from "../../src/db/engine/migrations.ts";
import { KEEPS_NOTHING, startAppliance, type TestAppliance } from "../support/server/appliance.ts";
import { changeDatabase, rowsIn } from "../support/faults/change-database.ts";
import { flipped } from "../support/samples/blob-store-contract.ts";
import { filesIn, fileOf } from "../support/samples/contents.ts";
import { contentOf, type Held, heldBy, put } from "../support/faults/faults.ts";
import { NO_S3 } from "../support/peers/s3-options.ts";
import { type OwnDrive, provision } from "../support/server/scenario.ts";
import { testWith } from "../support/server/test-with.ts";
import { FAST_DIRECTORY, temporaryDirectory } from "../support/server/temporary-directory.ts";
import { refusalOf } from "../support/samples/failure.ts";

/** A content that is a file of its own. */
const LARGE = 20_000;

/** A Coffer with a drive and some files, and a directory for what a test makes. */
async function start(settings: Record<string, string> = {}) {
  await using opened = new AsyncDisposableStack();
  const coffer = opened.use(await startAppliance(settings));
  const { path } = opened.use(await temporaryDirectory(FAST_DIRECTORY));
  const drive = await provision(coffer);
  for (const name of ["one", "two", "three"]) expect(await upload(drive, name, LARGE)).toBe(201);
  expect(await upload(drive, "small", 100)).toBe(201);
  /** A path for a test's own. */
  const at = (name: string) => resolve(path, name);
  const place = at("place");
  const owned = opened.move();
  return {
    coffer,
    drive,
    at,
    /** Where backups are kept. */
    place,
    backUp: (keep = 7) => backUp(coffer, place, keep),
    restore: (name: string, id: string | null = null) =>
      restoreFrom({ kind: "directory", path: place }, id, { ...optionsFor(coffer), dataDir: at(name) }),
    /** Restores an archive, in these pieces. */
    unpack: (archive: readonly Uint8Array[], name: string) =>
      restoreStream(stream(archive), { dataDir: at(name), clock: coffer.clock }),
    [Symbol.asyncDispose]: () => owned.disposeAsync(),
  };
}

function upload({ client, id }: OwnDrive, path: string, size: number): Promise<number> {
  return put(client, id, path, contentOf(`${path} ${size}`, size));
}

async function remove({ client, id }: OwnDrive, path: string): Promise<void> {
  await client.delete(`/v0/files/by-path?drive_id=${id}&path=${path}`);
}

function optionsFor({ dataDir, clock }: TestAppliance): BackupOptions {
  const { signal } = new AbortController();
  return { dataDir, clock, s3: NO_S3, diskReserve: 0, version: "1.2.3", backupContents: "leave", signal };
}

function backUp(coffer: TestAppliance, path: string, keep = 7) {
  return backUpTo({ kind: "directory", path }, keep, optionsFor(coffer));
}

/** What a drive holds in a data directory that was restored, or in that of a server that has ended. */
async function heldIn(dataDir: string, { id, client }: OwnDrive): Promise<Held> {
  await using other = await startAppliance();
  await other.restart({ "data-dir": dataDir });
  return await heldBy(other.client(client.key), id);
}

/** Overwrites a bit of a file. */
async function spoil(path: string): Promise<void> {
  const bytes = await Bun.file(path).bytes();
  await rm(path);
  await writeFile(path, flipped(bytes));
}

function digestOf(path: string, size: number): string {
  return Bun.SHA256.hash(contentOf(`${path} ${size}`, size), "hex");
}

/** Every byte that an archive of a backup has. */
async function archiveOf(coffer: TestAppliance): Promise<Uint8Array[]> {
  const pieces: Uint8Array[] = [];
  await backUpAsStream(async (bytes) => void pieces.push(Uint8Array.from(bytes)), optionsFor(coffer));
  return pieces;
}

async function* stream(pieces: readonly Uint8Array[]): AsyncGenerator<Uint8Array> {
  yield* pieces;
}

const it = testWith(start);

describe("a backup", () => {
  it("is restored byte for byte, and the restored store starts as it is", async (t) => {
    const held = await heldBy(t.drive.client, t.drive.id);
    await t.backUp();
    expect(await t.restore("restored")).toMatchObject({ missing: [] });
    expect(await heldIn(t.at("restored"), t.drive)).toEqual(held);
    expect((await stat(t.at("restored"))).mode & 0o777).toBe(0o700);
    expect((await stat(join(t.at("restored"), "secret"))).mode & 0o777).toBe(0o600);
    expect(await Bun.file(join(t.at("restored"), "secret")).bytes()).toEqual(
      await Bun.file(join(t.coffer.dataDir, "secret")).bytes(),
    );
  });

  it("copies only what is not there whole, and shares nothing with what is restored from it", async (t) => {
    expect(await t.backUp()).toMatchObject({ copied: 3 });
    const path = fileOf(t.place, digestOf("one", LARGE));
    const before = await stat(path);
    expect(await upload(t.drive, "four", LARGE)).toBe(201);
    expect(await t.backUp()).toMatchObject({ copied: 1, contents: { count: 4 } });
    expect(await stat(path)).toMatchObject({ ino: before.ino, mtimeMs: before.mtimeMs });
    await rm(path);
    await writeFile(path, "cut off");
    expect(await t.backUp()).toMatchObject({ copied: 1 });
    expect((await t.restore("restored")).missing).toEqual([]);
    expect((await stat(fileOf(t.at("restored"), digestOf("one", LARGE)))).ino).not.toBe(
      (await stat(path)).ino,
    );
  });

  it("names rotten and missing contents with their files, and holds all the rest", async (t) => {
    await spoil(fileOf(t.coffer.dataDir, digestOf("one", LARGE)));
    await rm(fileOf(t.coffer.dataDir, digestOf("two", LARGE)));
    changeDatabase(t.coffer.dataDir, "UPDATE small_content SET bytes = x'00'");
    const [one, two, small] = [digestOf("one", LARGE), digestOf("two", LARGE), digestOf("small", 100)];
    const { damaged } = await t.backUp();
    const file = (path: string) => [{ drive: t.drive.id, path, kept: null }];
    expect(Object.fromEntries(damaged.map(({ sha256, files }) => [sha256, files]))).toEqual({
      [one]: file("one"),
      [two]: file("two"),
      [small]: file("small"),
    });
    expect(filesIn(t.place).map(({ digest }) => digest)).toEqual([digestOf("three", LARGE)]);
    const { missing } = await t.restore("restored");
    expect(Object.fromEntries(missing.map(({ sha256, problem }) => [sha256, problem]))).toEqual({
      [one]: expect.any(String),
      [two]: expect.any(String),
      [small]: "is damaged in the backup",
    });
    // The same upload heals it, and the next backup has it.
    expect(await upload(t.drive, "one", LARGE)).toBe(200);
    expect(await upload(t.drive, "small", 100)).toBe(200);
    expect(await t.backUp()).toMatchObject({
      copied: 1,
      damaged: [{ files: [{ path: "two" }] }],
    });
  });

  it("is refused in the data directory, among other files, and beside the backups of another store", async (t) => {
    await using other = await startAppliance();
    const inside = join(t.coffer.dataDir, "backups");
    expect(await refusalOf(backUp(t.coffer, inside))).toContain("cannot be in the data directory");
    await mkdir(t.at("home"));
    await writeFile(join(t.at("home"), "letter"), "");
    await mkdir(join(t.at("home"), "unfinished"));
    await writeFile(join(t.at("home"), "unfinished", "letter"), "");
    expect(await refusalOf(backUp(t.coffer, t.at("home")))).toContain("holds letter but no backups");
    expect((await readdir(t.at("home"), { recursive: true })).toSorted()).toEqual([
      "letter",
      "unfinished",
      "unfinished/letter",
    ]);
    await t.backUp();
    expect(await refusalOf(backUp(other, t.place))).toContain("another store");
  });

  it("is refused where a copy of the database has no room beyond the reserve", async (t) => {
    const options = { ...optionsFor(t.coffer), diskReserve: 4000 * 1024 ** 4 };
    const made = backUpTo({ kind: "directory", path: t.place }, 7, options);
    expect(await refusalOf(made)).toContain("no room for a copy of the database");
    const temporary = await readdir(join(t.coffer.dataDir, "tmp"));
    expect(temporary.filter((name) => name.startsWith("backup-"))).toEqual([]);
  });

  it("is refused while another one is running", async (t) => {
    const refusals: string[] = [];
    await backUpAsStream(async () => {
      if (refusals.length === 0) refusals.push(await refusalOf(t.backUp()));
    }, optionsFor(t.coffer));
    expect(refusals).toEqual([expect.stringContaining(`is running already in process ${process.pid}`)]);
    expect(await t.backUp()).toMatchObject({ copied: 3 });
  });

  it("is stopped between two contents, and the next one goes on with it", async (t) => {
    const stop = new AbortController();
    const stopped = backUpTo({ kind: "directory", path: t.place }, 7, {
      ...optionsFor(t.coffer),
      signal: stop.signal,
    });
    stop.abort();
    expect(await refusalOf(stopped)).toContain("was stopped");
    expect(await refusalOf(t.restore("restored"))).toContain("no complete backup");
    expect(existsSync(t.at("restored"))).toBe(false);
    await t.backUp();
    expect((await t.restore("restored")).missing).toEqual([]);
  });
});

function sweep({ appliance }: TestAppliance) {
  return appliance.services.sweep.run();
}

/** Makes every content without a file old enough to be removed. */
function age({ dataDir }: TestAppliance): void {
  changeDatabase(dataDir, "UPDATE blob SET orphaned_at = 1 WHERE refs = 0");
}

describe("the collection of contents", () => {
  test("leaves a backup what is deleted while it runs, and goes on after it", async () => {
    await using t = await start(KEEPS_NOTHING);
    const held = await heldBy(t.drive.client, t.drive.id);
    const pieces: Uint8Array[] = [];
    let isDeleted = false;
    await backUpAsStream(async (bytes) => {
      pieces.push(Uint8Array.from(bytes));
      // The first entry was written before the snapshot; this is the first content.
      if (pieces.length < 5 || isDeleted) return;
      isDeleted = true;
      for (const path of ["one", "two", "three"]) await remove(t.drive, path);
      age(t.coffer);
      expect(await sweep(t.coffer)).toMatchObject({ blobs: 0 });
    }, optionsFor(t.coffer));
    expect(isDeleted).toBe(true);
    expect(await sweep(t.coffer)).toMatchObject({ blobs: 3 });
    expect(filesIn(t.coffer.dataDir)).toEqual([]);
    expect((await t.unpack(pieces, "restored")).missing).toEqual([]);
    expect(await heldIn(t.at("restored"), t.drive)).toEqual(held);
  });

  test("waits for a killed backup until its lease ends, and for none whose clock was ahead", async () => {
    await using t = await start(KEEPS_NOTHING);
    const { clock, dataDir } = t.coffer;
    const lease = (expiresAt: number) =>
      changeDatabase(dataDir, `INSERT OR REPLACE INTO backup_lease VALUES (1, 'gone', ${expiresAt})`);
    await remove(t.drive, "one");
    age(t.coffer);
    lease(clock.now() + LEASE_MS);
    expect(await sweep(t.coffer)).toMatchObject({ blobs: 0 });
    expect(existsSync(fileOf(dataDir, digestOf("one", LARGE)))).toBe(true);
    clock.advance(LEASE_MS);
    expect(await sweep(t.coffer)).toMatchObject({ blobs: 1 });
    await remove(t.drive, "two");
    age(t.coffer);
    lease(clock.now() + 10 * LEASE_MS);
    expect(await sweep(t.coffer)).toMatchObject({ blobs: 1 });
  });

  it("ends although it may remove nothing, on a disk that is short of space", async (t) => {
    await t.coffer.restart({ "disk-reserve": "4000TiB" });
    await remove({ ...t.drive, client: t.coffer.client(t.drive.client.key) }, "one");
    age(t.coffer);
    changeDatabase(
      t.coffer.dataDir,
      `INSERT INTO backup_lease VALUES (1, 'running', ${t.coffer.clock.now() + LEASE_MS})`,
    );
    expect(await sweep(t.coffer)).toMatchObject({ blobs: 0 });
  });

  it("makes a backup fail that was held up for longer than its lease", async (t) => {
    const held = backUpAsStream(async () => t.coffer.clock.advance(LEASE_MS), optionsFor(t.coffer));
    expect(await refusalOf(held)).toContain("held up for too long");
  });
});

describe("a place", () => {
  test("keeps as many backups as wanted, each of them whole, and no content that none of them names", async () => {
    await using t = await start(KEEPS_NOTHING);
    const ids: string[] = [];
    for (let n = 0; n < 4; n++) {
      expect(await upload(t.drive, `f${n}`, LARGE)).toBe(201);
      ids.push((await t.backUp(2)).id);
      await remove(t.drive, `f${n}`);
      age(t.coffer);
      await sweep(t.coffer);
    }
    const kept = await keptBackups(new DirectoryPlace(t.place));
    expect(kept.map(({ id }): string => id)).toEqual(ids.slice(-2));
    const digests = filesIn(t.place).map(({ digest }) => digest);
    const expected = ["one", "two", "three", "f2", "f3"].map((name) => digestOf(name, LARGE));
    expect(digests.toSorted()).toEqual(expected.toSorted());
    for (const id of ids.slice(-2)) expect((await t.restore(id, id)).missing).toEqual([]);
    expect(await refusalOf(t.restore("old", ids[0]))).toContain(`no complete backup ${ids[0]}`);
  });

  it("loses no content while a list of contents in it is damaged", async (t) => {
    const { id } = await t.backUp();
    await truncate(join(t.place, "backups", id, "contents"), 71);
    expect(await refusalOf(t.backUp())).toContain("damaged");
    expect(filesIn(t.place)).toHaveLength(3);
  });

  it("has its newest backup last although the clock was set back", async (t) => {
    await t.backUp();
    expect(await upload(t.drive, "later", LARGE)).toBe(201);
    t.coffer.clock.set(-24 * 60 * 60 * 1000);
    const { id } = await t.backUp(1);
    expect((await t.restore("restored")).manifest.id).toBe(id);
  });
});

describe("a restore", () => {
  it("is refused into a directory that holds anything, and of a newer schema", async (t) => {
    const { id } = await t.backUp();
    await mkdir(t.at("full"));
    await writeFile(join(t.at("full"), "letter"), "");
    expect(await refusalOf(t.restore("full"))).toContain("holds letter");
    expect(await refusalOf(t.restore(t.coffer.dataDir))).toContain("Nothing has been changed");
    expect(await readdir(t.at("full"))).toEqual(["letter"]);
    const path = join(t.place, "backups", id, "manifest.json");
    const manifest = await Bun.file(path).json();
    expect(manifest.schema_version).toBe(MIGRATIONS.length);
    await Bun.write(path, JSON.stringify({ ...manifest, schema_version: MIGRATIONS.length + 1 }));
    expect(await refusalOf(t.restore("restored"))).toContain("newer than this executable");
    expect(existsSync(t.at("restored"))).toBe(false);
  });

  it("that was killed keeps a server from starting, and is done again", async (t) => {
    const held = await heldBy(t.drive.client, t.drive.id);
    await t.backUp();
    const pieces = await archiveOf(t.coffer);
    expect(await refusalOf(t.unpack(pieces.slice(0, 8), "restored"))).toContain("cut off");
    expect(existsSync(join(t.at("restored"), "coffer.db"))).toBe(false);
    await using other = await startAppliance();
    expect(await refusalOf(other.restart({ "data-dir": t.at("restored") }))).toContain("has not ended");
    expect((await t.unpack(pieces, "restored")).missing).toEqual([]);
    expect(await heldIn(t.at("restored"), t.drive)).toEqual(held);
    expect(await readdir(t.at("restored"))).not.toContain("restoring");
  });

  it("names what has rotted in the backup, and brings everything else back", async (t) => {
    const { id } = await t.backUp();
    await spoil(fileOf(t.place, digestOf("one", LARGE)));
    expect((await t.restore("restored")).missing).toMatchObject([
      { problem: expect.stringContaining("does not match"), files: [{ drive: t.drive.id, path: "one" }] },
    ]);
    const there = filesIn(t.at("restored")).map(({ digest }) => digest);
    expect(there.toSorted()).toEqual([digestOf("two", LARGE), digestOf("three", LARGE)].toSorted());
    await spoil(join(t.place, "backups", id, "coffer.db"));
    expect(await refusalOf(t.restore("another"))).toContain("coffer.db of the backup");
    expect(existsSync(join(t.at("another"), "coffer.db"))).toBe(false);
  });
});

describe("an archive", () => {
  it("is restored, also in pieces of any size, and unpacked it is a place", async (t) => {
    const held = await heldBy(t.drive.client, t.drive.id);
    const bytes = Buffer.concat(await archiveOf(t.coffer));
    const odd = Array.from({ length: Math.ceil(bytes.length / 777) }, (_, n) =>
      bytes.subarray(n * 777, (n + 1) * 777),
    );
    expect((await t.unpack(odd, "restored")).missing).toEqual([]);
    expect(await heldIn(t.at("restored"), t.drive)).toEqual(held);
    await new Bun.Archive(bytes).extract(t.place);
    expect((await t.restore("again")).missing).toEqual([]);
    expect(filesIn(t.at("again"))).toHaveLength(3);
    expect(rowsIn(t.at("again"), "PRAGMA integrity_check")).toEqual([["ok"]]);
  });

  it("that is none, or is damaged, is refused", async (t) => {
    const bytes = Buffer.concat(await archiveOf(t.coffer));
    expect(await refusalOf(t.unpack([Buffer.from("hello")], "a"))).toContain("cut off");
    expect(await refusalOf(t.unpack([Buffer.alloc(1024)], "a"))).toContain("no backup of Coffer");
    expect(existsSync(t.at("a"))).toBe(false);
    bytes[1024] = 0x7a;
    expect(await refusalOf(t.unpack([bytes], "a"))).toContain("the archive is damaged");
  });
});
