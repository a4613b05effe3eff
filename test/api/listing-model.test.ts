import { test } from "bun:test";
import { openStage } from "../support/scenario.ts";
import { KEEPS_A_DAY, runTreeModel } from "../support/tree-model.ts";

const stage = openStage(KEEPS_A_DAY);

test("lists, totals, folders and counts agree with a simple model", () => runTreeModel(stage, 1));
