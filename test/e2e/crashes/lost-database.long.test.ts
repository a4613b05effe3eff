import { expect, test } from "bun:test";
import { cp, readdir, rename, rm, truncate, utimes, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { changeDatabase, rowsIn } from "../../support/faults/change-database.ts";
import { SMALL_CONTENT_BYTES } from "../../../src/domain/limits.ts";
import { filesIn } from "../../support/samples/contents.ts";
import { type Agent, provision, run, serve, type Server } from "../../support/server/executable.ts";
import { contentsOnDisk, eventually } from "../../support/server/scenario.ts";
import { FAST_DIRECTORY, temporaryDirectory } from "../../support/server/temporary-directory.ts";

const FILES = 40;
/** Looks through all of the store for strays, while a test waits. */
const SWEEPS = { COFFER_SWEEP_INTERVAL: "10ms" };
const SWEEPS_FOR_ALL_SHARDS = 64;

/** A content that is a file of its own. */
function contentOf(n: number): string {
  return `content ${n}`.padEnd(SMALL_CONTENT_BYTES + 1);
}

/** A data directory whose server wrote 40 files and ended. */
async function storeWithFiles(dataDir: string, content = contentOf): Promise<void> {
  await using server = await serve({ dataDir });
  const agent = await provision(server);
  for (let n = 0; n < FILES; n++) {
    await agent.client.put(agent.drive, `${n}.txt`, content(n));
  }
  expect(await server.stop()).toBe(0);
  await makeOld(dataDir);
}

/** Makes the contents older than a sweep has to leave alone. */
async function makeOld(dataDir: string): Promise<void> {
  const time = new Date(Date.now() - 2 * 60 * 60 * 1000);
  for (const { digest } of filesIn(dataDir)) {
    await utimes(join(dataDir, "blobs", digest.slice(0, 2), digest), time, time);
  }
}

async function loseDatabase(dataDir: string): Promise<void> {
  for (const end of ["", "-wal", "-shm"]) await rm(join(dataDir, `coffer.db${end}`), { force: true });
}

/** What a server says that does not start; it is an error of the test's if it does. */
async function refusal(dataDir: string, flags: readonly string[] = []): Promise<string> {
  try {
    await using server = await serve({ dataDir, flags, env: SWEEPS });
    return await sweptThrough(server).then(() => "it started");
  } catch (error) {
    return error instanceof Error ? error.message : String(error);
  }
}

/** Waits until every part of the store has been swept. */
async function sweptThrough(server: Server): Promise<void> {
  const agent = await provision(server);
  for (let n = 0; n < SWEEPS_FOR_ALL_SHARDS + 1; n++) await oneSweep(server, agent);
}

/** Waits for a sweep by leaving it something: a file that has expired. */
async function oneSweep(server: Server, { client, drive }: Agent): Promise<void> {
  const { id } = await client.put(drive, "going.txt", "going");
  changeDatabase(server.dataDir, `UPDATE file SET expires_at = 1 WHERE id = '${id}'`);
  await eventually(() => rowsIn(server.dataDir, "SELECT 1 FROM file WHERE id = ?", id).length === 0);
}

function expectAllThere(dataDir: string): void {
  const there = new Set(filesIn(dataDir).map(({ digest }) => digest));
  for (let n = 0; n < FILES; n++) {
    expect([n, there.has(Bun.SHA256.hash(contentOf(n), "hex"))]).toEqual([n, true]);
  }
}

const LOSSES: readonly (readonly [what: string, lose: (dataDir: string) => Promise<unknown>])[] = [
  ["missing", loseDatabase],
  [
    "empty",
    async (dataDir) => {
      await loseDatabase(dataDir);
      await writeFile(join(dataDir, "coffer.db"), "");
    },
  ],
  ["cut to nothing", (dataDir) => truncate(join(dataDir, "coffer.db"), 0)],
];

test.each(LOSSES)("a %s coffer.db stops the start and takes no content", async (_, lose) => {
  await using place = await temporaryDirectory(FAST_DIRECTORY);
  await storeWithFiles(place.dataDir);
  await lose(place.dataDir);
  const before = await readdir(place.dataDir);
  // Twice: the first refusal must not make what lets the second start succeed.
  for (let time = 0; time < 2; time++) {
    const said = await refusal(place.dataDir);
    expect(said).toMatch(/coffer: .*blobs holds 40 contents.*coffer\.db.*restore.*--adopt-empty/i);
    expect(said).not.toContain("it started");
    expectAllThere(place.dataDir);
  }
  expect(await readdir(place.dataDir)).toEqual(before);
});

test("a missing coffer.db stops the start although all contents were in it, until it is back", async () => {
  await using place = await temporaryDirectory(FAST_DIRECTORY);
  await storeWithFiles(place.dataDir, (n) => `content ${n}`);
  await rename(join(place.dataDir, "coffer.db"), join(place.path, "kept.db"));
  for (let time = 0; time < 2; time++) {
    expect(await refusal(place.dataDir)).toMatch(
      /coffer: .*blobs belongs to a store.*coffer\.db.*restore.*--adopt-empty/i,
    );
  }
  await rename(join(place.path, "kept.db"), join(place.dataDir, "coffer.db"));
  await (await serve(place)).stop();
  expect((await contentsOnDisk(place.dataDir)).blobs).toHaveLength(FILES);
});

test("a new coffer.db with nothing in it stops the start and takes no content", async () => {
  await using place = await temporaryDirectory(FAST_DIRECTORY);
  const [dataDir, other] = [place.dataDir, join(place.path, "other")];
  await storeWithFiles(dataDir);
  await (await serve({ dataDir: other })).stop();
  await loseDatabase(dataDir);
  await rename(join(other, "coffer.db"), join(dataDir, "coffer.db"));
  for (let time = 0; time < 2; time++) {
    expect(await refusal(dataDir)).toMatch(/coffer: .*do not belong together.*--adopt-empty/);
    expectAllThere(dataDir);
  }
});

test("with --adopt-empty it starts without coffer.db and keeps all contents, then and later", async () => {
  await using place = await temporaryDirectory(FAST_DIRECTORY);
  await storeWithFiles(place.dataDir);
  await loseDatabase(place.dataDir);
  await using first = await serve({ dataDir: place.dataDir, flags: ["--adopt-empty"], env: SWEEPS });
  await sweptThrough(first);
  expectAllThere(place.dataDir);
  // Now the database knows most of what is there.
  const agent = await provision(first);
  for (let n = 0; n < 2 * FILES; n++) {
    await agent.client.put(agent.drive, `${n}.txt`, `new content ${n}`);
  }
  await sweptThrough(first);
  await first.stop();
  expectAllThere(place.dataDir);
  // It was needed once.
  await using server = await serve({ dataDir: place.dataDir, env: SWEEPS });
  await sweptThrough(server);
  expectAllThere(place.dataDir);
});

test("the switch that adopts cannot be set in the environment", async () => {
  await using place = await temporaryDirectory(FAST_DIRECTORY);
  const { code, stderr } = await run(["serve"], {
    env: { COFFER_DATA_DIR: place.dataDir, COFFER_ADOPT_EMPTY: "1" },
  });
  expect([code, stderr]).toEqual([1, expect.stringContaining("COFFER_ADOPT_EMPTY is not a setting")]);
});

test("contents that are lost or of another store stop the start", async () => {
  await using place = await temporaryDirectory(FAST_DIRECTORY);
  const [dataDir, other] = [place.dataDir, join(place.path, "other")];
  await storeWithFiles(dataDir);
  await (await serve({ dataDir: other })).stop();
  const [blobs, kept] = [join(dataDir, "blobs"), join(place.path, "kept")];
  await rename(blobs, kept);
  expect(await refusal(dataDir)).toMatch(/coffer: .*blobs.*is empty or.*missing.*restore it/i);
  await cp(join(other, "blobs"), blobs, { recursive: true });
  expect(await refusal(dataDir)).toMatch(/coffer: .*do not belong together/);
  await rm(blobs, { recursive: true });
  await rename(kept, blobs);
  await using server = await serve({ dataDir, env: SWEEPS });
  await sweptThrough(server);
  expectAllThere(dataDir);
});

test("a command makes no new coffer.db over contents that are there", async () => {
  await using place = await temporaryDirectory(FAST_DIRECTORY);
  await storeWithFiles(place.dataDir);
  for (const [, lose] of LOSSES) {
    await lose(place.dataDir).catch(() => {});
    const { code, stderr } = await run(["user", "create", "ada", "--password-stdin"], {
      dataDir: place.dataDir,
      input: "correct horse battery",
    });
    expect([code, stderr]).toEqual([1, expect.stringContaining("40 contents")]);
    await rm(join(place.dataDir, "coffer.db"), { force: true });
  }
});
