import { test } from "bun:test";
import { killAgainAndAgain } from "../../support/faults/mixed-kill.ts";
import { FAST_DIRECTORY, temporaryDirectory } from "../../support/server/temporary-directory.ts";

test("200 kills amid everything at once lose nothing that was answered, and leave nothing half done", async () => {
  // What a killed process has written is there without a sync.
  await using place = await temporaryDirectory(FAST_DIRECTORY);
  await killAgainAndAgain(place.dataDir, 200);
});
