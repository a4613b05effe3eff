import { afterAll, beforeAll, test } from "bun:test";
import * as fc from "fast-check";
import { runs } from "../support/models/properties.ts";
import { driveThreads } from "../support/races/drive-events.ts";
import { DriveRaces } from "../support/races/drive-race.ts";

let races: DriveRaces;

beforeAll(async () => {
  races = await DriveRaces.open();
});
afterAll(() => races[Symbol.asyncDispose]());

test("claims, expiry, deletion, quota, links and keys at once come out as if one came after another", async () => {
  await fc.assert(
    fc.asyncProperty(fc.scheduler(), driveThreads, (scheduler, threads) => races.run(scheduler, threads)),
    runs(),
  );
});
