import { expect, test } from "bun:test";
import { startAppliance } from "../../support/server/appliance.ts";
import { sendGenerated } from "../../support/generated/run.ts";
import { verified } from "../../support/faults/verified.ts";

test("every answer to a generated request is one that is described", async () => {
  await using coffer = await startAppliance({ signups: "open" });
  const { appliance, dataDir, clock } = coffer;
  const { faults } = await sendGenerated({ url: appliance.url, dataDir, clock }, 1, 400);
  expect(faults).toEqual([]);
  expect(coffer.lines.filter((line) => /"level":"error"|request failed/.test(line))).toEqual([]);
  await coffer.close();
  expect(await verified(dataDir)).toEqual([]);
});
