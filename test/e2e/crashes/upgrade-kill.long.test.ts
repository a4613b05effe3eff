import { test } from "bun:test";
import { NO_STRACE } from "../../support/faults/faults.ts";
import { withReason } from "../../support/server/skip.ts";
import { prepareUpgrade } from "../../support/faults/upgrade-kill.ts";

/** Between two writes at which it is killed: most are alike. Every other call is tried. */
const STRIDE = 4;

test.skipIf(NO_STRACE !== "")(
  withReason("wherever an upgrade is killed, it leaves the old database or the new one", NO_STRACE),
  async () => {
    await using upgrade = await prepareUpgrade();
    for (const call of upgrade.calls) {
      if (call.name !== "pwrite64" || call.when % STRIDE === 0) await upgrade.killedAt(call);
    }
  },
  300_000,
);
