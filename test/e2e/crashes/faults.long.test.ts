import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { CHANGES, type Change, FILE_CHANGES, prepare, type Prepared } from "../../support/faults/changes.ts";
import { type Fault, NO_STRACE } from "../../support/faults/faults.ts";
import { changeWithFault, effectOf, type Meanwhile } from "../../support/faults/faulty-change.ts";
import { withReason } from "../../support/server/skip.ts";
import { FAST_DIRECTORY } from "../../support/server/temporary-directory.ts";

type FaultyCalls = Omit<Fault, "when">;

/** The system calls by which a change reaches the disk. The question mark is for machines that lack a call. */
const FAULTS: readonly FaultyCalls[] = [
  { calls: "fsync,fdatasync", error: "EIO" },
  { calls: "pwrite64", error: "EIO" },
  { calls: "pwrite64", error: "ENOSPC" },
  { calls: "?rename,renameat,renameat2", error: "EIO" },
  { calls: "?unlink,unlinkat", error: "EIO" },
  { calls: "?open,openat", error: "EIO" },
];
const MEANWHILE: readonly Meanwhile[] = ["nothing", "another write"];

/** What a change writes in the log is cut at each write in log-cuts.long.test.ts: kills amid it are a sample. */
const KILLS: readonly (FaultyCalls & { readonly growth: number })[] = [
  { calls: "pwrite64", error: "KILL", growth: 1.5 },
  { calls: "fsync,fdatasync", error: "KILL", growth: 1 },
  { calls: "?mkdir,mkdirat,?rename,renameat,renameat2,?unlink,unlinkat", error: "KILL", growth: 1 },
];

/** More calls of one kind than a change makes on any thread. */
const ENOUGH = 200;
/** How many servers run side by side. */
const AT_ONCE = 4;

/**
 * Injects a fault into the first call of each thread, then into a later one, and so on until none is left. `growth` is
 * by how much the number of the call grows; at least by one.
 */
async function atEachCall(
  prepared: Prepared,
  change: Change,
  { growth = 1, ...calls }: FaultyCalls & { readonly growth?: number },
  meanwhile: Meanwhile,
): Promise<void> {
  const effect = await effectOf(prepared, change);
  const next = (n: number) => Math.max(n + 1, Math.floor(n * growth));
  for (let n = 1; n < ENOUGH;) {
    const numbers: number[] = [];
    while (numbers.length < AT_ONCE) {
      numbers.push(n);
      n = next(n);
    }
    const outcomes = await Promise.all(
      numbers.map((when) =>
        changeWithFault({ prepared, change, effect }, { ...calls, when: String(when) }, meanwhile),
      ),
    );
    if (outcomes.some(({ hits }) => hits.length === 0)) return;
  }
  expect().fail(`there are more than ${ENOUGH} calls`);
}

describe.skipIf(NO_STRACE !== "")(withReason("a write", NO_STRACE), () => {
  let prepared: Prepared;
  beforeAll(async () => {
    // What a killed process has written is there without a sync.
    prepared = await prepare(FAST_DIRECTORY);
  });
  afterAll(() => prepared[Symbol.asyncDispose]());

  for (const fault of FAULTS) {
    for (const meanwhile of MEANWHILE) {
      for (const change of FILE_CHANGES) {
        test(`with ${fault.error} at each ${fault.calls} of ${change.name}, then ${meanwhile} and a kill: whole or not at all`, () =>
          atEachCall(prepared, change, fault, meanwhile));
      }
    }
  }

  for (const kill of KILLS) {
    test.each(CHANGES)(`with a kill at each ${kill.calls} of $name: whole or not at all`, (change) =>
      atEachCall(prepared, change, kill, "nothing"),
    );
  }
});
