import { test } from "bun:test";
import { openStage } from "../../support/server/scenario.ts";
import { KEEPS_A_DAY, runTreeModel } from "../../support/models/tree-model.ts";

const stage = openStage(KEEPS_A_DAY);

test.each(Array.from({ length: 6 }, (_, index) => index + 100))(
  "lists, totals, folders and counts agree with a simple model, seed %p",
  (seed) => runTreeModel(stage, seed, 250),
);
