import { describe, expect, test } from "bun:test";
import { testWith } from "../../support/server/test-with.ts";
import { readdir, rename, rm, utimes, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { SMALL_CONTENT_BYTES } from "../../../src/domain/limits.ts";
import { ORPHAN_GRACE_MS } from "../../../src/services/upkeep/sweep.ts";
import { KEEPS_NOTHING, startAppliance, type TestAppliance } from "../../support/server/appliance.ts";
import { changeDatabase, rowsIn } from "../../support/faults/change-database.ts";
import { filesIn, fileOf, whileSweeping } from "../../support/samples/contents.ts";
import { addManyFiles } from "../../support/samples/many-files.ts";
import { type OwnDrive, provision } from "../../support/server/scenario.ts";
import { populate } from "../../support/server/world.ts";
import { callerWith } from "../../support/server/services-drive.ts";
import { hashOf } from "../../support/samples/hash.ts";

const HOUR_MS = 60 * 60 * 1000;
const DAY_MS = 24 * HOUR_MS;
/** A sweep looks through some of the 256 shards; this many see them all. */
const SWEEPS_FOR_ALL_SHARDS = 64;
/** By how many turns of the event loop a race's start is put off more than the last time, at most. */
const MOST_TURNS = 4096;

interface FileRecord {
  id: string;
  content_hash: string;
}

function put({ client, id }: OwnDrive, path: string, body: string, query = ""): Promise<FileRecord> {
  return client.put(id, path, body, 201, query);
}

function sweep(coffer: TestAppliance) {
  return coffer.appliance.services.sweep.run();
}

/** What a query of the database answers, asked from outside. */
function ask(coffer: TestAppliance, query: string): unknown[] {
  return rowsIn(coffer.dataDir, query).flat();
}

/** A content that begins with a text and is a file of its own. */
function large(text: string): string {
  return text.padEnd(SMALL_CONTENT_BYTES + 1);
}

function digestOf(content: string): string {
  return hashOf(Buffer.from(content));
}

/** The digests of every content on the disk. */
function contents(coffer: TestAppliance): string[] {
  return filesIn(coffer.dataDir)
    .map(({ digest }) => digest)
    .toSorted();
}

/** A time as the API takes it, so long after now. */
function inFuture(coffer: TestAppliance, ms: number): string {
  return new Date(coffer.clock.now() + ms).toISOString();
}

/** In a Coffer that has a drive. */
const it = testWith(async () => {
  const coffer = await startAppliance(KEEPS_NOTHING);
  return {
    coffer,
    agent: await provision(coffer),
    [Symbol.asyncDispose]: () => coffer[Symbol.asyncDispose](),
  };
});

describe("expired files", () => {
  it("are taken off every count, a piece at a time, and requests get in between", async (opened) => {
    const { coffer, agent } = opened;
    const { apiKeys, folders } = coffer.appliance.services;
    const caller = callerWith({ apiKeys }, agent.client.key ?? "");
    const kept = await put(agent, "kept.txt", "kept");
    const { id } = await put(agent, "going.txt", "going", `&expires_at=${inFuture(coffer, HOUR_MS)}`);
    await addManyFiles(coffer.dataDir, id, 3000);
    coffer.clock.advance(HOUR_MS);

    const sweeping = sweep(coffer);
    const left = new Set<unknown>();
    // Asked for here and not by HTTP: how long that takes says nothing of the sweep.
    while (!left.has(1)) {
      await folders.create(caller, agent.id, "new/");
      for (const files of ask(coffer, "SELECT count(*) FROM file")) left.add(files);
    }
    expect((await sweeping).files).toBe(3001);
    // It takes sixteen pieces, and as many requests are answered.
    expect(left.size).toBeGreaterThanOrEqual(10);
    expect(ask(coffer, "SELECT id FROM file")).toEqual([kept.id]);
    expect(
      ask(coffer, "SELECT path || file_count || '/' || total_size || '/' || own_file_count FROM folder"),
    ).toEqual(["1/4/1", "many/0/0/0", "new/0/0/0"]);
    expect((await sweep(coffer)).files).toBe(0);
  });

  it("stay until their time", async ({ coffer, agent }) => {
    const { id } = await put(agent, "going.txt", "going", `&expires_at=${inFuture(coffer, HOUR_MS)}`);
    coffer.clock.advance(HOUR_MS - 1);
    expect((await sweep(coffer)).files).toBe(0);
    await agent.client.get(`/v0/files/${id}`);
  });
});

describe("drives", () => {
  test("that were deleted are emptied, however deep and full, and nobody else's is touched", async () => {
    await using coffer = await startAppliance(KEEPS_NOTHING);
    const [agent, other] = [await provision(coffer), await provision(coffer)];
    await put(other, "a/b/c.txt", "theirs");
    const { id } = await put(agent, `${"a/".repeat(511)}x`, "deep");
    await addManyFiles(coffer.dataDir, id, 1000);
    await agent.client.delete(`/v0/drives/${agent.id}`);
    expect([(await sweep(coffer)).drives, ask(coffer, "SELECT id FROM drive")]).toEqual([1, [other.id]]);
    expect(ask(coffer, "SELECT path FROM folder ORDER BY path")).toEqual(["", "a/", "a/b/"]);
    expect(ask(coffer, "SELECT path FROM file")).toEqual(["a/b/c.txt"]);
    expect(ask(coffer, "PRAGMA foreign_key_check")).toEqual([]);
  });

  it("that nobody claimed go after 30 days with their keys; only the claim token stays to be told apart", async (opened) => {
    const { coffer, agent } = opened;
    await put(agent, "a.txt", "content");
    coffer.clock.advance(30 * DAY_MS - 1);
    expect((await sweep(coffer)).drives).toBe(0);
    coffer.clock.advance(1);
    expect((await sweep(coffer)).drives).toBe(1);
    for (const table of ["drive", "file", "folder", "api_key"]) {
      expect([table, ...ask(coffer, `SELECT count(*) FROM ${table}`)]).toEqual([table, 0]);
    }
    expect(ask(coffer, "SELECT drive FROM claim_token")).toEqual([null]);
  });
});

const inCoffer = testWith(() => startAppliance(KEEPS_NOTHING));

describe("claim tokens", () => {
  inCoffer("are known for a year after their use or expiry, and their drives stay", async (coffer) => {
    const world = await populate(coffer);
    const [used, unused] = [await provision(coffer), await provision(coffer)];
    coffer.clock.advance(10 * DAY_MS);
    const claim = { body: { token: used.claimToken } };
    await world.clients.ada.json(200, "POST", "/v0/drives/claim", claim);
    const after = async (ms: number) => {
      coffer.clock.advance(ms);
      await sweep(coffer);
      const previews = [used, unused].map(({ claimToken }) =>
        coffer.client().send("GET", `/v0/drives/claim/${claimToken}`),
      );
      return (await Promise.all(previews)).map(({ status }) => status);
    };
    expect(await after(365 * DAY_MS - 1)).toEqual([409, 410]);
    expect(await after(1)).toEqual([404, 410]);
    expect(await after(20 * DAY_MS - 1)).toEqual([404, 410]);
    expect(await after(1)).toEqual([404, 404]);
    await world.clients.ada.get(`/v0/drives/${used.id}`);
  });
});

describe("contents", () => {
  it("go when nothing has named them for the grace period, and not before", async ({ coffer, agent }) => {
    const { id } = await put(agent, "a.txt", large("a content"));
    const copy = await agent.client.post<FileRecord>(`/v0/files/${id}/copy`, { destination_path: "b.txt" });
    await agent.client.delete(`/v0/files/${id}`);
    await sweep(coffer);
    coffer.clock.advance(ORPHAN_GRACE_MS);
    expect((await sweep(coffer)).blobs).toBe(0);

    await agent.client.delete(`/v0/files/${copy.id}`);
    await sweep(coffer);
    coffer.clock.advance(ORPHAN_GRACE_MS - 1);
    expect([(await sweep(coffer)).blobs, contents(coffer)]).toEqual([0, [digestOf(large("a content"))]]);
    coffer.clock.advance(1);
    expect([(await sweep(coffer)).blobs, contents(coffer)]).toEqual([1, []]);
    expect(ask(coffer, "SELECT count(*) FROM blob")).toEqual([0]);
  });

  it("that were named again in between start their grace period anew", async ({ coffer, agent }) => {
    for (let turn = 0; turn < 3; turn++) {
      const { id } = await put(agent, "a.txt", large("a content"));
      await agent.client.delete(`/v0/files/${id}`);
      await sweep(coffer);
      coffer.clock.advance(ORPHAN_GRACE_MS - 1);
      expect((await sweep(coffer)).blobs).toBe(0);
    }
  });

  it("without a row, as a crash leaves them, go once they are old enough; other files stay", async (opened) => {
    const { coffer, agent } = opened;
    const kept = ["kept", "kept as well"].map(large);
    for (const [n, text] of kept.entries()) await put(agent, `${n}.txt`, text);
    const now = coffer.clock.now();
    const [old, young] = [digestOf("old"), digestOf("young")];
    await Bun.write(fileOf(coffer.dataDir, old), "old");
    await utimes(fileOf(coffer.dataDir, old), now / 1000, (now - ORPHAN_GRACE_MS) / 1000);
    await Bun.write(fileOf(coffer.dataDir, young), "young");
    await utimes(fileOf(coffer.dataDir, young), now / 1000, (now - ORPHAN_GRACE_MS) / 1000 + 1);
    await Bun.write(join(coffer.dataDir, "blobs/00/README"), "somebody's own");
    expect([await wholeRound(coffer), contents(coffer)]).toEqual([
      1,
      ["README", ...kept.map(digestOf), young].toSorted(),
    ]);
  });
});

const COMPLAINT = "the database knows too few of the contents";

/** Contents that were written long ago, and that no row names. */
async function addStrays(coffer: TestAppliance, count: number): Promise<void> {
  const time = (coffer.clock.now() - ORPHAN_GRACE_MS) / 1000;
  for (let n = 0; n < count; n++) {
    const path = fileOf(coffer.dataDir, digestOf(`stray ${n}`));
    await Bun.write(path, `stray ${n}`);
    await utimes(path, time, time);
  }
}

async function wholeRound(coffer: TestAppliance): Promise<number> {
  let taken = 0;
  for (let n = 0; n < SWEEPS_FOR_ALL_SHARDS; n++) taken += (await sweep(coffer)).blobs;
  return taken;
}

const complaints = (coffer: TestAppliance) => coffer.lines.filter((line) => line.includes(COMPLAINT));

describe("contents without a row, in a store that looks foreign,", () => {
  test.each([
    ["of which the database knows none", 0, 40],
    ["of which the database knows fewer than half", 10, 11],
  ])("%s, stay, and each round says so once", async (_, known, strays) => {
    await using coffer = await startAppliance(KEEPS_NOTHING);
    const agent = await provision(coffer);
    for (let n = 0; n < known; n++) await put(agent, `${n}.txt`, large(`known ${n}`));
    await addStrays(coffer, strays);
    for (let round = 1; round <= 2; round++) {
      expect(await wholeRound(coffer)).toBe(0);
      expect(complaints(coffer)).toHaveLength(round);
    }
    expect(complaints(coffer)[0]).toContain(`"known":${known},"unknown":${strays}`);
    expect(contents(coffer)).toHaveLength(known + strays);
  });

  it("go once the database knows half of what is there", async ({ coffer, agent }) => {
    await addStrays(coffer, 10);
    for (let n = 0; n < 10; n++) await put(agent, `${n}.txt`, large(`known ${n}`));
    expect(await wholeRound(coffer)).toBe(10);
    expect(contents(coffer)).toHaveLength(10);
    expect(complaints(coffer)).toEqual([]);
  });

  inCoffer("stay in a large store after looking at a part of it", async (coffer) => {
    await addStrays(coffer, 1000);
    await sweep(coffer);
    const [complaint = ""] = complaints(coffer);
    const looked = Number(/"unknown":(\d+)/.exec(complaint)?.[1]);
    expect(looked).toBeGreaterThanOrEqual(300);
    expect(looked).toBeLessThan(350);
    expect(contents(coffer)).toHaveLength(1000);
  });
});

describe("an upload at the moment of a sweep", () => {
  it("keeps the content it matches, at any moment", async ({ coffer, agent }) => {
    const outcomes: number[] = [];
    // How many turns of the event loop the upload begins before the sweep; below zero, after it. Whoever came
    // first begins later the next time, so that most rounds are at the moment at which either may, wherever
    // that is on this machine.
    let lead = 0;
    let step = 1;
    for (let round = 0; round < 60; round++) {
      const content = large(`content of round ${round}`);
      const path = `${round}.txt`;
      const { id } = await put(agent, path, content);
      await agent.client.delete(`/v0/files/${id}`);
      await sweep(coffer);
      coffer.clock.advance(ORPHAN_GRACE_MS);
      const [{ blobs }, file] = await Promise.all([
        turns(lead).then(() => sweep(coffer)),
        turns(-lead).then(() => put(agent, path, content)),
      ]);
      await requireContent(agent, file, content);
      step = blobs === outcomes.at(-1) ? Math.min(2 * step, MOST_TURNS) : 1;
      lead += blobs === 1 ? step : -step;
      outcomes.push(blobs);
    }
    expect(new Set(outcomes)).toEqual(new Set([0, 1]));
  });

  it("keeps a content that no row names yet", async ({ coffer, agent }) => {
    // The files are years older than the test's clock, so only being in use keeps them.
    await whileSweeping(coffer, 0, () =>
      Promise.all(
        Array.from({ length: 300 }, async (_, n) => {
          const content = large(`content ${n % 150}`);
          await requireContent(agent, await put(agent, `${n}.txt`, content), content);
        }),
      ),
    );
    expect(contents(coffer).length).toBe(150);
  });
});

async function requireContent({ client }: OwnDrive, { id }: FileRecord, content: string): Promise<void> {
  expect(await client.send("GET", `/v0/files/${id}/download`)).toMatchObject({ status: 200, text: content });
}

async function turns(count: number): Promise<void> {
  for (let n = 0; n < count; n++) await new Promise<void>((resolve) => setImmediate(resolve));
}

describe("a sweep that fails somewhere", () => {
  it("logs it, does the rest, and takes what it left the next times", async ({ coffer, agent }) => {
    const kept = Array.from({ length: 20 }, (_, n) => large(`kept ${n}`));
    for (const [n, text] of kept.entries()) await put(agent, `kept ${n}.txt`, text);
    const texts = Array.from({ length: 20 }, (_, n) => large(`content ${n}`));
    for (const [n, text] of texts.entries()) {
      const { id } = await put(agent, `${n}.txt`, text);
      await agent.client.delete(`/v0/files/${id}`);
    }
    await sweep(coffer);
    coffer.clock.advance(ORPHAN_GRACE_MS);
    // What is removed goes by way of `tmp`. Were it only missing, it would be made again, also by the watch over the disk.
    const tmp = join(coffer.dataDir, "tmp");
    await rename(tmp, `${tmp}.kept`);
    await writeFile(tmp, "");

    await sweep(coffer);
    expect(coffer.lines.filter((line) => line.includes("sweeping orphaned blobs failed"))).toHaveLength(1);
    const errors = () => coffer.lines.filter((line) => line.includes('"level":"error"'));
    const before = errors().length;
    await rm(tmp);
    await rename(`${tmp}.kept`, tmp);
    await wholeRound(coffer);
    expect(errors()).toHaveLength(before);
    expect(contents(coffer)).toEqual(kept.map(digestOf).toSorted());
    expect(ask(coffer, "SELECT count(*) FROM blob")).toEqual([20]);
    await coffer.restart();
    expect(await readdir(tmp)).toEqual([]);
  });

  test.each([
    ["expired files", "file", { files: 0, drives: 1, blobs: 1 }],
    ["deleted drives", "drive", { files: 1, drives: 0, blobs: 1 }],
    ["orphaned blobs", "blob", { files: 1, drives: 1, blobs: 0 }],
  ])("in sweeping %s still does the other steps", async (step, table, swept) => {
    await using coffer = await startAppliance(KEEPS_NOTHING);
    const [agent, leaving] = [await provision(coffer), await provision(coffer)];
    const { id } = await put(agent, "orphan.txt", "orphan");
    await agent.client.delete(`/v0/files/${id}`);
    await sweep(coffer);
    coffer.clock.advance(ORPHAN_GRACE_MS);
    await put(agent, "expired.txt", "expired", `&expires_at=${inFuture(coffer, 1)}`);
    coffer.clock.advance(1);
    await leaving.client.delete(`/v0/drives/${leaving.id}`);
    const sabotage = (sql: string) => changeDatabase(coffer.dataDir, sql);
    sabotage(`CREATE TRIGGER sabotage BEFORE DELETE ON ${table} BEGIN SELECT RAISE(ABORT, 'sabotaged'); END`);
    expect(await sweep(coffer)).toEqual(swept);
    expect(coffer.lines.filter((line) => line.includes(`sweeping ${step} failed`))).toHaveLength(1);
    sabotage("DROP TRIGGER sabotage");
    expect(await sweep(coffer)).toMatchObject({ files: 1 - swept.files, drives: 1 - swept.drives });
  });
});

it("a sweep that is cut off by the end of the server is finished after the next start", async (opened) => {
  const { coffer, agent } = opened;
  const { id } = await put(agent, "going.txt", "going", `&expires_at=${inFuture(coffer, HOUR_MS)}`);
  await addManyFiles(coffer.dataDir, id, 3000);
  coffer.clock.advance(HOUR_MS);
  const sweeping = sweep(coffer);
  await coffer.restart();
  const { files } = await sweeping;
  expect(files).toBeLessThan(3001);
  expect(files + (await sweep(coffer)).files).toBe(3001);
  expect(coffer.lines.filter((line) => line.includes('"level":"error"'))).toEqual([]);
});
