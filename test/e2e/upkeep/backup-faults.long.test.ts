import { expect, test } from "bun:test";
import { existsSync } from "node:fs";
import { rm } from "node:fs/promises";
import { join } from "node:path";
import { rowsIn } from "../../support/faults/change-database.ts";
import { completeIn, heldIn, requireWhole, startFilled, succeed } from "../../support/faults/backups.ts";
import { NO_STRACE } from "../../support/faults/faults.ts";
import { run } from "../../support/server/executable.ts";
import { withReason } from "../../support/server/skip.ts";

const FILES = 12;
const SWEEPS = { COFFER_SWEEP_INTERVAL: "10ms" };
/** More calls than a backup of so few files makes in one thread. */
const MOST_CALLS = 200;

/** Runs a command in which the nth of some calls fails, in each thread. Says whether one did. */
async function runWithFault(args: readonly string[], calls: string, error: string, n: number, log: string) {
  const inject = ["-e", `trace=${calls}`, "-e", `inject=${calls}:error=${error}:when=${n}`];
  const ended = await run(args, { wrapper: ["strace", "-f", "-qq", "-o", log, ...inject] });
  return { ...ended, isHit: (await Bun.file(log).text()).includes("(INJECTED)") };
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
    await using t = await startFilled(FILES, SWEEPS);
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
      await succeed(args);
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
    await using t = await startFilled(FILES, SWEEPS);
    await succeed(["backup", t.at("place"), "--data-dir", t.dataDir]);
    let hits = 0;
    for (let n = 1, isHit = true; isHit; n++) {
      const dataDir = t.at("restored");
      const args = ["restore", t.at("place"), "--data-dir", dataDir];
      const failed = await runWithFault(args, calls, error, n, t.at("log"));
      isHit = failed.isHit;
      hits += isHit ? 1 : 0;
      if (!existsSync(join(dataDir, "coffer.db"))) {
        expect(failed.code).toBe(1);
        await succeed(args);
      }
      expect(rowsIn(dataDir, "SELECT action FROM audit_event")).toEqual([["store.restored"]]);
      expect(await heldIn(dataDir, t.agent)).toEqual(t.held);
      expect(n).toBeLessThan(MOST_CALLS);
      await rm(dataDir, { recursive: true });
    }
    expect(hits).toBeGreaterThan(0);
  },
);
