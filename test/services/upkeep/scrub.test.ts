import { describe, expect, test } from "bun:test";
import { testWith } from "../../support/server/test-with.ts";
import { cp, rename, rm, writeFile } from "node:fs/promises";
import { startAppliance, type TestAppliance } from "../../support/server/appliance.ts";
import { flipped, sampleBytes } from "../../support/samples/blob-store-contract.ts";
import { type OwnDrive, provision } from "../../support/server/scenario.ts";
import { fileOf } from "../../support/samples/contents.ts";
import { hashOf } from "../../support/samples/hash.ts";

const HOUR_MS = 60 * 60 * 1000;

type Stored = Awaited<ReturnType<typeof put>>;

async function put({ id, client }: OwnDrive, content: Uint8Array<ArrayBuffer>) {
  const file = await client.put(id, `${crypto.randomUUID()}.bin`, content);
  return { id: file.id, digest: hashOf(content) };
}

/** Files with contents of their own, in the order of their digests. */
async function fill(drive: OwnDrive, count: number): Promise<Stored[]> {
  const files: Stored[] = [];
  for (let n = 0; n < count; n += 1)
    files.push(await put(drive, sampleBytes(n % 2 === 0 ? 100 : 20_000, n + 1)));
  return files.toSorted((a, b) => (a.digest < b.digest ? -1 : 1));
}

function scrubOf(coffer: TestAppliance) {
  return coffer.appliance.services.scrub;
}

function download({ client }: OwnDrive, { id }: Stored) {
  return client.send("GET", `/v0/files/${id}/download`);
}

const it = testWith(() => startAppliance({ "scrub-interval": "1h" }));

describe("a round", () => {
  it("checks each content once, at its time, and goes on after a restart", async (coffer) => {
    const files = await fill(await provision(coffer), 40);
    expect(await scrubOf(coffer).run()).toBe(0);
    let checked = 0;
    for (const quarter of [1, 2, 3]) {
      coffer.clock.advance(HOUR_MS / 4);
      const due = files.filter(({ digest }) => Number.parseInt(digest.slice(0, 2), 16) < quarter * 64).length;
      checked += await scrubOf(coffer).run();
      expect(checked).toBe(due);
      expect(scrubOf(coffer).status()).toMatchObject({ finishedAt: null, damaged: 0 });
      await coffer.restart();
    }
    coffer.clock.advance(HOUR_MS / 4);
    expect(checked + (await scrubOf(coffer).run())).toBe(files.length);
    expect(scrubOf(coffer).status()).toEqual({ progress: 0, finishedAt: coffer.clock.now(), damaged: 0 });
    expect(coffer.lines.join("\n")).toContain('"all contents have been checked","contents":40,"damaged":0');
    expect(await scrubOf(coffer).run()).toBe(0);
  });

  it("finds damage that came after the last one", async (coffer) => {
    const drive = await provision(coffer);
    const content = sampleBytes(100_000);
    const stored = await put(drive, content);
    await scrubOf(coffer).run();
    for (const damaged of [0, 1]) {
      coffer.clock.advance(HOUR_MS);
      await scrubOf(coffer).run();
      expect(scrubOf(coffer).status().damaged).toBe(damaged);
      await writeFile(fileOf(coffer.dataDir, stored.digest), flipped(content));
    }
    expect((await download(drive, stored)).status).toBe(500);
  });

  test("is not begun with an interval of 0", async () => {
    await using coffer = await startAppliance({ "scrub-interval": "0s" });
    await fill(await provision(coffer), 2);
    for (let turn = 0; turn < 3; turn += 1) {
      expect(await scrubOf(coffer).run()).toBe(0);
      coffer.clock.advance(1000 * HOUR_MS);
    }
  });

  it("is not lost to a clock that was wrong", async (coffer) => {
    await fill(await provision(coffer), 3);
    coffer.clock.advance(1000 * HOUR_MS);
    await scrubOf(coffer).run();
    coffer.clock.set(-1000 * HOUR_MS);
    await scrubOf(coffer).run();
    coffer.clock.advance(HOUR_MS);
    expect(await scrubOf(coffer).run()).toBe(3);
  });

  it("ends at once when it is stopped, and begins again with the same content", async (coffer) => {
    await put(await provision(coffer), sampleBytes(4_000_000));
    await scrubOf(coffer).run();
    coffer.clock.advance(HOUR_MS);
    const running = scrubOf(coffer).run();
    await scrubOf(coffer).stop();
    expect(await running).toBe(0);
    await coffer.restart();
    expect(await scrubOf(coffer).run()).toBe(1);
  });
});

/** A content that was taken away, and came back with wrong bytes. The right ones are in `.kept`. */
async function spoiled() {
  const coffer = await startAppliance({ "scrub-interval": "0s" });
  const drive = await provision(coffer);
  const content = sampleBytes(1_100_000);
  const stored = await put(drive, content);
  const path = fileOf(coffer.dataDir, stored.digest);
  await rename(path, `${path}.kept`);
  expect((await download(drive, stored)).status).toBe(500);
  // Its size is right, and its bytes are not.
  await writeFile(path, flipped(content));
  expect((await download(drive, stored)).status).toBe(500);
  return { coffer, drive, stored, path };
}

describe("a damaged content that somebody restores", () => {
  test("is looked at again in the next turn, once for each change", async () => {
    const { coffer, drive, stored, path } = await spoiled();
    await using _ = coffer;
    const from = coffer.lines.length;
    await scrubOf(coffer).run();
    expect(coffer.lines.slice(from).filter((line) => line.includes("damaged"))).toEqual([]);
    await rm(path);
    await cp(`${path}.kept`, path, { preserveTimestamps: true });
    expect(scrubOf(coffer).status().damaged).toBe(1);
    await scrubOf(coffer).run();
    expect(scrubOf(coffer).status().damaged).toBe(0);
    expect(coffer.lines.slice(from).join("\n")).toContain("a damaged content is whole again");
    expect((await download(drive, stored)).status).toBe(200);
  });

  test("is sent at once to whoever asks for it", async () => {
    const { coffer, drive, stored, path } = await spoiled();
    await using _ = coffer;
    await rename(`${path}.kept`, path);
    const answers = await Promise.all([1, 2, 3].map(() => download(drive, stored)));
    expect(answers.map(({ status }) => status)).toEqual([200, 200, 200]);
    expect(coffer.lines.filter((line) => line.includes("is whole again"))).toHaveLength(1);
  });
});
