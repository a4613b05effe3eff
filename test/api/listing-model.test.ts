import { test } from "bun:test";
import { openStage } from "../support/scenario.ts";
import { runTreeModel } from "../support/tree-model.ts";

const stage = openStage();

test("lists, totals, folders and counts agree with a simple model", () => runTreeModel(stage, 1));
