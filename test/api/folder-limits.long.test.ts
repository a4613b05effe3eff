import { testLimits } from "../support/folder-limits.ts";
import { openStage } from "../support/scenario.ts";

testLimits(openStage(), "move");
