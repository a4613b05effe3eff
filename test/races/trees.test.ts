import { afterAll, beforeAll, test } from "bun:test";
import * as fc from "fast-check";
import { runs } from "../support/models/properties.ts";
import { treeThreads } from "../support/races/tree-changes.ts";
import { TreeRaces } from "../support/races/tree-race.ts";

let races: TreeRaces;

beforeAll(async () => {
  races = await TreeRaces.open();
});
afterAll(() => races[Symbol.asyncDispose]());

test("changes of one drive at once come out as if one came after another, and every content is whole", async () => {
  await fc.assert(
    fc.asyncProperty(fc.scheduler(), treeThreads, (scheduler, threads) =>
      races.run(scheduler, threads, false),
    ),
    runs(0.5),
  );
});

test("so do changes of a folder that takes several transactions", async () => {
  await fc.assert(
    fc.asyncProperty(fc.scheduler(), treeThreads, (scheduler, threads) =>
      races.run(scheduler, threads, true),
    ),
    runs(0.2),
  );
});
