import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import {
  CHANGES,
  changeWithFault,
  type Fault,
  type Meanwhile,
  NO_STRACE,
  prepare,
  type Prepared,
} from "../support/faults.ts";
import { withReason } from "../support/skip.ts";

/** The system calls by which a change reaches the disk. The question mark is for machines that lack a call. */
const FAULTS: readonly Omit<Fault, "when">[] = [
  { calls: "fsync,fdatasync", error: "EIO" },
  { calls: "pwrite64", error: "EIO" },
  { calls: "pwrite64", error: "ENOSPC" },
  { calls: "?rename,renameat,renameat2", error: "EIO" },
  { calls: "?unlink,unlinkat", error: "EIO" },
  { calls: "?open,openat", error: "EIO" },
];
const MEANWHILE: readonly Meanwhile[] = ["nothing", "another write"];

/** More calls of one kind than a change makes on any thread. */
const ENOUGH = 200;
/** How many servers run side by side. */
const AT_ONCE = 4;

describe.skipIf(NO_STRACE !== "")(withReason("a disk that fails", NO_STRACE), () => {
  let prepared: Prepared;
  beforeAll(async () => {
    prepared = await prepare();
  });
  afterAll(() => prepared[Symbol.asyncDispose]());

  for (const fault of FAULTS) {
    for (const meanwhile of MEANWHILE) {
      for (const change of CHANGES) {
        test(`with ${fault.error} at each ${fault.calls} of ${change.name}, then ${meanwhile} and a kill: whole or not at all`, async () => {
          for (let first = 1; first < ENOUGH; first += AT_ONCE) {
            const outcomes = await Promise.all(
              Array.from({ length: AT_ONCE }, (_, n) =>
                changeWithFault(prepared, change, { ...fault, when: String(first + n) }, meanwhile),
              ),
            );
            if (outcomes.some(({ hits }) => hits.length === 0)) return;
          }
          expect().fail(`there are more than ${ENOUGH} calls`);
        });
      }
    }
  }
});
