import { afterAll, describe, expect, test } from "bun:test";
import { CHANGES, type Change, FILE_CHANGES, isOneCommit, prepare } from "../../support/faults/changes.ts";
import { type Fault, NO_STRACE } from "../../support/faults/faults.ts";
import { changeWithFault, type Meanwhile, type Trial, tryOut } from "../../support/faults/faulty-change.ts";
import { SEED } from "../../support/server/seed.ts";
import { withReason } from "../../support/server/skip.ts";
import { FAST_DIRECTORY } from "../../support/server/temporary-directory.ts";

// What a killed process has written is there without a sync.
const prepared = await prepare(FAST_DIRECTORY);
afterAll(() => prepared[Symbol.asyncDispose]());

/** Calls that fail, each once. `growth` is by how much the number of the call grows; at least by one. */
type FaultyCalls = Omit<Fault, "when"> & { readonly growth?: number };

/**
 * The system calls by which a change reaches the disk. The question mark is for machines that lack a call. A hundred
 * writes of the log's pages are alike to SQLite: of these the first, and ever fewer of the later ones.
 */
const FAULTS: readonly FaultyCalls[] = [
  { calls: "fsync,fdatasync", error: "EIO" },
  { calls: "pwrite64", error: "EIO", growth: 1.4 },
  { calls: "pwrite64", error: "ENOSPC", growth: 1.4 },
  { calls: "?rename,renameat,renameat2", error: "EIO" },
  { calls: "?unlink,unlinkat", error: "EIO" },
  { calls: "?open,openat", error: "EIO" },
];

/** What a change writes in the log is cut at each write in log-cuts.long.test.ts: kills amid it are a sample. */
const KILLS: readonly FaultyCalls[] = [
  { calls: "pwrite64", error: "KILL", growth: 2 },
  { calls: "fsync,fdatasync", error: "KILL" },
  { calls: "?mkdir,mkdirat,?rename,renameat,renameat2,?unlink,unlinkat", error: "KILL" },
];

/** More calls of one kind than a change makes on any thread. */
const ENOUGH = 200;
/** How many servers run side by side. */
const AT_ONCE = 4;

/**
 * Injects a fault into the first call of each thread, then into a later one, and so on until none is left. Those that
 * the trial made are tried side by side.
 */
async function atEachCall(trial: Trial, { growth = 1, ...fault }: FaultyCalls): Promise<void> {
  const last = trial.times(fault.calls);
  for (let n = 1; n < ENOUGH;) {
    const numbers: number[] = [];
    do {
      numbers.push(n);
      n = Math.max(n + 1, Math.floor(n * growth));
    } while (n <= last && numbers.length < AT_ONCE);
    const outcomes = await Promise.all(
      numbers.map((when) => changeWithFault(prepared, trial, { ...fault, when: String(when) })),
    );
    if (outcomes.some(({ hits }) => hits.length === 0)) return;
  }
  expect().fail(`there are more than ${ENOUGH} calls`);
}

describe.skipIf(NO_STRACE !== "")(withReason("a write", NO_STRACE), () => {
  const trials = new Map<string, Promise<Trial>>();
  /** Each change is tried once, for all faults. */
  const trialOf = (change: Change, meanwhile: Meanwhile) =>
    trials.getOrInsertComputed(`${change.name}, ${meanwhile}`, () => tryOut(prepared, change, meanwhile));

  for (const [at, fault] of FAULTS.entries()) {
    for (const [row, change] of FILE_CHANGES.filter(isOneCommit).entries()) {
      // Half of them, by the seed: each has one of the two, and each change meets half of the faults.
      if ((at + row + SEED) % 2 === 0) continue;
      const meanwhile = (at + (row >> 1)) % 2 === 0 ? "nothing" : "another write";
      test(`with ${fault.error} at each ${fault.calls} of ${change.name}, then ${meanwhile} and a kill: whole or not at all`, async () =>
        await atEachCall(await trialOf(change, meanwhile), fault));
    }
  }

  for (const kill of KILLS) {
    test.each(CHANGES.filter(isOneCommit))(
      `with a kill at each ${kill.calls} of $name: whole or not at all`,
      async (change) => await atEachCall(await trialOf(change, "nothing"), kill),
    );
  }
});
