import { expect, test } from "bun:test";
import { existsSync } from "node:fs";
import { mkdir, readdir, rm } from "node:fs/promises";
import { join } from "node:path";
import { DirectoryPlace } from "../../../src/backup/directory-place.ts";
import { keptBackups } from "../../../src/backup/manifest.ts";
import { heldIn, requireWhole, sizeOf, startFilled, succeed, upload } from "../../support/faults/backups.ts";
import { type Agent, executable, inShell, run } from "../../support/server/executable.ts";
import { contentOf, heldBy } from "../../support/faults/faults.ts";
import { type S3Fault, S3Server, SLOW_DOWN, times } from "../../support/peers/s3-server.ts";
import { withReason } from "../../support/server/skip.ts";
import { NO_SMALL_DISK, SmallDisk } from "../../support/faults/small-disk.ts";
import { FAST_DIRECTORY, temporaryDirectory } from "../../support/server/temporary-directory.ts";
import { isThorough, longTest } from "../../support/server/thorough.ts";

const WRITERS = 4;
const KILLS = 30;
/** By how many milliseconds each kill of a restore comes later than the one before. */
const KILL_STEP = 15;

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
  await using t = await startFilled(isThorough() ? 60 : 20, { COFFER_SWEEP_INTERVAL: "10ms" });
  const [archive, one, two] = [t.at("archive.tar"), t.at("one"), t.at("two")];
  let isOver = false;
  const writers = Array.from({ length: WRITERS }, (_, n) => write(t.agent, n, () => isOver));
  try {
    await succeed(["backup", t.at("dest"), "--data-dir", t.dataDir]);
    const wrapper = ["sh", "-c", `exec "$0" "$@" > '${archive}'`];
    const streamed = await run(["backup", "-", "--data-dir", t.dataDir], { wrapper });
    expect(streamed).toMatchObject({ code: 0, stdout: "" });
  } finally {
    isOver = true;
  }
  expect(Math.min(...(await Promise.all(writers)))).toBeGreaterThan(0);
  await succeed(["restore", t.at("dest"), "--data-dir", one]);
  await succeed(["restore", "-", "--data-dir", two], { wrapper: inShell(`exec < '${archive}'`) });
  for (const restored of [one, two]) expect(await heldIn(restored, t.agent)).toMatchObject(t.held);
});

longTest(
  "a backup killed at any moment, under writes, leaves every finished one whole, and holds nothing up",
  async () => {
    await using t = await startFilled(30);
    const path = t.at("dest");
    const args = ["backup", path, "--keep", "2", "--data-dir", t.dataDir];
    const command = [await executable(), ...args];
    const begun = performance.now();
    await succeed(args);
    let duration = performance.now() - begun;
    let killed = 0;
    const writing = write(t.agent, 0, () => killed === KILLS);
    while (killed < KILLS) {
      const child = Bun.spawn(command, { stdout: "ignore", stderr: "inherit" });
      await Bun.sleep(duration * (0.2 + (0.8 * killed) / KILLS));
      child.kill("SIGKILL");
      // One that was done before takes less time than the first.
      if ((await child.exited) === 0) duration *= 0.8;
      else killed += 1;
      expect(await requireWhole(path, t.at("restored"))).toBeGreaterThan(0);
    }
    expect(await writing).toBeGreaterThan(0);
    await succeed(args);
    const kept = await keptBackups(new DirectoryPlace(path));
    expect(kept.map(({ isComplete }) => isComplete)).toEqual([true, true]);
    expect((await readdir(join(t.dataDir, "tmp"))).filter((name) => name.startsWith("backup-"))).toEqual([]);
  },
);

longTest("a restore killed at any moment is done again with the same command", async () => {
  await using t = await startFilled(60);
  const restored = t.at("restored");
  await succeed(["backup", t.at("dest"), "--data-dir", t.dataDir]);
  const command = [await executable(), "restore", t.at("dest"), "--data-dir", restored];
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
  expect(await heldIn(restored, t.agent)).toEqual(t.held);
});

/** Runs a command that must fail; what it says. */
async function fail(...command: Parameters<typeof run>): Promise<string> {
  const { code, stderr } = await run(...command);
  expect(code).toBe(1);
  return stderr;
}

const EMPTY_LIST: S3Fault = {
  kind: "answer",
  status: 200,
  code: "",
  body: "<ListBucketResult><IsTruncated>false</IsTruncated></ListBucketResult>",
};

if (isThorough()) {
  test("an S3 server keeps backups like a directory, and one that is busy for a moment is asked again", async () => {
    await using s3 = await S3Server.start("a-bucket");
    const { env } = s3;
    await using t = await startFilled(12);
    const where = "s3://a-bucket/some/where";
    const args = ["backup", where, "--data-dir", t.dataDir];
    s3.fault = times(2, SLOW_DOWN);
    expect(await succeed(args, { env })).toContain("new there: 8.");
    await upload(t.agent, 3, 50);
    const held = await heldBy(t.agent.client, t.agent.drive);
    expect(await succeed([...args, "--keep", "1"], { env })).toMatch(
      /new there: 2\.\nRemoved what is no longer kept\. Backups: 1; contents: 0/,
    );
    expect([...s3.objects.keys()].every((name) => name.startsWith("some/where/"))).toBe(true);
    await succeed(["restore", where, "--data-dir", t.at("restored")], { env });
    expect(await heldIn(t.at("restored"), t.agent)).toEqual(held);
    s3.objects.set("else/where/letter", new Uint8Array(1));
    const foreign = ["backup", "s3://a-bucket/else", "--data-dir", t.dataDir];
    expect(await fail(foreign, { env })).toContain("holds where/letter");
    const unreachable = { ...env, S3_ENDPOINT: "http://127.0.0.1:1" };
    expect(await fail(args, { env: unreachable })).toContain("Check S3_ENDPOINT");
    // A list that lacks what is there, which a store may answer, removes nothing.
    const ofBackups = s3.asked
      .filter((asked) => /prefix=some(?:\/|%2F)where(?:\/|%2F)backups/.test(asked))
      .at(-1);
    let lists = 0;
    s3.fault = (asked) => (asked === ofBackups && ++lists > 2 ? EMPTY_LIST : null);
    expect(await fail(args, { env })).toContain("does not list the backup");
    await succeed(["restore", where, "--data-dir", t.at("again")], { env });
    expect(await heldIn(t.at("again"), t.agent)).toEqual(held);
    // A list without an end does not keep a backup for ever.
    s3.traits.isStuck = true;
    expect(await fail(args, { env })).toContain("comes again");
  });

  test.skipIf(NO_SMALL_DISK !== "")(
    withReason(
      "a full disk ends a backup with what to do, and the next one removes what is left",
      NO_SMALL_DISK,
    ),
    async () => {
      await using disk = await SmallDisk.mount(6);
      const { wrapper } = disk;
      await using t = await startFilled(15);
      const dest = join(disk.path, "dest");
      const args = ["backup", dest, "--data-dir", t.dataDir];
      await succeed(args, { wrapper });
      await upload(t.agent, 15, 100);
      disk.fill();
      expect(await fail(args, { wrapper })).toContain("The disk of the backups is full");
      disk.clear();
      await succeed(args, { wrapper });
      const kept = await keptBackups(new DirectoryPlace(join(disk.outside, "dest")));
      expect(kept.map(({ isComplete }) => isComplete)).toEqual([true, true]);
      await succeed(["restore", dest, "--data-dir", t.at("restored")], { wrapper });
    },
  );
}

test("a backup without a place, or with a bad one, says what is wrong and changes nothing", async () => {
  await using place = await temporaryDirectory(FAST_DIRECTORY);
  await mkdir(place.dataDir);
  for (const [text, ...args] of [
    ["Give a DEST, or set COFFER_BACKUP"],
    ["DEST must be", "ftp://x/y"],
    ["is not a Coffer data directory", join(place.path, "dest")],
    ["must be a whole number", "dest", "--keep", "0"],
  ]) {
    const ended = await run(["backup", ...args, "--data-dir", place.dataDir]);
    expect(ended).toEqual({ code: 1, stdout: "", stderr: expect.stringContaining(text ?? "") });
  }
  expect(await readdir(place.dataDir)).toEqual([]);
});
