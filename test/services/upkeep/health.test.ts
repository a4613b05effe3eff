import { expect, test } from "bun:test";
import { rm } from "node:fs/promises";
import { dirname } from "node:path";
import { startAppliance, type TestAppliance } from "../../support/server/appliance.ts";
import { sampleBytes } from "../../support/samples/blob-store-contract.ts";
import { provision } from "../../support/server/scenario.ts";
import { fileOf } from "../../support/samples/contents.ts";
import { hashOf } from "../../support/samples/hash.ts";
import { failureOf } from "../../support/samples/failure.ts";

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
  expect([warnings(), (await coffer.client().send("GET", "/readyz")).status]).toEqual([4, 503]);
});

test("a disk that is gone has failed, which is logged once, and not as a disk that answers again", async () => {
  const coffer = await startAppliance();
  const { health } = coffer.appliance.services;
  const logged = (text: string) => coffer.lines.filter((line) => line.includes(text)).length;
  await rm(coffer.dataDir, { recursive: true });
  await health.watch();
  expect(logged("the data directory is gone")).toBe(1);
  const body = { name: "Nowhere" };
  expect((await coffer.client().send("POST", "/v0/drives/provision", { body })).status).toBe(503);
  await health.watch();
  expect(coffer.lines.filter((line) => /disk|is gone/.test(line))).toHaveLength(1);
  expect(await failureOf(coffer.close())).toBeInstanceOf(Error);
  await rm(dirname(coffer.dataDir), { recursive: true });
});

/** Stores contents that are files, and returns where they are. */
async function storedFiles(coffer: TestAppliance, count: number) {
  const { id, key } = await provision(coffer);
  return Array.fromAsync({ length: count }, async (_, at) => {
    const body = sampleBytes(20_000, at + 1);
    const put = (status: number) => coffer.client(key).put(id, `${at}.bin`, body, status);
    await put(201);
    return { file: fileOf(coffer.dataDir, hashOf(body)), heal: () => put(200) };
  });
}

test("contents that are older than the database are a problem after the start, until they are there again", async () => {
  await using coffer = await startAppliance();
  const stored = await storedFiles(coffer, 12);
  const lost = stored.slice(9);
  await Promise.all(lost.map(({ file }) => rm(file)));
  await coffer.restart();
  await coffer.appliance.services.missingContents.check();
  const [told = "", ...more] = coffer.lines.filter((line) => line.includes("contents are missing"));
  expect(more).toEqual([]);
  for (const part of ['"level":"error"', '"missing":3', '"looked_for":12', "backup", "coffer verify"]) {
    expect(told).toContain(part);
  }
  const ready = await coffer.client().json<object>(503, "GET", "/readyz");
  expect(ready).toMatchObject({ problems: ["contents_missing"], scrub: { damaged: 3 } });
  await coffer.client().get("/healthz");
  for (const { heal } of lost) await heal();
  await coffer.client().get("/readyz");
});

test("one content that is missing is damage, and no reason to send nobody to the server; nor is a disk with room", async () => {
  await using coffer = await startAppliance();
  const [lost] = await storedFiles(coffer, 3);
  await rm(lost?.file ?? "");
  const { missingContents, scrub, health } = coffer.appliance.services;
  await missingContents.check();
  expect(scrub.status().damaged).toBe(1);
  expect(coffer.lines.filter((line) => line.includes("contents are missing"))).toEqual([]);
  await coffer.client().get("/readyz");
  // Nor has the disk a problem, which has room.
  await health.watch();
  expect([await health.problems(), coffer.lines.filter((line) => line.includes("disk"))]).toEqual([[], []]);
});
