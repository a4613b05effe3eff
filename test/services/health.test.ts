import { expect, test } from "bun:test";
import { rm } from "node:fs/promises";
import { dirname } from "node:path";
import { startAppliance } from "../support/appliance.ts";
import { rejectionOf } from "../support/upload-bodies.ts";

test("a disk without its reserve is a problem, and is logged at once and then once a minute", async () => {
  await using coffer = await startAppliance({ "disk-reserve": "4000TiB" });
  const { health } = coffer.appliance.services;
  expect(await health.problems()).toEqual(["storage_full"]);
  const warnings = () => coffer.lines.filter((line) => line.includes("the disk is full")).length;
  for (const [ms, expected] of [
    [0, 1],
    [1, 1],
    [59_998, 1],
    [1, 2],
    [59_999, 2],
    [1, 3],
  ] as const) {
    coffer.clock.advance(ms);
    await health.watch();
    expect(warnings()).toBe(expected);
  }
  // Else a clock that was set back would keep it silent.
  coffer.clock.set(-86_400_000);
  await health.watch();
  expect(warnings()).toBe(4);
  expect((await coffer.client().send("GET", "/readyz")).status).toBe(503);
});

test("a disk with room is no problem, and is not logged", async () => {
  await using coffer = await startAppliance();
  await coffer.appliance.services.health.watch();
  expect(await coffer.appliance.services.health.problems()).toEqual([]);
  expect(coffer.lines.filter((line) => line.includes("disk"))).toEqual([]);
});

test("a disk that is gone and then fails is not logged as a disk that answers again", async () => {
  const coffer = await startAppliance();
  const { health } = coffer.appliance.services;
  const logged = (text: string) => coffer.lines.filter((line) => line.includes(text)).length;
  await rm(coffer.dataDir, { recursive: true });
  await health.watch();
  expect(logged("the disk does not answer")).toBe(1);
  const body = { name: "Nowhere" };
  expect((await coffer.client().send("POST", "/v0/drives/provision", { body })).status).toBe(503);
  await health.watch();
  expect(logged("the disk has room again and answers")).toBe(0);
  expect(await rejectionOf(coffer.close())).toBeInstanceOf(Error);
  await rm(dirname(coffer.dataDir), { recursive: true });
});
