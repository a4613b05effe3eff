import { test } from "bun:test";
import { openStage } from "../../support/server/scenario.ts";
import { KEEPS_A_DAY, runTreeModel } from "../../support/models/tree-model.ts";

const stage = openStage(KEEPS_A_DAY);

test("lists, totals, folders and counts agree with a simple model", () => runTreeModel(stage, 1, 50));
