import { describe, expect, test } from "bun:test";
import { readdir, rename, rm, utimes, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { setImmediate as nextTurn } from "node:timers/promises";
import { codeOf } from "../../../src/domain/errors.ts";
import { SMALL_CONTENT_BYTES } from "../../../src/domain/limits.ts";
import { DAY_MS } from "../../../src/domain/time.ts";
import { ORPHAN_GRACE_MS } from "../../../src/services/upkeep/sweep.ts";
import { filesIn, fileOf, whileSweeping } from "../../support/samples/contents.ts";
import { failureOf } from "../../support/samples/failure.ts";
import { hashOf } from "../../support/samples/hash.ts";
import { copyRows } from "../../support/samples/many-files.ts";
import { UNCONDITIONAL } from "../../support/samples/unconditional.ts";
import {
  type OpenedDrive as Place,
  openServicesIn,
  openWithAda,
  openWithDrive,
  ask,
  otherDrive,
  removeDrive,
  removeFile,
  sweep,
  storeFile,
} from "../../support/server/services-drive.ts";
import { testWith } from "../../support/server/test-with.ts";

const HOUR_MS = 60 * 60 * 1000;
/** A sweep looks through some of the 256 shards; this many see them all. */
const SWEEPS_FOR_ALL_SHARDS = 64;
/** By how many turns of the event loop a race's start is put off more than the last time, at most. */
const MOST_TURNS = 4096;

/** A file whose content begins with a text and is a file of its own. */
async function putLarge(place: Place, path: string, text: string): Promise<void> {
  await storeFile(place, path, large(text));
}

/** Files that expire, so long after now. */
async function putGoing(place: Place, ms: number, copies = 0): Promise<void> {
  const expiresAt = new Date(place.clock.now() + ms).toISOString();
  const { file } = await storeFile(place, "going.txt", "going", { expiresAt });
  if (copies > 0) await place.database.write(() => copyRows(place.database, file.id, copies));
}

/** A content that begins with a text and is a file of its own. */
function large(text: string): string {
  return text.padEnd(SMALL_CONTENT_BYTES + 1);
}

function digestOf(content: string): string {
  return hashOf(Buffer.from(content));
}

/** The digests of every content on the disk. */
function contents({ root }: Place): string[] {
  return filesIn(root)
    .map(({ digest }) => digest)
    .toSorted();
}

function logged({ lines }: Pick<Place, "lines">, text: string): readonly string[] {
  return lines.filter((line) => line.includes(text));
}

const it = testWith(() => openWithDrive({ keepDays: 0 }));

describe("expired files", () => {
  it("are taken off every count, a piece at a time, and requests get in between", async (place) => {
    const { services, caller, drive, clock } = place;
    await storeFile(place, "kept.txt", "kept");
    await putGoing(place, HOUR_MS, 3000);
    clock.advance(HOUR_MS);
    const sweeping = sweep(place);
    const left = new Set<number>();
    while (!left.has(1)) {
      await services.folders.create(caller, drive, "new/");
      left.add(place.count("file"));
    }
    expect((await sweeping).files).toBe(3001);
    // It takes sixteen pieces, and as many requests are answered.
    expect(left.size).toBeGreaterThanOrEqual(10);
    expect(ask(place, "SELECT path FROM file")).toEqual(["kept.txt"]);
    expect(
      ask(place, "SELECT path || file_count || '/' || total_size || '/' || own_file_count FROM folder"),
    ).toEqual(["1/4/1", "many/0/0/0", "new/0/0/0"]);
    expect((await sweep(place)).files).toBe(0);
  });

  it("stay until their time", async (place) => {
    await putGoing(place, HOUR_MS);
    place.clock.advance(HOUR_MS - 1);
    expect([(await sweep(place)).files, place.count("file")]).toEqual([0, 1]);
  });
});

describe("drives", () => {
  it("that were deleted are emptied, however deep and full, and nobody else's is touched", async (place) => {
    const other = await otherDrive(place);
    await storeFile(other, "a/b/c.txt", "theirs");
    const { file } = await storeFile(place, `${"a/".repeat(511)}x`, "deep");
    await place.database.write(() => copyRows(place.database, file.id, 1000));
    await removeDrive(place);
    expect([(await sweep(place)).drives, ask(place, "SELECT id FROM drive")]).toEqual([1, [other.drive]]);
    expect(ask(place, "SELECT path FROM folder ORDER BY path")).toEqual(["", "a/", "a/b/"]);
    expect(ask(place, "SELECT path FROM file")).toEqual(["a/b/c.txt"]);
    expect(ask(place, "PRAGMA foreign_key_check")).toEqual([]);
  });

  it("that nobody claimed go after 30 days with their keys; only the claim token stays to be told apart", async (place) => {
    await storeFile(place, "a.txt", "content");
    place.clock.advance(30 * DAY_MS - 1);
    expect((await sweep(place)).drives).toBe(0);
    place.clock.advance(1);
    expect((await sweep(place)).drives).toBe(1);
    expect(["drive", "file", "folder", "api_key"].map(place.count)).toEqual([0, 0, 0, 0]);
    expect(ask(place, "SELECT drive FROM claim_token")).toEqual([null]);
  });
});

test("claim tokens are known for a year after their use or expiry, and their drives stay", async () => {
  await using ada = await openWithAda({ keepDays: 0 });
  const { services, caller, clock } = ada;
  const [used, unused] = [await services.drives.provision("Used"), await services.drives.provision("Unused")];
  clock.advance(10 * DAY_MS);
  await services.claims.claim(caller, used.claimToken);
  const after = async (ms: number) => {
    clock.advance(ms);
    await sweep(ada);
    const failures = [used, unused].map(({ claimToken }) =>
      failureOf(() => services.claims.preview(claimToken)),
    );
    return (await Promise.all(failures)).map(codeOf);
  };
  expect(await after(365 * DAY_MS - 1)).toEqual(["CONFLICT", "GONE"]);
  expect(await after(1)).toEqual(["NOT_FOUND", "GONE"]);
  expect(await after(20 * DAY_MS - 1)).toEqual(["NOT_FOUND", "GONE"]);
  expect(await after(1)).toEqual(["NOT_FOUND", "NOT_FOUND"]);
  expect(services.drives.list(caller, null).map(({ id }) => id)).toContain(used.driveId);
});

describe("contents", () => {
  it("go when nothing has named them for the grace period, and not before", async (place) => {
    const { services, caller, drive, clock } = place;
    const text = large("a content");
    await storeFile(place, "a.txt", text);
    const copy = { path: "b.txt", driveId: undefined, onConflict: "fail" as const };
    await services.files.copy(caller, { drive, path: "a.txt" }, copy, UNCONDITIONAL);
    await removeFile(place, "a.txt");
    await sweep(place);
    clock.advance(ORPHAN_GRACE_MS);
    expect((await sweep(place)).blobs).toBe(0);

    await removeFile(place, "b.txt");
    await sweep(place);
    clock.advance(ORPHAN_GRACE_MS - 1);
    expect([(await sweep(place)).blobs, contents(place)]).toEqual([0, [digestOf(text)]]);
    clock.advance(1);
    expect([(await sweep(place)).blobs, contents(place), place.count("blob")]).toEqual([1, [], 0]);
  });

  it("that were named again in between start their grace period anew", async (place) => {
    for (let turn = 0; turn < 3; turn++) {
      await putLarge(place, "a.txt", "a content");
      await removeFile(place, "a.txt");
      await sweep(place);
      place.clock.advance(ORPHAN_GRACE_MS - 1);
      expect((await sweep(place)).blobs).toBe(0);
    }
  });

  it("without a row, as a crash leaves them, go once they are old enough; other files stay", async (place) => {
    const kept = ["kept", "kept as well"];
    for (const text of kept) await putLarge(place, text, text);
    await addStray(place, "old", ORPHAN_GRACE_MS);
    await addStray(place, "young", ORPHAN_GRACE_MS - 1000);
    await Bun.write(join(place.root, "blobs/00/README"), "somebody's own");
    const left = ["README", digestOf("young"), ...kept.map((text) => digestOf(large(text)))];
    expect([await wholeRound(place), contents(place)]).toEqual([1, left.toSorted()]);
  });
});

/** A content that was written so long ago, and that no row names. */
async function addStray({ root, clock }: Place, text: string, ageMs: number): Promise<void> {
  const path = fileOf(root, digestOf(text));
  await Bun.write(path, text);
  const time = (clock.now() - ageMs) / 1000;
  await utimes(path, time, time);
}

async function addStrays(place: Place, count: number): Promise<void> {
  for (let n = 0; n < count; n++) await addStray(place, `stray ${n}`, ORPHAN_GRACE_MS);
}

async function wholeRound(place: Place): Promise<number> {
  let taken = 0;
  for (let n = 0; n < SWEEPS_FOR_ALL_SHARDS; n++) taken += (await sweep(place)).blobs;
  return taken;
}

const complaints = (place: Place) => logged(place, "the database knows too few of the contents");

describe("contents without a row, in a store that looks foreign,", () => {
  for (const [what, known, strays] of [
    ["of which the database knows none", 0, 40],
    ["of which the database knows fewer than half", 10, 11],
  ] as const)
    it(`${what}, stay, and each round says so once`, async (place) => {
      for (let n = 0; n < known; n++) await putLarge(place, `${n}.txt`, `known ${n}`);
      await addStrays(place, strays);
      for (let round = 1; round <= 2; round++) {
        expect(await wholeRound(place)).toBe(0);
        expect(complaints(place)).toHaveLength(round);
      }
      expect(complaints(place)[0]).toContain(`"known":${known},"unknown":${strays}`);
      expect(contents(place)).toHaveLength(known + strays);
    });

  it("go once the database knows half of what is there", async (place) => {
    await addStrays(place, 10);
    for (let n = 0; n < 10; n++) await putLarge(place, `${n}.txt`, `known ${n}`);
    expect([await wholeRound(place), complaints(place)]).toEqual([10, []]);
    expect(contents(place)).toHaveLength(10);
  });

  it("stay in a large store after looking at a part of it", async (place) => {
    await addStrays(place, 1000);
    await sweep(place);
    const [complaint = ""] = complaints(place);
    const looked = Number(/"unknown":(\d+)/.exec(complaint)?.[1]);
    expect(looked).toBeGreaterThanOrEqual(300);
    expect(looked).toBeLessThan(350);
    expect(contents(place)).toHaveLength(1000);
  });
});

async function requireContent({ services, caller, drive }: Place, path: string, text: string): Promise<void> {
  const content = await services.files.content(null, services.files.get(caller, { drive, path }));
  expect(await content.text()).toBe(large(text));
}

async function turns(count: number): Promise<void> {
  for (let n = 0; n < count; n++) await nextTurn();
}

describe("an upload at the moment of a sweep", () => {
  it("keeps the content it matches, at any moment", async (place) => {
    const outcomes: number[] = [];
    // How many turns of the event loop the upload begins before the sweep; below zero, after it. Whoever came
    // first begins later the next time, so that most rounds are at the moment at which either may, wherever
    // that is on this machine.
    let lead = 0;
    let step = 1;
    for (let round = 0; round < 60; round++) {
      const [path, text] = [`${round}.txt`, `content of round ${round}`];
      await putLarge(place, path, text);
      await removeFile(place, path);
      await sweep(place);
      place.clock.advance(ORPHAN_GRACE_MS);
      const [{ blobs }] = await Promise.all([
        turns(lead).then(() => sweep(place)),
        turns(-lead).then(() => putLarge(place, path, text)),
      ]);
      await requireContent(place, path, text);
      step = blobs === outcomes.at(-1) ? Math.min(2 * step, MOST_TURNS) : 1;
      lead += blobs === 1 ? step : -step;
      outcomes.push(blobs);
    }
    expect(new Set(outcomes)).toEqual(new Set([0, 1]));
  });

  it("keeps a content that no row names yet", async (place) => {
    // The files are years older than the test's clock, so only being in use keeps them.
    await whileSweeping(place, 0, () =>
      Promise.all(
        Array.from({ length: 300 }, async (_, n) => {
          await putLarge(place, `${n}.txt`, `content ${n % 150}`);
          await requireContent(place, `${n}.txt`, `content ${n % 150}`);
        }),
      ),
    );
    expect(contents(place).length).toBe(150);
  });
});

describe("a sweep that fails somewhere", () => {
  it("logs it, does the rest, and takes what it left the next times", async (place) => {
    const kept = Array.from({ length: 20 }, (_, n) => `kept ${n}`);
    for (const text of kept) await putLarge(place, text, text);
    for (let n = 0; n < 20; n++) {
      await putLarge(place, "going", `content ${n}`);
      await removeFile(place, "going");
    }
    await sweep(place);
    place.clock.advance(ORPHAN_GRACE_MS);
    // What is removed goes by way of `tmp`. Were it only missing, it would be made again.
    const tmp = join(place.root, "tmp");
    await rename(tmp, `${tmp}.kept`);
    await writeFile(tmp, "");

    await sweep(place);
    expect(logged(place, "sweeping orphaned blobs failed")).toHaveLength(1);
    const before = logged(place, '"level":"error"').length;
    await rm(tmp);
    await rename(`${tmp}.kept`, tmp);
    await wholeRound(place);
    expect(logged(place, '"level":"error"')).toHaveLength(before);
    expect(contents(place)).toEqual(kept.map((text) => digestOf(large(text))).toSorted());
    expect(place.count("blob")).toBe(20);
    await using _ = await openServicesIn(place.root);
    expect(await readdir(tmp)).toEqual([]);
  });

  for (const [step, table, swept] of [
    ["expired files", "file", { files: 0, drives: 1, blobs: 1 }],
    ["deleted drives", "drive", { files: 1, drives: 0, blobs: 1 }],
    ["orphaned blobs", "blob", { files: 1, drives: 1, blobs: 0 }],
  ] as const)
    it(`in sweeping ${step} still does the other steps`, async (place) => {
      const { sql } = place.database;
      await storeFile(place, "orphan.txt", "orphan");
      await removeFile(place, "orphan.txt");
      await sweep(place);
      place.clock.advance(ORPHAN_GRACE_MS);
      await putGoing(place, 1);
      place.clock.advance(1);
      await removeDrive(await otherDrive(place));
      sql.run(
        `CREATE TRIGGER sabotage BEFORE DELETE ON ${table} BEGIN SELECT RAISE(ABORT, 'sabotaged'); END`,
      );
      expect(await sweep(place)).toEqual(swept);
      expect(logged(place, `sweeping ${step} failed`)).toHaveLength(1);
      sql.run("DROP TRIGGER sabotage");
      expect(await sweep(place)).toMatchObject({ files: 1 - swept.files, drives: 1 - swept.drives });
    });
});

it("a sweep that is cut off by the end of the server is finished after the next start", async (place) => {
  await putGoing(place, HOUR_MS, 3000);
  place.clock.advance(HOUR_MS);
  const sweeping = sweep(place);
  await place.services.sweep.stop();
  const { files } = await sweeping;
  expect(files).toBeLessThan(3001);
  await using again = await openServicesIn(place.root);
  again.clock.advance(HOUR_MS);
  expect(files + (await sweep(again)).files).toBe(3001);
  expect(logged(place, '"level":"error"')).toEqual([]);
});

it("names that an earlier version stored come into their order, and snapshots hold no more for it", async (place) => {
  const { database, services, caller, drive } = place;
  for (const path of ["b10/x", "B9/x", "10.md", "9.md"]) await storeFile(place, path, path);
  await services.snapshots.create(caller, drive, "before");
  for (const table of ["file", "folder"]) database.sql.run(`UPDATE ${table} SET name_key = ''`);
  const listed = () => {
    const page = { page: 1, limit: 9, after: null } as const;
    const request = { driveId: drive, prefix: "", grouped: true, tags: [], sort: "name", ...page } as const;
    const { files, level } = services.listings.list(caller, request);
    const paths: string[] = [...(level?.folders ?? []), ...files.map(({ path }) => path)];
    return paths;
  };
  expect(listed()).toEqual(["B9/", "b10/", "10.md", "9.md"]);
  await sweep(place);
  expect(listed()).toEqual(["B9/", "b10/", "9.md", "10.md"]);
  expect([place.count("held_file"), place.count("held_folder")]).toEqual([0, 0]);
});
