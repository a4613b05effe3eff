import { describe, expect } from "bun:test";
import { readdir, rm } from "node:fs/promises";
import { join } from "node:path";
import { SHORTEST_GRACE_MS } from "../../src/services/upkeep/early-removal.ts";
import { changeDatabase, rowsIn } from "../support/faults/change-database.ts";
import { always, nth, type S3Fault, times } from "../support/peers/s3-server.ts";
import { flipped } from "../support/samples/blob-store-contract.ts";
import { filesIn } from "../support/samples/contents.ts";
import { contentOf } from "../support/faults/faults.ts";
import { refusalOf } from "../support/samples/failure.ts";
import { startAppliance } from "../support/server/appliance.ts";
import { BLOBS, IN_BUCKET, openBucketBackups } from "../support/server/bucket-backups.ts";
import { Random } from "../support/server/random.ts";
import { eventually } from "../support/server/scenario.ts";
import { longTest, someOf } from "../support/server/thorough.ts";
import { testWith } from "../support/server/test-with.ts";

/** Bytes of a content that is an object of its own. */
const LARGE = 20_000;
/** The test's server refuses what it is asked: this ends a backup there, as a kill does. */
const REFUSED: S3Fault = { kind: "answer", status: 403, code: "AccessDenied" };
/** A sweep looks at one for contents that no row names. */
const SHARDS = 256;
/** How many backups are made beside all else. */
const BACKUPS = 20;
/** How many uploads and deletions there are for each of them. */
const CHANGES = 10;
/** More requests than a backup of so few files makes. */
const MOST_REQUESTS = 100;

async function open() {
  const opened = await openBucketBackups();
  for (const name of ["a", "b", "c"]) expect(await opened.upload(name, contentOf(name, LARGE))).toBe(201);
  expect(await opened.upload("small", contentOf("small", 100))).toBe(201);
  return opened;
}

/** Where a backup can end: at its lease, that of an old one, and the manifests and the rest of both. */
const STEPS = [
  /^PUT one\/leases\//,
  /^DELETE one\/leases\//,
  /^PUT backups\/backups\/.*\/manifest/,
  /^DELETE backups\/backups\/.*\/manifest/,
  /^DELETE backups\/backups\/.*\/coffer.db/,
];

type Opened = Awaited<ReturnType<typeof open>>;

const it = testWith(open);

function digestOf(name: string): string {
  return Bun.SHA256.hash(contentOf(name, LARGE), "hex");
}

/** The object of a file's content. */
function objectOf(name: string): string {
  return `one/blobs/${digestOf(name).slice(0, 2)}/${digestOf(name)}`;
}

describe("a backup of a store in a bucket", () => {
  it("leaves contents there, whole, and is restored with them, wherever it is", async (t) => {
    const held = await t.held();
    for (const place of [t.directory, IN_BUCKET]) {
      t.bucket.asked.splice(0);
      const { id, ...made } = await t.backUp(place);
      expect(made).toMatchObject({
        contents: { count: 0 },
        left: { count: 3, bytes: 3 * LARGE },
        copied: 0,
        damaged: [],
      });
      expect(t.leases()).toContain(id);
      expect(t.bucket.asked.filter((asked) => /(GET|PUT) one\/blobs\//.test(asked))).toEqual([]);
    }
    expect(await readdir(t.at("place"))).not.toContain("blobs");
    await t.restore(IN_BUCKET, "one");
    expect(await t.restore(t.directory, "two")).toMatchObject({ missing: [], bucket: BLOBS });
    expect(await t.heldIn("two")).toEqual(held);
    expect(await t.heldIn("one")).toEqual(held);
    expect(await readdir(t.at("two"))).not.toContain("restoring");
  });

  it("copies them when asked to, and so does a restore; then the bucket is not needed", async (t) => {
    const held = await t.held();
    expect(await t.backUp(t.directory, 7, "copy")).toMatchObject({ copied: 3, left: { count: 0 } });
    expect(t.leases()).toEqual([]);
    await t.backUp(IN_BUCKET);
    expect(await t.restore(t.directory, "of a copy")).toMatchObject({ missing: [], bucket: null });
    expect(await t.restore(IN_BUCKET, "copied", "copy")).toMatchObject({ missing: [], bucket: null });
    t.bucket.objects.clear();
    for (const name of ["of a copy", "copied"]) expect(await t.heldIn(name, null)).toEqual(held);
  });

  it("copies what the bucket lacks and the cache still has, and names what nobody has", async (t) => {
    await t.held();
    for (const name of ["a", "b"]) t.bucket.objects.delete(objectOf(name));
    await rm(join(t.coffer.dataDir, "cache", digestOf("b").slice(0, 2)), { recursive: true, force: true });
    expect(await t.backUp(t.directory)).toMatchObject({
      copied: 1,
      left: { count: 1 },
      damaged: [{ sha256: digestOf("b"), files: [{ path: "b" }] }],
    });
    expect(filesIn(t.at("place")).map(({ digest }) => digest)).toEqual([digestOf("a")]);
    expect((await t.restore(t.directory, "restored")).missing).toMatchObject([{ files: [{ path: "b" }] }]);
  });

  it("keeps them there when the store moves out of the bucket, until it is removed", async (t) => {
    await t.backUp(t.directory);
    await t.coffer.restart({ blobs: t.coffer.dataDir });
    expect(await t.upload("d", contentOf("d", LARGE))).toBe(201);
    expect(await t.migrate()).toMatchObject({ copied: { contents: 3 }, removed: 0, leased: 3 });
    await t.remove("c");
    await t.sweep();
    expect(await t.check(t.directory, true)).not.toContainEqual(expect.stringContaining("content-"));
    // Nothing is left in a bucket that is to be emptied.
    expect(await t.backUp(t.directory, 1)).toMatchObject({ copied: 3, left: { count: 0 } });
    expect(t.leases()).toEqual([]);
    await t.sweep();
    expect(t.blobs()).not.toContain(digestOf("c"));
    expect(await t.migrate()).toMatchObject({ copied: { contents: 0 }, removed: 2, leased: 0 });
    expect(t.blobs()).toEqual([]);
  });

  it("is refused among the contents", async (t) => {
    const inside = { kind: "s3", bucket: "a-bucket", prefix: "one/backups/" } as const;
    expect(await refusalOf(t.backUp(inside))).toContain("where the contents are");
  });
});

describe("a restore of a backup whose contents are in a bucket", () => {
  it("names what is missing there or has another size, also when it copies", async (t) => {
    await t.backUp(t.directory);
    t.bucket.objects.delete(objectOf("a"));
    t.bucket.objects.set(objectOf("b"), new Uint8Array(LARGE - 1));
    const wrong = [{ files: [{ path: "a" }] }, { files: [{ path: "b" }] }];
    for (const way of ["leave", "copy"] as const) {
      const { missing } = await t.restore(t.directory, way, way);
      expect(missing.toSorted((one, other) => (paths(one) < paths(other) ? -1 : 1))).toMatchObject(wrong);
    }
    // Of the same size: only its bytes tell.
    t.bucket.objects.set(objectOf("c"), new Uint8Array(LARGE));
    expect((await t.restore(t.directory, "sizes")).missing).toHaveLength(2);
    expect((await t.restore(t.directory, "bytes", "copy")).missing).toHaveLength(3);
  });

  it("is refused while the bucket is away or another store's, and goes on later", async (t) => {
    const held = await t.held();
    await t.backUp(t.directory);
    t.bucket.fault = always(REFUSED, /one\/identity/);
    expect(await refusalOf(t.restore(t.directory, "restored"))).toContain("cannot be used");
    t.bucket.fault = () => null;
    const identity = t.bucket.objects.get("one/identity") ?? new Uint8Array();
    t.bucket.objects.set("one/identity", Buffer.from("another"));
    expect(await refusalOf(t.restore(t.directory, "restored"))).toContain("of another store");
    t.bucket.objects.set("one/identity", identity);
    await t.restore(t.directory, "restored");
    expect(await t.heldIn("restored")).toEqual(held);
  });

  it("is refused if its manifest names no bucket", async (t) => {
    const { id } = await t.backUp(t.directory);
    const path = join(t.at("place"), "backups", id, "manifest.json");
    const text = await Bun.file(path).text();
    await Bun.write(path, text.replace(BLOBS, "/etc"));
    expect(await refusalOf(t.restore(t.directory, "restored"))).toContain("is damaged");
  });

  it("makes a store that does not start without its bucket", async (t) => {
    await t.backUp(t.directory);
    await t.restore(t.directory, "restored");
    await t.coffer.close();
    await using other = await startAppliance();
    expect(await refusalOf(other.restart({ "data-dir": t.at("restored") }))).toContain(
      "there are no credentials for it",
    );
  });
});

function paths({ files }: { readonly files: readonly { readonly path: string }[] }): string {
  return files.map(({ path }) => path).join(" ");
}

describe("the check of a backup", () => {
  it("finds what is missing or wrong of it, where it is, and says how much it reads", async (t) => {
    const { id } = await t.backUp(t.directory);
    const all = 3 * LARGE + sizeIn(join(t.at("place"), "backups", id));
    expect(await t.check(t.directory, false)).toEqual([
      `note the backup ${id} with 3 contents is only listed; with --full all ${all} bytes of it are read`,
    ]);
    expect(await t.check(t.directory, true)).toEqual([
      `note all ${all} bytes of the backup ${id} with 3 contents are read`,
    ]);
    t.bucket.objects.delete(objectOf("a"));
    t.bucket.objects.set(objectOf("b"), new Uint8Array(LARGE));
    t.bucket.objects.delete(`one/leases/${id}`);
    expect(await findingsOf(t, false)).toEqual([
      expect.stringMatching(/^backup-damaged its lease is missing/),
      expect.stringMatching(new RegExp(`^content-missing ${digestOf("a")}: `)),
    ]);
    expect(await findingsOf(t, true)).toEqual([
      expect.stringMatching(/^backup-damaged its lease is missing/),
      expect.stringMatching(new RegExp(`^content-(missing ${digestOf("a")}|damaged ${digestOf("b")}): `)),
      expect.stringMatching(new RegExp(`^content-(missing ${digestOf("a")}|damaged ${digestOf("b")}): `)),
    ]);
  });

  it("finds wrong parts, lists and copies", async (t) => {
    const { id } = await t.backUp(t.directory, 7, "copy");
    const at = (...names: string[]) => join(t.at("place"), ...names);
    expect((await t.check(t.directory, true)).length).toBe(1);
    await spoil(at("backups", id, "coffer.db"));
    await spoil(at("blobs", digestOf("a").slice(0, 2), digestOf("a")));
    await rm(at("blobs", digestOf("b").slice(0, 2), digestOf("b")));
    expect(await findingsOf(t, false)).toEqual([expect.stringContaining(digestOf("b"))]);
    expect(await findingsOf(t, true)).toHaveLength(3);
    await spoil(at("backups", id, "contents"));
    expect(await findingsOf(t, false)).toEqual([expect.stringMatching(/^backup-damaged contents /)]);
  });
});

async function findingsOf(t: Opened, isFull: boolean): Promise<string[]> {
  return (await t.check(t.directory, isFull)).filter((line) => !line.startsWith("note"));
}

/** Bytes of all files in a directory, without its manifest. */
function sizeIn(path: string): number {
  const names = [...new Bun.Glob("*").scanSync(path)].filter((name) => name !== "manifest.json");
  return names.reduce((sum, name) => sum + Bun.file(join(path, name)).size, 0);
}

/** Overwrites a bit of a file. */
async function spoil(path: string): Promise<void> {
  await Bun.write(path, flipped(await Bun.file(path).bytes()));
}

describe("the collection of contents", () => {
  it("leaves what a backup needs, until that is removed, and no longer", async (t) => {
    const held = await t.held();
    await t.backUp(t.directory);
    for (const name of ["a", "b"]) await t.remove(name);
    await t.upload("later", contentOf("later", LARGE));
    await t.remove("later");
    await t.sweep();
    expect(t.blobs()).toEqual(["a", "b", "c"].map(digestOf).toSorted());
    // Also after a restart, and with the copies of the lists lost.
    await t.coffer.restart();
    await rm(join(t.coffer.dataDir, "leases"), { recursive: true });
    for (const name of t.bucket.objects.keys()) t.bucket.writtenAt.set(name, 1);
    for (let shard = 0; shard < SHARDS; shard++) await t.sweep();
    expect(t.blobs()).toEqual(["a", "b", "c"].map(digestOf).toSorted());
    expect(t.coffer.lines.filter((line) => line.includes("knows too few"))).toEqual([]);
    await t.restore(t.directory, "restored");
    expect(await t.backUp(t.directory, 1)).toMatchObject({ pruned: { backups: 1 } });
    expect(t.leases()).toHaveLength(1);
    await t.upload("b", contentOf("b", LARGE));
    await t.sweep();
    expect(t.blobs()).toEqual(["b", "c"].map(digestOf).toSorted());
    expect(Object.keys(await t.held())).toEqual(["b", "c", "small"]);
    expect(Object.keys(held)).toContain("a");
  });

  it("leaves it also to a backup in another place, of which this one knows nothing", async (t) => {
    await t.backUp(t.directory);
    await t.remove("a");
    await t.backUp(IN_BUCKET, 1);
    await t.backUp(IN_BUCKET, 1);
    await t.sweep();
    expect(t.blobs()).toContain(digestOf("a"));
    expect((await t.restore(t.directory, "restored")).missing).toEqual([]);
  });

  it("is not misled by a list of leases that lacks one, and removes nothing while one is damaged", async (t) => {
    const { id } = await t.backUp(t.directory);
    await t.remove("a");
    await t.sweep();
    t.bucket.fault = always(
      { kind: "answer", status: 200, code: "", body: "<ListBucketResult/>" },
      /^GET \?.*prefix=one%2Fleases/,
    );
    await t.remove("b");
    await t.sweep();
    t.bucket.fault = () => null;
    expect(t.blobs()).toHaveLength(3);
    const lease = t.bucket.objects.get(`one/leases/${id}`) ?? new Uint8Array();
    t.bucket.objects.set(`one/leases/${id}`, lease.with(3, 255 - (lease[3] ?? 0)));
    await t.coffer.restart();
    await rm(join(t.coffer.dataDir, "leases"), { recursive: true });
    await t.remove("c");
    await t.sweep();
    expect(t.blobs()).toHaveLength(3);
    expect(t.coffer.lines.some((line) => line.includes(`one/leases/${id} is damaged`))).toBe(true);
  });

  it("never loses what a whole backup needs, and keeps no lease without one, wherever a backup ends", async (t) => {
    for (const step of someOf(STEPS, 3)) {
      const asked = await tryBackupThatEnds(t, String(step), times(1, REFUSED, step));
      expect([step, asked.some((each) => step.test(each))]).toEqual([step, true]);
    }
  });

  it("leaves it although its owner has let go of more than fits", async (t) => {
    await t.backUp(t.directory);
    await t.upload("later", contentOf("later", LARGE));
    for (const name of ["a", "later"]) await t.removeNow(name);
    changeDatabase(t.coffer.dataDir, "UPDATE drive SET released_size = 1000000000");
    await t.sweep();
    t.coffer.clock.advance(SHORTEST_GRACE_MS);
    await t.sweep();
    // Long before the usual time.
    expect(rowsIn(t.coffer.dataDir, "SELECT digest FROM blob WHERE refs = 0")).toEqual([]);
    expect(t.blobs()).toEqual(["a", "b", "c"].map(digestOf).toSorted());
  });
});

/**
 * Makes a backup whose place keeps one, and ends it with a fault. What it needs is deleted meanwhile; then another one is
 * made. Returns what the bucket was asked meanwhile.
 */
async function tryBackupThatEnds(t: Opened, seed: string, fault: (asked: string) => S3Fault | null) {
  await t.backUp(IN_BUCKET, 1);
  expect(await t.upload("f", contentOf(seed, LARGE))).toBe(201);
  t.bucket.asked.splice(0);
  t.bucket.fault = fault;
  await Promise.allSettled([t.backUp(IN_BUCKET, 1)]);
  t.bucket.fault = () => null;
  const asked = t.bucket.asked.splice(0);
  await t.remove("f");
  await t.sweep();
  const complete = await t.complete();
  expect([seed, complete.length]).not.toEqual([seed, 0]);
  expect([seed, complete.filter((id) => !t.leases().includes(id))]).toEqual([seed, []]);
  expect([seed, (await t.restore(IN_BUCKET, `restored ${crypto.randomUUID()}`)).missing]).toEqual([seed, []]);
  await t.backUp(IN_BUCKET, 1);
  expect([seed, t.leases()]).toEqual([seed, await t.complete()]);
  await t.sweep();
  expect([seed, t.blobs()]).toEqual([seed, ["a", "b", "c"].map(digestOf).toSorted()]);
  return asked;
}

const longIt = testWith(open, longTest);

longIt("wherever a request is refused, a whole backup has all that it needs", async (t) => {
  for (let number = 1, wasHit = true; wasHit; number++) {
    const asked = await tryBackupThatEnds(t, `number ${number}`, nth(number, REFUSED));
    wasHit = asked.length >= number;
    expect(number).toBeLessThan(MOST_REQUESTS);
  }
});

longIt("whatever is deleted and collected while backups are made, each of them is whole", async (t) => {
  const random = new Random(7);
  const state = { isOver: false, sweeps: 0, backups: 0 };
  // Some answers come late, so that things happen in every order.
  t.bucket.fault = () =>
    random.below(4) === 0 ? { kind: "late", until: Bun.sleep(random.below(30)) } : null;
  const sweeping = (async () => {
    while (!state.isOver) {
      changeDatabase(t.coffer.dataDir, "UPDATE blob SET orphaned_at = 1 WHERE refs = 0");
      await t.sweep();
      state.sweeps += 1;
    }
  })();
  const changing = (async () => {
    for (let n = 0; !state.isOver; n++) {
      const name = `f${random.below(6)}`;
      await eventually(() => state.isOver || n < (state.backups + 1) * CHANGES);
      // Some come again, most do not.
      const seed = random.below(4) === 0 ? random.below(8) : `new ${n}`;
      if (random.below(2) === 0) await t.upload(name, contentOf(String(seed), LARGE));
      else await t.removeNow(name);
    }
  })();
  for (let n = 0; n < BACKUPS; n++) {
    await t.backUp(n % 2 === 0 ? IN_BUCKET : t.directory, 5);
    state.backups += 1;
    // None removes anything while a backup is made.
    const until = state.sweeps + random.below(4);
    await eventually(() => state.sweeps >= until);
  }
  state.isOver = true;
  await Promise.all([sweeping, changing]);
  t.bucket.fault = () => null;
  await t.sweep();
  for (const place of [IN_BUCKET, t.directory]) {
    for (const id of await t.completeIn(place)) {
      const { missing } = await t.restore(place, id, "leave", id);
      expect([id, missing]).toEqual([id, []]);
    }
  }
  expect(t.leases()).toHaveLength(10);
});
