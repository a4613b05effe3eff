import { test } from "bun:test";
import { runSnapshotModel } from "../../support/models/snapshot-model.ts";

test.each([1, 2, 3, 4])("snapshots, restores and forks agree with plain copies, seed %i", (seed) =>
  runSnapshotModel(seed, 300),
);
