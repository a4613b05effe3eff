import { test } from "bun:test";
import { openStage } from "../support/scenario.ts";
import { runTreeModel } from "../support/tree-model.ts";

const stage = openStage();

test.each([1, 2])("lists, totals, folders and counts agree with a simple model, seed %p", (seed) =>
  runTreeModel(stage, seed),
);
