import { expect, test } from "bun:test";
import { existsSync } from "node:fs";
import { rm } from "node:fs/promises";
import { join } from "node:path";
import { DirectoryPlace } from "../../../src/backup/directory-place.ts";
import { keptBackups } from "../../../src/backup/manifest.ts";
import { restoreFrom } from "../../../src/backup/restore.ts";
import { provision, run, serve } from "../../support/server/executable.ts";
import { contentOf, heldBy, NO_STRACE, put } from "../../support/faults/faults.ts";
import { withReason } from "../../support/server/skip.ts";
import { FAST_DIRECTORY, temporaryDirectory } from "../../support/server/temporary-directory.ts";

const FILES = 8;
/** More calls than a backup of so few files makes in one thread. */
const MOST_CALLS = 200;

/** A running server with some files, and what its drive holds. */
async function start() {
  await using opened = new AsyncDisposableStack();
  const { path } = opened.use(await temporaryDirectory(FAST_DIRECTORY));
  const dataDir = join(path, "data");
  const server = opened.use(await serve({ dataDir, env: { COFFER_SWEEP_INTERVAL: "10ms" } }));
  const agent = await provision(server);
  for (let n = 0; n < FILES; n++) {
    expect(await put(agent.client, agent.drive, `f${n}`, contentOf(`content ${n}`, 20_000))).toBe(201);
  }
  const held = await heldBy(agent.client, agent.drive);
  const owned = opened.move();
  return {
    ...agent,
    held,
    dataDir,
    at: (name: string) => join(path, name),
    [Symbol.asyncDispose]: () => owned.disposeAsync(),
  };
}

/** Runs a command in which the nth of some calls fails, in each thread. Says whether one did. */
async function runWithFault(args: readonly string[], calls: string, error: string, n: number, log: string) {
  const inject = ["-e", `trace=${calls}`, "-e", `inject=${calls}:error=${error}:when=${n}`];
  const ended = await run(args, { wrapper: ["strace", "-f", "-qq", "-o", log, ...inject] });
  return { ...ended, isHit: (await Bun.file(log).text()).includes("(INJECTED)") };
}

async function completeIn(path: string): Promise<string[]> {
  const kept = await keptBackups(new DirectoryPlace(path));
  return kept.filter(({ isComplete }) => isComplete).map(({ id }) => id);
}

/** Restores every complete backup of a place: each must be whole. */
async function requireWhole(path: string, restored: string): Promise<void> {
  for (const id of await completeIn(path)) {
    const { missing } = await restoreFrom({ kind: "directory", path }, id, restored);
    expect([id, missing]).toEqual([id, []]);
    await rm(restored, { recursive: true });
  }
}

const FAULTS: readonly (readonly [calls: string, error: string])[] = [
  ["fsync,fdatasync", "EIO"],
  ["rename,renameat,renameat2", "EIO"],
  ["link,linkat", "EIO"],
  ["mkdir,mkdirat", "ENOSPC"],
  ["unlink,unlinkat", "EIO"],
];

test.skipIf(NO_STRACE !== "").each(FAULTS)(
  withReason("a backup is whole or not complete, whichever %s fails with %s", NO_STRACE),
  async (calls, error) => {
    await using t = await start();
    let hits = 0;
    for (let n = 1, isHit = true; isHit; n++) {
      const place = t.at(`place ${n}`);
      // Two, and the second removes the first.
      const args = ["backup", place, "--keep", "1", "--data-dir", t.dataDir];
      const first = await runWithFault(args, calls, error, n, t.at("log"));
      if (first.code === 0) expect(await completeIn(place)).toHaveLength(1);
      await requireWhole(place, t.at("restored"));
      const second = await runWithFault(args, calls, error, n, t.at("log"));
      await requireWhole(place, t.at("restored"));
      if (first.code !== 0) expect(first.stderr).toStartWith("coffer: ");
      expect(await run(args)).toMatchObject({ code: 0, stderr: "" });
      expect(await completeIn(place)).toHaveLength(1);
      isHit = first.isHit || second.isHit;
      hits += isHit ? 1 : 0;
      expect(n).toBeLessThan(MOST_CALLS);
      await rm(place, { recursive: true });
    }
    expect(hits).toBeGreaterThan(0);
  },
);

test.skipIf(NO_STRACE !== "").each(FAULTS.filter(([calls]) => !calls.startsWith("link")))(
  withReason("a restore is whole or is done again, whichever %s fails with %s", NO_STRACE),
  async (calls, error) => {
    await using t = await start();
    expect(await run(["backup", t.at("place"), "--data-dir", t.dataDir])).toMatchObject({ code: 0 });
    let hits = 0;
    for (let n = 1, isHit = true; isHit; n++) {
      const dataDir = t.at("restored");
      const args = ["restore", t.at("place"), "--data-dir", dataDir];
      const failed = await runWithFault(args, calls, error, n, t.at("log"));
      isHit = failed.isHit;
      hits += isHit ? 1 : 0;
      if (!existsSync(join(dataDir, "coffer.db"))) {
        expect(failed.code).toBe(1);
        expect(await run(args)).toMatchObject({ code: 0, stderr: "" });
      }
      await using other = await serve({ dataDir });
      expect(await heldBy(other.client(t.key), t.drive)).toEqual(t.held);
      await other.stop();
      expect(n).toBeLessThan(MOST_CALLS);
      await rm(dataDir, { recursive: true });
    }
    expect(hits).toBeGreaterThan(0);
  },
);
