import { describe, expect } from "bun:test";
import { existsSync, rmSync } from "node:fs";
import { mkdir, rename, rm, stat, symlink, truncate, utimes, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import type { StoreId } from "../../src/domain/id.ts";
import { newId } from "../../src/domain/id.ts";
import { migrate, type MigrationEvent, type MigrationOptions } from "../../src/migration/migrate.ts";
import { ORPHAN_GRACE_MS } from "../../src/services/upkeep/sweep.ts";
import { changeDatabase } from "../support/faults/change-database.ts";
import { BucketAccess } from "../../src/blobs/bucket/bucket-access.ts";
import { systemClock } from "../../src/process/clock.ts";
import { NO_S3, optionsFor } from "../support/peers/s3-options.ts";
import { S3Server, SLOW_DOWN } from "../support/peers/s3-server.ts";
import { NO_SMALL_DISK, SmallDisk } from "../support/faults/small-disk.ts";
import { verified } from "../support/faults/verified.ts";
import { fileOf, filesIn, newContent } from "../support/samples/contents.ts";
import { refusalOf } from "../support/samples/failure.ts";
import { hashOf } from "../support/samples/hash.ts";
import { KEEPS_NOTHING, startAppliance } from "../support/server/appliance.ts";
import { runHere } from "../support/server/run-here.ts";
import { eventually, provision } from "../support/server/scenario.ts";
import { whyCannot, withReason } from "../support/server/skip.ts";
import {
  FAST_DIRECTORY,
  temporaryDirectory,
  threeDirectories,
} from "../support/server/temporary-directory.ts";
import { testWith } from "../support/server/test-with.ts";

const LARGE = 40_000;
const NO_TRACE = whyCannot(["strace", "-f", "-o", "/dev/null", "true"], "strace cannot run");

/** A Coffer whose contents are on the disk `a`, and two more directories. */
const it = testWith(async () => {
  const place = await temporaryDirectory(FAST_DIRECTORY);
  const [a, b, c] = await threeDirectories(place.path);
  const coffer = await startAppliance({ blobs: a, ...KEEPS_NOTHING });
  const { id: drive, key } = await provision(coffer);
  const stored = new Map<string, Uint8Array>();
  const read = async (path: string) => {
    const target = `/v0/files/by-path/download?drive_id=${drive}&path=${path}`;
    return coffer.client(key).fetch("GET", target);
  };
  return {
    coffer,
    a,
    b,
    c,
    place: place.path,
    use: (...disks: string[]) => coffer.restart({ blobs: disks.join(), ...KEEPS_NOTHING }),
    store: async (path: string, bytes = newContent(LARGE)) => {
      await coffer.client(key).put(drive, path, bytes);
      stored.set(path, bytes);
      return hashOf(bytes);
    },
    remove: (path: string) => {
      stored.delete(path);
      return coffer.client(key).delete(`/v0/files/by-path?drive_id=${drive}&path=${path}`);
    },
    read,
    /** All files must be what was stored. */
    requireAll: async () => {
      for (const [path, bytes] of stored) {
        const answer = await read(path);
        expect([path, answer.status, hashOf(await answer.bytes())]).toEqual([path, 200, hashOf(bytes)]);
      }
    },
    /** Moves contents. What was said and what came of it. */
    migrate: async (options: Partial<MigrationOptions> = {}) => {
      const said: MigrationEvent[] = [];
      const result = await migrate({
        dataDir: coffer.dataDir,
        to: null,
        diskReserve: 0,
        s3: NO_S3,
        rate: null,
        isFull: false,
        isDryRun: false,
        lingerMs: 0,
        clock: coffer.clock,
        signal: new AbortController().signal,
        ...options,
        tell: (event) => {
          said.push(event);
          options.tell?.(event);
        },
      });
      return { ...result, said };
    },
    recorded: async (): Promise<unknown> => Bun.file(join(coffer.dataDir, "disks")).json(),
    [Symbol.asyncDispose]: async () => {
      await coffer[Symbol.asyncDispose]();
      await place[Symbol.asyncDispose]();
    },
  };
});

/** The names of all files below a directory. */
function treeOf(directory: string): string[] {
  return [...new Bun.Glob("**/*").scanSync({ cwd: directory, dot: true })].toSorted();
}

it("what is on a former disk moves beside the server, with its age, and the disk is forgotten", async (t) => {
  const digests = await Promise.all(["1", "2", "3"].map((path) => t.store(path)));
  for (const digest of digests) await utimes(fileOf(t.a, digest), 1_700_000_000, 1_700_000_000);
  await t.coffer.restart({ blobs: t.b, "sweep-interval": "10ms" });
  await t.store("4");
  const { copied, removed, damaged, away, said } = await t.migrate();
  expect({ copied, removed, damaged, away }).toEqual({
    copied: { contents: 3, bytes: 3 * LARGE },
    removed: 3,
    damaged: 0,
    away: 0,
  });
  expect(said[0]).toMatchObject({ kind: "plan", missing: copied });
  expect([filesIn(t.a), filesIn(t.b).length]).toEqual([[], 4]);
  for (const digest of digests) expect((await stat(fileOf(t.b, digest))).mtimeMs).toBe(1_700_000_000_000);
  await t.requireAll();
  await eventually(() => t.coffer.lines.some((line) => line.includes("is forgotten")));
  expect(await t.recorded()).toEqual({ current: [t.b], former: [] });
  expect(await t.migrate()).toMatchObject({ all: { contents: 0 }, removed: 0 });
});

it("contents are copied ahead to a disk that is used later; then the rest is moved", async (t) => {
  const first = await t.store("first");
  const ahead = await t.migrate({ to: t.b });
  expect(ahead).toMatchObject({ copied: { contents: 1 }, removed: 0, areTargetsUsed: false });
  expect([existsSync(fileOf(t.a, first)), existsSync(fileOf(t.b, first))]).toEqual([true, true]);
  await t.store("second");
  expect(await t.migrate({ to: t.b })).toMatchObject({ copied: { contents: 1 }, present: 1 });
  await t.store("third");
  await t.use(t.b);
  expect(await t.migrate()).toMatchObject({ copied: { contents: 1 }, present: 2, removed: 3 });
  expect([filesIn(t.a), filesIn(t.b).length]).toEqual([[], 3]);
  await t.requireAll();
  expect(await verified(t.coffer.dataDir)).toEqual([]);
});

it("nothing is removed from a disk that is used, and no damaged copy hides a whole one", async (t) => {
  const digest = await t.store("1");
  await t.use(t.a, t.b);
  expect(await t.migrate({ to: t.b })).toMatchObject({ copied: { contents: 1 }, removed: 0 });
  expect([existsSync(fileOf(t.a, digest)), existsSync(fileOf(t.b, digest))]).toEqual([true, true]);
  await t.use(t.c, t.b);
  await truncate(fileOf(t.b, digest), 100);
  expect(await t.migrate()).toMatchObject({ copied: { contents: 1 }, removed: 1 });
  expect([existsSync(fileOf(t.c, digest)), existsSync(fileOf(t.b, digest))]).toEqual([false, true]);
  await t.requireAll();
});

it("one of several disks is emptied onto those that stay, and contents move back", async (t) => {
  for (let n = 0; n < 6; n += 1) await t.store(`${n}`);
  await t.use(t.b, t.c);
  expect(await t.migrate()).toMatchObject({ copied: { contents: 6 }, removed: 6 });
  expect(filesIn(t.b).length + filesIn(t.c).length).toBe(6);
  await t.use(t.a);
  expect(await t.recorded()).toMatchObject({ current: [t.a] });
  expect(await t.migrate()).toMatchObject({ removed: 6 });
  expect(filesIn(t.a)).toHaveLength(6);
  await t.requireAll();
});

it("the data directory can be left, and be moved back to", async (t) => {
  const { dataDir } = t.coffer;
  await t.store("1");
  await t.use(dataDir);
  await t.migrate();
  expect(filesIn(dataDir)).toHaveLength(1);
  await t.use(t.b);
  await t.migrate();
  expect(filesIn(dataDir)).toEqual([]);
  await t.use(t.b);
  expect(existsSync(join(dataDir, "blobs/identity"))).toBe(false);
  await t.migrate({ to: dataDir });
  await t.use(dataDir);
  await t.migrate();
  expect([filesIn(t.b), filesIn(dataDir).length]).toEqual([[], 1]);
  await t.requireAll();
});

it("a dry run, and a run without room, change nothing", async (t) => {
  for (const path of ["1", "2"]) await t.store(path);
  const before = treeOf(t.place);
  const plan = {
    kind: "plan",
    all: { contents: 2, bytes: 2 * LARGE },
    missing: { contents: 2, bytes: 2 * LARGE },
  };
  expect((await t.migrate({ to: t.b, isDryRun: true })).said).toMatchObject([plan]);
  expect(treeOf(t.place)).toEqual(before);
  await t.use(t.b, t.c);
  const former = treeOf(t.place);
  expect((await t.migrate({ isDryRun: true })).said).toMatchObject([plan]);
  const diskReserve = Number.MAX_SAFE_INTEGER;
  for (const to of [null, t.c]) {
    for (const isDryRun of [true, false]) {
      const refusal = await refusalOf(t.migrate({ to, diskReserve, isDryRun }));
      expect(refusal).toMatch(/^There is no room for 80000 bytes: 80000 bytes are missing/);
    }
  }
  expect(treeOf(t.place)).toEqual(former);
});

describe("what is damaged", () => {
  it("stays where it is and is named, until it is healed", async (t) => {
    const [cut, flipped] = [newContent(LARGE), newContent(LARGE)];
    const digests = [await t.store("cut", cut), await t.store("flipped", flipped)];
    await t.store("whole");
    await truncate(fileOf(t.a, digests[0] ?? ""), 100);
    await writeFile(fileOf(t.a, digests[1] ?? ""), newContent(LARGE));
    await t.use(t.b);
    const { damaged, removed, said } = await t.migrate();
    expect([damaged, removed]).toEqual([2, 1]);
    const named = said.flatMap((event) => (event.kind === "damaged" ? [event.about] : []));
    expect(named.toSorted()).toEqual(
      digests.map((digest) => `${fileOf(t.a, digest)} does not match its SHA-256`).toSorted(),
    );
    expect(filesIn(t.a)).toHaveLength(2);
    expect(treeOf(t.b).filter((name) => name.startsWith("tmp/"))).toEqual([]);
    // The same contents come again.
    await t.store("cut again", cut);
    await t.store("flipped again", flipped);
    expect(await t.migrate()).toMatchObject({ damaged: 0 });
    expect(filesIn(t.a)).toEqual([]);
    await t.requireAll();
  });

  it("at the new disk is written anew, if it has another size, if the server knows, or if all is read", async (t) => {
    const digests = await Promise.all(["1", "2", "3"].map((path) => t.store(path)));
    await t.migrate({ to: t.b });
    const [short = "", refused = "", flipped = ""] = digests;
    await truncate(fileOf(t.b, short), 100);
    for (const digest of [refused, flipped]) await writeFile(fileOf(t.b, digest), newContent(LARGE));
    changeDatabase(
      t.coffer.dataDir,
      `INSERT INTO damaged_content (digest, problem, state, found_at) VALUES ('${refused}', 'is wrong', '1', 1)`,
    );
    expect(await t.migrate({ to: t.b })).toMatchObject({ copied: { contents: 2 }, present: 1 });
    expect(await t.migrate({ to: t.b, isFull: true })).toMatchObject({ copied: { contents: 1 }, present: 2 });
    for (const { digest } of filesIn(t.b))
      expect(hashOf(await Bun.file(fileOf(t.b, digest)).bytes())).toBe(digest);
  });

  it("at the old disk goes once a whole one is at the new one", async (t) => {
    const digest = await t.store("1");
    await t.migrate({ to: t.b });
    await truncate(fileOf(t.a, digest), 100);
    await t.use(t.b);
    expect(await t.migrate()).toMatchObject({ damaged: 0, present: 1, removed: 1 });
    await t.requireAll();
  });
});

it("a disk that is away is named, and the others are moved", async (t) => {
  await t.store("1");
  await t.use(t.b);
  await t.store("2");
  await t.use(t.c);
  await rename(t.b, `${t.b}-gone`);
  const { away, removed, said } = await t.migrate();
  expect([away, removed, said[0]]).toEqual([
    1,
    1,
    { kind: "away", about: `${t.b}: it is missing, or not mounted` },
  ]);
  await rename(`${t.b}-gone`, t.b);
  expect(await t.migrate()).toMatchObject({ away: 0, removed: 1 });
  await rename(t.c, `${t.c}-gone`);
  expect(await refusalOf(t.migrate())).toMatch(/^No place that the contents could be moved to/);
});

it("what the server removes meanwhile does not come back for good", async (t) => {
  const digest = await t.store("1");
  await t.store("2");
  await t.use(t.b);
  const { sweep } = t.coffer.appliance.services;
  await t.remove("1");
  t.coffer.clock.advance(ORPHAN_GRACE_MS);
  await sweep.run();
  t.coffer.clock.advance(ORPHAN_GRACE_MS);
  // While it is read.
  const sweeps: Promise<unknown>[] = [];
  await t.migrate({ tell: ({ kind }) => kind === "copying" && sweeps.push(sweep.run()) });
  await Promise.all(sweeps);
  for (let part = 0; part < 64; part += 1) await sweep.run();
  expect([existsSync(fileOf(t.a, digest)), existsSync(fileOf(t.b, digest))]).toEqual([false, false]);
  await t.requireAll();
});

it("a server that starts with other disks meanwhile keeps what it had", async (t) => {
  const digest = await t.store("1");
  await t.use(t.b);
  const restarts: Promise<void>[] = [];
  const moving = t.migrate({
    lingerMs: 1,
    tell: ({ kind }) => kind === "copying" && restarts.length === 0 && restarts.push(writeRecord(t)),
  });
  expect(await refusalOf(moving)).toContain("started with other disks meanwhile");
  expect(existsSync(fileOf(t.a, digest))).toBe(true);
});

/** What a start of the server leaves that uses the old disk again. */
async function writeRecord({
  a,
  b,
  coffer,
}: {
  a: string;
  b: string;
  coffer: { dataDir: string };
}): Promise<void> {
  await Bun.write(join(coffer.dataDir, "disks"), JSON.stringify({ current: [a], former: [b] }));
}

describe.skipIf(NO_SMALL_DISK !== "")(withReason("a small disk", NO_SMALL_DISK), () => {
  it("that others fill ends the run with what is missing; with room it goes on", async (t) => {
    for (const path of ["1", "2", "3"]) await t.store(path, newContent(1024 * 1024));
    await using small = await SmallDisk.mount(8);
    const filled = t.migrate({ to: small.outside, tell: ({ kind }) => kind === "plan" && small.fill() });
    expect(await refusalOf(filled)).toMatch(/^There is no room for 3145728 bytes: \d+ bytes are missing/);
    expect(treeOf(small.outside).filter((name) => name.startsWith("tmp/"))).toEqual([]);
    small.clear();
    expect(await t.migrate({ to: small.outside })).toMatchObject({ copied: { contents: 3 } });
  });
});

describe("to a bucket", () => {
  it("contents are copied once each, whatever fails on the way, and each is checked there", async (t) => {
    await using server = await S3Server.start("a-bucket");
    const s3 = optionsFor(server);
    const digests = await Promise.all(["1", "2", "3"].map((path) => t.store(path)));
    const copy = (options: Partial<MigrationOptions> = {}) =>
      t.migrate({ to: "s3://a-bucket/p", s3, clock: systemClock, ...options });
    expect((await copy({ isDryRun: true })).said).toMatchObject([{ kind: "plan", missing: { contents: 3 } }]);
    expect([...server.objects.keys()]).toEqual([]);
    server.fault = (asked) => (asked.startsWith("PUT p/blobs") ? SLOW_DOWN : null);
    expect(await refusalOf(copy())).toMatch(
      /^The bucket cannot be reached .*run coffer blobs migrate again\.$/,
    );
    server.fault = () => null;
    expect(await copy()).toMatchObject({ removed: 0, areTargetsUsed: false, areBuckets: false });
    expect([...server.objects.keys()].filter((name) => name.startsWith("p/blobs/")).toSorted()).toEqual(
      digests.map((digest) => `p/blobs/${digest.slice(0, 2)}/${digest}`).toSorted(),
    );
    server.asked.splice(0);
    expect(await copy()).toMatchObject({ copied: { contents: 0 }, present: 3 });
    expect(server.asked.filter((asked) => /^(PUT|HEAD) p\/blobs/.test(asked))).toEqual([]);
    expect(treeOf(join(t.coffer.dataDir, "tmp"))).toEqual([]);
    expect(filesIn(t.a)).toHaveLength(3);
  });

  it("that is another store's, nothing is copied", async (t) => {
    await using server = await S3Server.start("a-bucket");
    await t.store("1");
    const s3 = optionsFor(server);
    const refused = () => refusalOf(t.migrate({ to: "s3://a-bucket/p", s3, clock: systemClock }));
    const access = new BucketAccess({ s3: { ...s3, prefix: "p/" }, store: null });
    await access.writeIdentity(newId<StoreId>(7));
    expect(await refused()).toMatch(/holds contents of another store/);
    expect([...server.objects.keys()]).toEqual(["p/identity"]);
    server.fault = () => SLOW_DOWN;
    expect(await refused()).not.toContain("another store");
  });
});

it("temporary files of a killed migration go with the next one, those of the server stay; a start removes both", async (t) => {
  await t.store("1");
  await t.use(t.b);
  const uuid = crypto.randomUUID();
  const [own, others] = [`coffer-migrate-${uuid}.tmp`, `coffer-${uuid}.tmp`];
  const make = () => Promise.all([own, others].map((name) => writeFile(join(t.b, "tmp", name), "x")));
  await make();
  await t.migrate();
  expect(treeOf(join(t.b, "tmp"))).toEqual([others]);
  await make();
  await t.use(t.b);
  expect(treeOf(join(t.b, "tmp"))).toEqual([]);
});

it("a content is copied again if a server that starts has removed its temporary file", async (t) => {
  await t.store("1");
  await t.use(t.b);
  let hasRemoved = false;
  const remove = ({ kind }: MigrationEvent) => {
    if (kind !== "copying" || hasRemoved) return;
    hasRemoved = true;
    const names = new Bun.Glob("coffer-migrate-*").scanSync(join(t.b, "tmp"));
    for (const name of names) rmSync(join(t.b, "tmp", name));
  };
  expect(await t.migrate({ tell: remove })).toMatchObject({ copied: { contents: 1 }, removed: 1 });
  expect(hasRemoved).toBe(true);
  await t.requireAll();
});

describe.skipIf(NO_TRACE !== "")(withReason("system calls", NO_TRACE), () => {
  it("a content that is at the new disk already is synced there before the old one goes", async (t) => {
    const digest = await t.store("1");
    // Whoever has put it there may have been killed before the sync.
    await t.migrate({ to: t.b });
    await t.use(t.b);
    await t.coffer.close();
    const log = join(t.place, "strace.log");
    const flags = ["-f", "-qq", "-y", "-e", "trace=fsync,unlink,unlinkat", "-o", log];
    const script = join(import.meta.dir, "../support/faults/migration-process.ts");
    const child = Bun.spawn(["strace", ...flags, process.execPath, script, t.coffer.dataDir, "1000000000"]);
    expect(await child.exited).toBe(0);
    const calls = (await Bun.file(log).text()).split("\n");
    const at = (...parts: string[]) => calls.findIndex((call) => parts.every((part) => call.includes(part)));
    const order = [
      at("fsync", `<${dirname(fileOf(t.b, digest))}>`),
      at("fsync", `<${join(t.b, "blobs")}>`),
      at("unlink", fileOf(t.a, digest)),
    ];
    expect(Math.min(...order)).toBeGreaterThan(-1);
    expect(order).toEqual(order.toSorted((one, other) => one - other));
  });
});

it("it can be stopped, and goes on", async (t) => {
  for (const path of ["1", "2", "3", "4", "5", "6"]) await t.store(path);
  await t.use(t.b);
  const stop = new AbortController();
  const stopped = t.migrate({ signal: stop.signal, tell: ({ kind }) => kind === "copying" && stop.abort() });
  expect(await refusalOf(stopped)).toContain("abort");
  await t.requireAll();
  expect(await t.migrate()).toMatchObject({ removed: 6 });
  await t.requireAll();
});

it("is refused for a place that it must not write to, and beside another one", async (t) => {
  await t.store("1");
  const refused = (to: string) => refusalOf(t.migrate({ to }));
  expect(await refused(join(t.place, "none"))).toMatch(/none for contents does not exist/);
  await writeFile(join(t.c, "letter.txt"), "dear friend");
  expect(await refused(t.c)).toMatch(/c for contents holds letter\.txt/);
  await rm(t.c, { recursive: true });
  await mkdir(join(t.c, "blobs"), { recursive: true });
  await writeFile(join(t.c, "blobs/identity"), newId<StoreId>(7));
  expect(await refused(t.c)).toMatch(/c\/blobs holds contents of another store/);
  await rm(t.c, { recursive: true });
  await mkdir(join(t.a, "inside"));
  expect(await refused(join(t.a, "inside"))).toMatch(/inside must not be in .*a, or around it/);
  await rm(join(t.a, "inside"), { recursive: true });
  await symlink(t.a, t.c);
  expect(await refused(t.c)).toMatch(/a and .*c are the same directory/);
  await rm(t.c);
  await mkdir(t.c);
  await t.use(t.b);
  expect(await refused(t.a)).toMatch(/a is no longer in COFFER_BLOBS/);
  await writeFile(join(t.a, "blobs/owner"), "/elsewhere\n");
  expect(await refusalOf(t.migrate())).toMatch(/a is used by the data directory \/elsewhere/);
  await writeFile(join(t.a, "blobs/owner"), `${dirname(t.coffer.dataDir)}/data\n`);
  const second: Promise<string>[] = [];
  await t.migrate({ tell: ({ kind }) => kind === "plan" && second.push(refusalOf(t.migrate())) });
  expect(await second[0]).toMatch(/are being moved already in process \d+/);
});

it("the command says what it did, what is left to do, and fails where contents stay", async (t) => {
  const { dataDir } = t.coffer;
  const command = (...flags: string[]) => runHere(["blobs", "migrate", ...flags], dataDir);
  const digest = await t.store("1");
  expect(await command()).toEqual({ code: 0, stdout: "There is nothing to move.\n", stderr: "" });
  const { stdout } = await command("--to", t.b, "--dry-run");
  expect(stdout).toMatch(
    /^Contents to look at: 1 \(0\.0 MiB\); to copy: 1 \(0\.0 MiB\)\. Room: [\d.]+ MiB\.\n$/,
  );
  expect((await command("--to", t.b, "--rate", "50MB", "--full")).stdout).toMatch(
    /^Copied: 1 .*; there before: 0; removed .*: 0\.\nNothing was removed\. Set COFFER_BLOBS/,
  );
  await writeFile(fileOf(t.a, digest), "short");
  await rm(fileOf(t.b, digest));
  const failed = await command("--to", t.b);
  expect([failed.code, failed.stderr]).toEqual([
    1,
    expect.stringMatching(
      /^ {2}damaged: .*\ncoffer: Damaged contents that stay where they are: 1\. .*again\.\n$/,
    ),
  ]);
  expect((await command("--rate", "fast")).stderr).toMatch(/^coffer: --rate must be a whole number/);
});
