import { expect, test } from "bun:test";
import { NO_STRACE } from "../../support/faults/faults.ts";
import { withReason } from "../../support/server/skip.ts";
import { prepareUpgrade } from "../../support/faults/upgrade-kill.ts";

test.skipIf(NO_STRACE !== "")(
  withReason("an upgrade that is killed leaves the old database or the new one, and a whole copy", NO_STRACE),
  async () => {
    await using upgrade = await prepareUpgrade();
    expect(upgrade.calls.length).toBeGreaterThan(50);
    for (const share of [0.2, 0.5, 0.8, 0.99]) {
      const call = upgrade.calls[Math.floor(upgrade.calls.length * share)];
      if (call !== undefined) await upgrade.killedAt(call);
    }
  },
);
