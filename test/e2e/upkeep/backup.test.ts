import { expect, test } from "bun:test";
import { existsSync } from "node:fs";
import { mkdir, readdir, rm } from "node:fs/promises";
import { join } from "node:path";
import { DirectoryPlace } from "../../../src/backup/directory-place.ts";
import { keptBackups } from "../../../src/backup/manifest.ts";
import { restoreFrom } from "../../../src/backup/restore.ts";
import { type Agent, executable, inShell, provision, run, serve } from "../../support/server/executable.ts";
import { contentOf, heldBy, put } from "../../support/faults/faults.ts";
import { startS3Server } from "../../support/peers/s3-server.ts";
import { withReason } from "../../support/server/skip.ts";
import { NO_SMALL_DISK, SmallDisk } from "../../support/faults/small-disk.ts";
import { FAST_DIRECTORY, temporaryDirectory } from "../../support/server/temporary-directory.ts";
import { isThorough } from "../../support/server/thorough.ts";

/** From small contents to those that are files of several pieces. */
const SIZES = [100, 20_000, 150_000];
const WRITERS = 4;
const KILLS = isThorough() ? 30 : 3;
/** By how many milliseconds each of these kills comes later than the one before. */
const KILL_STEP = isThorough() ? 15 : 60;

function sizeOf(n: number): number {
  return SIZES[n % SIZES.length] ?? 0;
}

async function upload({ client, drive }: Agent, count: number, from = 0): Promise<void> {
  for (let n = from; n < from + count; n++) {
    expect(await put(client, drive, `f${n}`, contentOf(`content ${n}`, sizeOf(n)))).toBe(201);
  }
}

/** Uploads and deletes until `isOver`; the number of answers. */
async function write({ client, drive }: Agent, writer: number, isOver: () => boolean): Promise<number> {
  let answers = 0;
  for (; !isOver(); answers++) {
    const path = `busy/${writer}/${answers}`;
    const body = Uint8Array.from(contentOf(path, sizeOf(answers)));
    const { id } = await client.put(drive, path, body);
    if (answers % 8 > 0) await client.delete(`/v0/files/${id}`);
  }
  return answers;
}

test("backups made under writes restore to stores in which every file that was answered before is whole", async () => {
  await using place = await temporaryDirectory(FAST_DIRECTORY);
  const [dataDir, dest] = [place.dataDir, join(place.path, "dest")];
  await using server = await serve({ dataDir, env: { COFFER_SWEEP_INTERVAL: "10ms" } });
  const agent = await provision(server);
  await upload(agent, 60);
  const before = await heldBy(agent.client, agent.drive);
  let isOver = false;
  const writers = Array.from({ length: WRITERS }, (_, n) => write(agent, n, () => isOver));
  const archive = join(place.path, "archive.tar");
  try {
    expect(await run(["backup", dest, "--data-dir", dataDir])).toMatchObject({ code: 0, stderr: "" });
    const streamed = await run(["backup", "-", "--data-dir", dataDir], {
      wrapper: ["sh", "-c", `exec "$0" "$@" > '${archive}'`],
    });
    expect(streamed).toMatchObject({ code: 0, stdout: "" });
  } finally {
    isOver = true;
  }
  expect(Math.min(...(await Promise.all(writers)))).toBeGreaterThan(0);
  const [one, two] = [join(place.path, "one"), join(place.path, "two")];
  expect(await run(["restore", dest, "--data-dir", one])).toMatchObject({ code: 0, stderr: "" });
  const unpacked = await run(["restore", "-", "--data-dir", two], {
    wrapper: inShell(`exec < '${archive}'`),
  });
  expect(unpacked).toMatchObject({ code: 0, stderr: "" });
  for (const restored of [one, two]) {
    await using other = await serve({ dataDir: restored });
    // Reads each content, and compares its digest with the record.
    expect(await heldBy(other.client(agent.key), agent.drive)).toMatchObject(before);
    expect(await other.stop()).toBe(0);
  }
});

test("a backup killed at any moment, under writes, leaves every finished one whole, and holds nothing up", async () => {
  await using place = await temporaryDirectory(FAST_DIRECTORY);
  const [dataDir, path] = [place.dataDir, join(place.path, "dest")];
  await using server = await serve({ dataDir });
  const agent = await provision(server);
  await upload(agent, 30);
  const command = [await executable(), "backup", path, "--keep", "2", "--data-dir", dataDir];
  const start = performance.now();
  expect(await Bun.spawn(command, { stdout: "ignore" }).exited).toBe(0);
  let duration = performance.now() - start;
  let killed = 0;
  const writing = write(agent, 0, () => killed === KILLS);
  while (killed < KILLS) {
    const child = Bun.spawn(command, { stdout: "ignore", stderr: "inherit" });
    await Bun.sleep(duration * (0.2 + (0.8 * killed) / KILLS));
    child.kill("SIGKILL");
    // One that was done before takes less time than the first.
    if ((await child.exited) === 0) duration *= 0.8;
    else killed += 1;
    const complete = (await keptBackups(new DirectoryPlace(path))).filter(({ isComplete }) => isComplete);
    expect(complete.length).toBeGreaterThan(0);
    for (const { id } of complete) {
      const restored = join(place.path, "restored");
      const { missing } = await restoreFrom({ kind: "directory", path }, id, restored);
      expect(missing).toEqual([]);
      await rm(restored, { recursive: true });
    }
  }
  expect(await writing).toBeGreaterThan(0);
  expect(await run(command.slice(1))).toMatchObject({ code: 0, stderr: "" });
  const kept = await keptBackups(new DirectoryPlace(path));
  expect(kept.map(({ isComplete }) => isComplete)).toEqual([true, true]);
  expect((await readdir(join(dataDir, "tmp"))).filter((name) => name.startsWith("backup-"))).toEqual([]);
});

test("a restore killed at any moment is done again with the same command", async () => {
  await using place = await temporaryDirectory(FAST_DIRECTORY);
  const at = (name: string) => join(place.path, name);
  const [dataDir, dest, restored] = [at("data"), at("dest"), at("restored")];
  await using server = await serve({ dataDir });
  const agent = await provision(server);
  await upload(agent, 60);
  const held = await heldBy(agent.client, agent.drive);
  expect(await run(["backup", dest, "--data-dir", dataDir])).toMatchObject({ code: 0 });
  const command = [await executable(), "restore", dest, "--data-dir", restored];
  let killed = 0;
  for (let ms = 40; !existsSync(join(restored, "coffer.db")); ms += KILL_STEP) {
    const child = Bun.spawn(command, { stdout: "ignore", stderr: "inherit" });
    await Bun.sleep(ms);
    child.kill("SIGKILL");
    await child.exited;
    // Not refused.
    expect(child.exitCode ?? 0).toBe(0);
    if (child.exitCode !== 0) killed += 1;
    else if (killed === 0) {
      // It was over before its kill came: once more, and earlier.
      await rm(restored, { recursive: true });
      ms = -KILL_STEP;
    }
  }
  expect(killed).toBeGreaterThan(0);
  await using other = await serve({ dataDir: restored });
  expect(await heldBy(other.client(agent.key), agent.drive)).toEqual(held);
});

test("an S3 server keeps backups like a directory, and one that is busy for a moment is asked again", async () => {
  using s3 = startS3Server("a-bucket");
  await using place = await temporaryDirectory(FAST_DIRECTORY);
  await using server = await serve(place);
  const agent = await provision(server);
  await upload(agent, 12);
  const where = "s3://a-bucket/some/where";
  const backup = (...flags: string[]) =>
    run(["backup", where, "--data-dir", place.dataDir, ...flags], { env: s3.env });
  s3.failing = 2;
  expect(await backup()).toMatchObject({
    code: 0,
    stderr: "",
    stdout: expect.stringContaining("new there: 8."),
  });
  await upload(agent, 3, 50);
  expect(await backup("--keep", "1")).toMatchObject({
    code: 0,
    stdout: expect.stringMatching(/new there: 2\.\nRemoved what is no longer kept\. Backups: 1; contents: 0/),
  });
  expect([...s3.objects.keys()].every((name) => name.startsWith("some/where/"))).toBe(true);
  const held = await heldBy(agent.client, agent.drive);
  const restored = join(place.path, "restored");
  expect(await run(["restore", where, "--data-dir", restored], { env: s3.env })).toMatchObject({
    code: 0,
    stderr: "",
  });
  await using other = await serve({ dataDir: restored });
  expect(await heldBy(other.client(agent.key), agent.drive)).toEqual(held);
  s3.objects.set("else/where/letter", new Uint8Array(1));
  const foreign = ["backup", "s3://a-bucket/else", "--data-dir", place.dataDir];
  expect(await run(foreign, { env: s3.env })).toMatchObject({
    code: 1,
    stderr: expect.stringContaining("holds where/letter"),
  });
  const unreachable = { ...s3.env, S3_ENDPOINT: "http://127.0.0.1:1" };
  const failed = await run(["backup", where, "--data-dir", place.dataDir], { env: unreachable });
  expect(failed).toMatchObject({ code: 1, stderr: expect.stringContaining("Check S3_ENDPOINT") });
  // A list without an end does not keep a backup for ever.
  s3.isStuck = true;
  expect(await backup()).toMatchObject({ code: 1, stderr: expect.stringContaining("the same page again") });
});

test.skipIf(NO_SMALL_DISK !== "")(
  withReason(
    "a full disk ends a backup with what to do, and the next one removes what is left",
    NO_SMALL_DISK,
  ),
  async () => {
    await using disk = await SmallDisk.mount(6);
    await using place = await temporaryDirectory(FAST_DIRECTORY);
    const [dataDir, dest] = [place.dataDir, join(disk.path, "dest")];
    await using server = await serve({ dataDir });
    const agent = await provision(server);
    await upload(agent, 15);
    const { wrapper } = disk;
    const backup = () => run(["backup", dest, "--data-dir", dataDir], { wrapper });
    const complete = async () => {
      const kept = await keptBackups(new DirectoryPlace(join(disk.outside, "dest")));
      return kept.map(({ isComplete }) => isComplete);
    };
    expect(await backup()).toMatchObject({ code: 0 });
    await upload(agent, 15, 100);
    disk.fill();
    const text = expect.stringContaining("The disk of the backups is full");
    expect(await backup()).toMatchObject({ code: 1, stderr: text });
    disk.clear();
    expect(await backup()).toMatchObject({ code: 0, stderr: "" });
    expect(await complete()).toEqual([true, true]);
    expect(await run(["restore", dest, "--data-dir", join(place.path, "r")], { wrapper })).toMatchObject({
      code: 0,
    });
  },
);

test("commands without a place, or with a bad one, say what is wrong and change nothing", async () => {
  await using place = await temporaryDirectory(FAST_DIRECTORY);
  await mkdir(place.dataDir);
  const refused = async (args: readonly string[], text: string, env: Record<string, string> = {}) =>
    expect(await run([...args, "--data-dir", place.dataDir], { env })).toEqual({
      code: 1,
      stdout: "",
      stderr: expect.stringContaining(text),
    });
  await refused(["backup"], "Give a DEST, or set COFFER_BACKUP");
  await refused(["backup", "ftp://x/y"], "DEST must be");
  await refused(["backup", join(place.path, "dest")], "is not a Coffer data directory");
  await refused(["backup"], "COFFER_BACKUP", { COFFER_BACKUP: "https://example.com/" });
  await refused(["backup", "dest", "--keep", "0"], "must be a whole number");
  await refused(["restore"], "Give exactly one SRC");
  await refused(["restore", "-", "--backup", "x"], "leave --backup out");
  await refused(["restore", place.path], "holds no backups of Coffer");
  expect(await readdir(place.dataDir)).toEqual([]);
});
