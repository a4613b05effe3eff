import { expect } from "bun:test";
import { existsSync } from "node:fs";
import { cp, mkdir, rename, rm, symlink, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { newId, type StoreId } from "../../src/domain/id.ts";
import { ORPHAN_GRACE_MS } from "../../src/services/upkeep/sweep.ts";
import { fileOf, filesIn, newContent } from "../support/samples/contents.ts";
import { refusalOf } from "../support/samples/failure.ts";
import { hashOf } from "../support/samples/hash.ts";
import { KEEPS_NOTHING, startAppliance } from "../support/server/appliance.ts";
import { eventually, provision } from "../support/server/scenario.ts";
import {
  FAST_DIRECTORY,
  temporaryDirectory,
  threeDirectories,
} from "../support/server/temporary-directory.ts";
import { testWith } from "../support/server/test-with.ts";

const LARGE = 40_000;

/** A Coffer with two disks, and directories for more. The first disk that is listed gets the next content. */
const it = testWith(async () => {
  const place = await temporaryDirectory(FAST_DIRECTORY);
  const [a, b, c] = await threeDirectories(place.path);
  const coffer = await startAppliance({ blobs: `${a},${b}`, "scrub-interval": "1h" });
  const { id: drive, key } = await provision(coffer);
  const use = (...disks: string[]) => coffer.restart({ blobs: disks.join() });
  return {
    coffer,
    place: place.path,
    a,
    b,
    c,
    use,
    /** Stores a content in a file, and says what its download must be. */
    store: async (path: string) => {
      const bytes = newContent(LARGE);
      await coffer.client(key).put(drive, path, bytes);
      return { digest: hashOf(bytes), bytes };
    },
    drive,
    client: () => coffer.client(key),
    remove: (path: string) => coffer.client(key).delete(`/v0/files/by-path?drive_id=${drive}&path=${path}`),
    /** The status of a download, and for how long it is to be waited for. */
    download: async (path: string) => {
      const target = `/v0/files/by-path/download?drive_id=${drive}&path=${path}`;
      const answer = await coffer.client(key).fetch("GET", target);
      await answer.body?.cancel();
      return [answer.status, answer.headers.get("retry-after")];
    },
    /** Starts with some disks; what is said, which is one line. */
    refusal: async (...disks: string[]) => {
      const said = await refusalOf(use(...disks));
      expect(said).not.toContain("\n");
      return said;
    },
    take: (disk: string) => rename(disk, `${disk}-gone`),
    bringBack: async (disk: string) => {
      await rm(disk, { recursive: true, force: true });
      await rename(`${disk}-gone`, disk);
    },
    recorded: async (): Promise<unknown> => Bun.file(join(coffer.dataDir, "disks")).json(),
    [Symbol.asyncDispose]: async () => {
      await coffer[Symbol.asyncDispose]();
      await place[Symbol.asyncDispose]();
    },
  };
});

it("contents are on the disks, the database is in the data directory, and both are marked", async (t) => {
  const first = await t.store("first.bin");
  await t.use(t.b, t.a);
  const second = await t.store("second.bin");
  expect(filesIn(t.a).map(({ digest }) => digest)).toEqual([first.digest]);
  expect(filesIn(t.b).map(({ digest }) => digest)).toEqual([second.digest]);
  expect([await t.download("first.bin"), await t.download("second.bin")]).toEqual([
    [200, null],
    [200, null],
  ]);
  expect(existsSync(join(t.coffer.dataDir, "blobs"))).toBe(false);
  expect(await t.recorded()).toEqual({ current: [t.b, t.a], former: [] });
  const identities = await Promise.all(
    [t.a, t.b].map((disk) => Bun.file(join(disk, "blobs/identity")).text()),
  );
  expect(new Set(identities).size).toBe(1);
  expect(t.coffer.lines.filter((line) => line.includes("a new disk is used"))).toHaveLength(2);
});

it("a disk is added by a start that lists it", async (t) => {
  const { digest } = await t.store("first.bin");
  await t.use(t.c, t.a, t.b);
  const added = await t.store("added.bin");
  expect([existsSync(fileOf(t.a, digest)), existsSync(fileOf(t.c, added.digest))]).toEqual([true, true]);
  expect(await t.download("first.bin")).toEqual([200, null]);
});

it("a store with one directory grows onto others, if that stays one of them", async (t) => {
  await using small = await startAppliance();
  const { id, key } = await provision(small);
  const put = (path: string) => small.client(key).put(id, path, newContent(LARGE));
  await put("a.bin");
  expect(existsSync(join(small.dataDir, "disks"))).toBe(false);
  await small.restart({ blobs: `${t.c},${small.dataDir}` });
  await put("b.bin");
  expect([filesIn(t.c).length, filesIn(small.dataDir).length]).toEqual([1, 1]);
  // The data directory may be moved.
  const disks = Bun.file(join(small.dataDir, "disks"));
  expect(await disks.json()).toEqual({ current: [t.c, "."], former: [] });
  await small.restart({ blobs: t.c });
  expect(await disks.json()).toEqual({ current: [t.c], former: ["."] });
  expect(
    (await small.client(key).fetch("GET", `/v0/files/by-path/download?drive_id=${id}&path=a.bin`)).status,
  ).toBe(200);
});

it("a store with nothing but small contents moves to other disks", async (t) => {
  await using small = await startAppliance();
  const { id, key } = await provision(small);
  await small.client(key).put(id, "a.txt", "small");
  await small.restart({ blobs: t.c });
  await small.client(key).put(id, "b.bin", newContent(LARGE));
  expect(filesIn(t.c)).toHaveLength(1);
});

it("a disk that is away at the start makes its contents unavailable, until it is back", async (t) => {
  await t.store("on-a.bin");
  await t.use(t.b, t.a);
  await t.store("on-b.bin");
  for (const mountPoint of [false, true]) {
    await t.take(t.b);
    if (mountPoint) await mkdir(t.b);
    await t.use(t.b, t.a);
    expect(await t.download("on-b.bin")).toEqual([503, "5"]);
    expect(await t.download("on-a.bin")).toEqual([200, null]);
    await t.store(`new-${mountPoint}.bin`);
    expect(t.coffer.lines.filter((line) => line.includes("a disk cannot be used"))).toHaveLength(
      mountPoint ? 2 : 1,
    );
    await t.bringBack(t.b);
    await t.coffer.appliance.services.health.watch();
    expect(await t.download("on-b.bin")).toEqual([200, null]);
  }
  expect(t.coffer.lines.filter((line) => line.includes("a disk of contents is back"))).toHaveLength(2);
});

it("what is away is not checked, not counted as missing, not damaged, and not removed", async (t) => {
  await t.use(t.b, t.a);
  const { digest } = await t.store("on-b.bin");
  await t.store("another.bin");
  await t.take(t.b);
  await t.use(t.b, t.a);
  const { missingContents, scrub, sweep } = t.coffer.appliance.services;
  await missingContents.check();
  await scrub.run();
  t.coffer.clock.advance(2 * 3_600_000);
  await scrub.run();
  await sweep.run();
  expect(scrub.status()).toMatchObject({ damaged: 0 });
  expect([missingContents.hasMany(), await t.download("on-b.bin")]).toEqual([false, [503, "5"]]);
  await t.bringBack(t.b);
  await t.coffer.appliance.services.health.watch();
  expect(await t.download("on-b.bin")).toEqual([200, null]);
  expect(existsSync(fileOf(t.b, digest))).toBe(true);
  expect(t.coffer.lines.filter((line) => line.includes("missing"))).toHaveLength(1);
});

it("what was deleted while its disk was away is removed once that is back", async (t) => {
  await t.use(t.b, t.a);
  const { digest } = await t.store("on-b.bin");
  await t.store("another.bin");
  await t.take(t.b);
  await t.coffer.restart({ blobs: `${t.b},${t.a}`, ...KEEPS_NOTHING });
  await t.remove("on-b.bin");
  const { sweep, health } = t.coffer.appliance.services;
  t.coffer.clock.advance(ORPHAN_GRACE_MS);
  await sweep.run();
  t.coffer.clock.advance(ORPHAN_GRACE_MS);
  expect((await sweep.run()).blobs).toBe(1);
  await t.bringBack(t.b);
  await health.watch();
  expect(existsSync(fileOf(t.b, digest))).toBe(true);
  // Each looks at another part of the contents.
  for (let part = 0; part < 64; part += 1) await sweep.run();
  expect(filesIn(t.b)).toHaveLength(1);
  expect(existsSync(fileOf(t.b, digest))).toBe(false);
});

it("a text that is away while the index is made is found once it is back", async (t) => {
  await t.use(t.b, t.a);
  await t.client().put(t.drive, "text.txt", `${"word ".repeat(4000)} needle`);
  await t.coffer.close();
  for (const end of ["", "-wal", "-shm"])
    await rm(join(t.coffer.dataDir, `search.db${end}`), { force: true });
  await t.take(t.b);
  await t.use(t.b, t.a);
  const found = () => t.client().paths(`/v0/search?drive_id=${t.drive}&q=needle`);
  const { indexer, health } = t.coffer.appliance.services;
  await eventually(() => t.coffer.lines.some((line) => line.includes("the search index is filled")));
  expect(await found()).toEqual([]);
  expect(t.coffer.lines.filter((line) => line.includes("could not be indexed"))).toEqual([]);
  await t.bringBack(t.b);
  await health.watch();
  t.coffer.clock.advance(61_000);
  await indexer.retryDocuments();
  await eventually(async () => (await found()).length === 1);
});

it("what was said of a content that is away can be read, and its lines are found once it is back", async (t) => {
  await t.use(t.b, t.a);
  const text = `${"first line\n".repeat(4000)}haystack\n`;
  const { id } = await t.client().put<{ id: string }>(t.drive, "text.txt", text);
  await t.client().post(`/v0/files/${id}/comments`, { text: "Hm.", start_line: 1 });
  await t.take(t.b);
  await t.use(t.a, t.b);
  await t.client().put(t.drive, "text.txt", `changed\n${text}`, 200);
  const { data } = await t.client().get<{ data: object[] }>(`/v0/files/${id}/comments`);
  expect(data).toMatchObject([{ text: "Hm.", current_start_line: null, outdated: null }]);
  await t.bringBack(t.b);
  await t.coffer.appliance.services.health.watch();
  const again = await t.client().get<{ data: object[] }>(`/v0/files/${id}/comments`);
  expect(again.data).toMatchObject([{ text: "Hm.", current_start_line: 2, outdated: false }]);
});

it("a disk that is not listed any more is read and emptied, gets nothing new, and is forgotten once it is empty", async (t) => {
  const { digest } = await t.store("on-a.bin");
  await t.coffer.restart({ blobs: t.b, ...KEEPS_NOTHING });
  expect(await t.recorded()).toEqual({ current: [t.b], former: [t.a] });
  const said = t.coffer.lines.filter((line) => line.includes("still holds contents"));
  expect(said).toEqual([expect.stringContaining(`"disk":"${t.a}"`)]);
  const { digest: added } = await t.store("added.bin");
  const onlyB = [existsSync(fileOf(t.a, added)), existsSync(fileOf(t.b, added))];
  expect([onlyB, await t.download("on-a.bin")]).toEqual([
    [false, true],
    [200, null],
  ]);
  await t.remove("on-a.bin");
  const { sweep } = t.coffer.appliance.services;
  for (const _ of [1, 2]) {
    t.coffer.clock.advance(ORPHAN_GRACE_MS);
    await sweep.run();
  }
  expect(existsSync(fileOf(t.a, digest))).toBe(false);
  await t.use(t.b);
  expect(await t.recorded()).toEqual({ current: [t.b], former: [] });
  expect(["identity", "owner"].map((name) => existsSync(join(t.a, "blobs", name)))).toEqual([false, false]);
  expect(t.coffer.lines.filter((line) => line.includes("is forgotten"))).toHaveLength(1);
  await t.use(t.a, t.b);
  expect(await t.download("added.bin")).toEqual([200, null]);
});

it("a server forgets a disk that is emptied beside it, but none that goes away", async (t) => {
  const { digest } = await t.store("on-a.bin");
  await t.coffer.restart({ blobs: t.b, "sweep-interval": "10ms" });
  await t.take(t.a);
  await t.coffer.appliance.services.health.watch();
  expect(await t.download("on-a.bin")).toEqual([503, "5"]);
  expect(await t.recorded()).toEqual({ current: [t.b], former: [t.a] });
  await t.bringBack(t.a);
  await mkdir(dirname(fileOf(t.b, digest)), { recursive: true });
  await rename(fileOf(t.a, digest), fileOf(t.b, digest));
  await eventually(() => t.coffer.lines.some((line) => line.includes("is forgotten")));
  expect(await t.recorded()).toEqual({ current: [t.b], former: [] });
  expect(await t.download("on-a.bin")).toEqual([200, null]);
});

it("a disk that is not listed any more may be away: its contents are unavailable, until it is forgotten on demand", async (t) => {
  await t.store("on-a.bin");
  const { a, b } = t;
  await t.take(a);
  await t.use(b);
  expect(await t.download("on-a.bin")).toEqual([503, "5"]);
  expect(await t.recorded()).toEqual({ current: [b], former: [a] });
  await t.coffer.restart({ blobs: b }, { forgetDisks: true });
  expect(await t.recorded()).toEqual({ current: [b], former: [] });
  expect((await t.download("on-a.bin"))[0]).toBe(500);
  await t.use(b);
  // By another path.
  await rename(`${a}-gone`, `${a}-moved`);
  await t.use(b, `${a}-moved`);
  await t.coffer.appliance.services.scrub.run();
  expect(await t.download("on-a.bin")).toEqual([200, null]);
});

it("a disk that is listed by another name is not taken for another one", async (t) => {
  await t.store("on-a.bin");
  await symlink(t.a, `${t.a}-link`);
  await t.use(t.b, `${t.a}-link`);
  expect(await t.recorded()).toEqual({ current: [t.b, `${t.a}-link`], former: [] });
  expect(await t.download("on-a.bin")).toEqual([200, null]);
});

it("a damaged content of a former disk is healed on another one", async (t) => {
  const { digest, bytes } = await t.store("on-a.bin");
  await t.use(t.b);
  await writeFile(fileOf(t.a, digest), "damaged");
  expect((await t.download("on-a.bin"))[0]).toBe(500);
  await t.client().put(t.drive, "again.bin", bytes);
  expect([existsSync(fileOf(t.a, digest)), existsSync(fileOf(t.b, digest))]).toEqual([false, true]);
  expect(await t.download("on-a.bin")).toEqual([200, null]);
});

it("a disk of another data directory is refused, until it is taken over", async (t) => {
  const { a, b, coffer, place } = t;
  await t.store("on-a.bin");
  await coffer.close();
  const other = join(place, "other");
  await cp(coffer.dataDir, other, { recursive: true });
  const start = (options = {}) => coffer.restart({ "data-dir": other, blobs: `${a},${b}` }, options);
  expect(await refusalOf(start())).toMatch(
    /The disk .*a is used by the data directory .*data\. .*--forget-disks/,
  );
  expect(await refusalOf(coffer.restart({ "data-dir": other, blobs: b }))).toMatch(
    /The disk .*[ab] is used by/,
  );
  // As a backup that is restored, which knows no disks.
  await rm(join(other, "disks"));
  expect(await refusalOf(start())).toMatch(/The disk .*a is used by the data directory/);
  await start({ forgetDisks: true });
  await start();
  expect(await t.download("on-a.bin")).toEqual([200, null]);
  await coffer.close();
  expect(await t.refusal(a, b)).toMatch(new RegExp(`is used by the data directory ${other}`));
  await using alone = await startAppliance();
  await alone.close();
  await rm(join(alone.dataDir, "coffer.db"));
  await cp(join(other, "coffer.db"), join(alone.dataDir, "coffer.db"));
  expect(await t.refusal(alone.dataDir)).toMatch(/is another data directory/);
});

it("an empty disk may be left out", async (t) => {
  await t.store("on-a.bin");
  await t.use(t.a);
  expect(await t.download("on-a.bin")).toEqual([200, null]);
  expect(await t.recorded()).toEqual({ current: [t.a], former: [] });
});

it("a start with all disks away, with another store's, with a foreign one or with none is refused", async (t) => {
  const { a, b, c, refusal } = t;
  await t.store("on-a.bin");
  await writeFile(join(c, "letter.txt"), "dear friend");
  expect(await refusal(a, b, c)).toMatch(/c for contents holds letter\.txt, but no contents of Coffer/);
  await rm(c, { recursive: true });
  expect(await refusal(a, b, c)).toMatch(/c for contents does not exist/);
  await symlink(a, c);
  expect(await refusal(a, b, c)).toMatch(/a and .*c are the same directory/);
  await rm(c);
  await mkdir(join(c, "blobs"), { recursive: true });
  await writeFile(join(c, "blobs/identity"), newId<StoreId>(7));
  expect(await refusal(a, b, c)).toMatch(/the contents in .*c\/blobs \(store .*\) do not belong together/);
  await rm(join(c, "blobs/identity"));
  await Bun.write(fileOf(c, "00".repeat(32)), "a content");
  expect(await refusal(a, b, c)).toMatch(
    /the contents in .*c\/blobs \(store unknown\) do not belong together/,
  );
  await rm(c, { recursive: true });
  for (const disk of [a, b]) await t.take(disk);
  expect(await refusal(a, b)).toMatch(/None of the disks of this store can be used .*a: .*b: it is missing/);
  for (const disk of [a, b]) await t.bringBack(disk);
  await writeFile(join(t.coffer.dataDir, "disks"), "{}");
  expect(await refusal(a, b)).toMatch(/disks does not hold a list of disks/);
  await rm(join(t.coffer.dataDir, "disks"));
  await t.use(a, b);
  expect(await t.download("on-a.bin")).toEqual([200, null]);
});

it("a database that is lost is not made anew beside the contents of its disks", async (t) => {
  await t.store("on-a.bin");
  await t.coffer.close();
  await rm(join(t.coffer.dataDir, "coffer.db"));
  expect(await t.refusal(t.a, t.b)).toMatch(/a\/blobs holds 1 content, but its database .* is missing/);
  expect(await t.refusal(t.b)).toMatch(/a\/blobs holds 1 content/);
  await t.coffer.restart({ blobs: `${t.a},${t.b}` }, { adoptEmpty: true });
  expect(filesIn(t.a)).toHaveLength(1);
});
