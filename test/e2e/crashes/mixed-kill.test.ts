import { test } from "bun:test";
import { killAgainAndAgain } from "../../support/faults/mixed-kill.ts";
import { FAST_DIRECTORY, temporaryDirectory } from "../../support/server/temporary-directory.ts";

// More rounds are in mixed-kill.long.test.ts.

test("kills amid everything at once lose nothing that was answered, and leave nothing half done", async () => {
  await using place = await temporaryDirectory(FAST_DIRECTORY);
  await killAgainAndAgain(place.dataDir, 3);
});
