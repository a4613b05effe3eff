import { testLimits } from "../../support/samples/folder-limits.ts";
import { openStage } from "../../support/server/scenario.ts";
import { beThorough } from "../../support/server/thorough.ts";

beThorough();
testLimits(openStage(), "move");
