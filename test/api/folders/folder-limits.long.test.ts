import { testLimits } from "../../support/samples/folder-limits.ts";
import { openStage } from "../../support/server/scenario.ts";

testLimits(openStage(), "move");
