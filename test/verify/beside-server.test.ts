import { afterAll, expect, test } from "bun:test";
import { cp, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { BlobDirectories } from "../../src/blobs/blob-directories.ts";
import type { BlobFacts } from "../../src/blobs/blob-file.ts";
import { VerifiedDatabase } from "../../src/db/verify/verified-database.ts";
import { verifyContents } from "../../src/verify/contents.ts";
import { KEEPS_NOTHING, startAppliance } from "../support/server/appliance.ts";
import { flipped, sampleBytes } from "../support/samples/blob-store-contract.ts";
import { changeDatabase } from "../support/faults/change-database.ts";
import { provision } from "../support/server/scenario.ts";
import { indexed, putFile, type Stored } from "../support/faults/stopped-store.ts";
import { FAST_DIRECTORY, temporaryDirectory } from "../support/server/temporary-directory.ts";
import { verified } from "../support/faults/verified.ts";
import { fileOf } from "../support/samples/contents.ts";

const ROUNDS = 5;
const coffer = await startAppliance();
const drive = await provision(coffer);
afterAll(() => coffer[Symbol.asyncDispose]());

/** Many different changes, and sweeps in between. */
async function work(client: number, isOn: () => boolean): Promise<void> {
  const { sweep } = coffer.appliance.services;
  for (let n = 0; n < 40 && isOn(); n += 1) {
    const at = `busy/${client}/${n}`;
    const one = await putFile(
      drive,
      `${at}/one.txt`,
      sampleBytes(n % 2 === 0 ? 200 : 30_000, client * 10_000 + n),
    );
    const same = await putFile(drive, `${at}/same.txt`, one.content);
    await drive.client.post(`/v0/files/${one.id}/copy`, { destination_path: `${at}/in/two.txt` });
    await drive.client.patch(`/v0/files/${same.id}`, { path: `${at}/moved.txt`, tags: ["three"] });
    await drive.client.delete(`/v0/files/${one.id}`);
    const url = `/v0/files?drive_id=${drive.id}&path=${at}/moved.txt`;
    await drive.client.json(200, "PUT", url, { body: sampleBytes(40_000, client * 10_000 + n + 50) });
    if (n % 5 === 4) {
      await drive.client.delete("/v0/folders", {
        drive_id: drive.id,
        path: `busy/${client}/${n - 1}/`,
        confirm: true,
      });
      coffer.clock.advance(60 * 60 * 1000);
      await sweep.run();
    }
  }
}

test("nothing is found while contents come and go, nor after", async () => {
  const found: string[] = [];
  let rounds = 0;
  const working = [1, 2, 3].map((client) => work(client, () => rounds < ROUNDS));
  for (; rounds < ROUNDS; rounds += 1) {
    found.push(...(await verified(coffer.dataDir)));
    // Each round sees other changes.
    await drive.client.get(`/v0/drives/${drive.id}`);
  }
  await Promise.all(working);
  expect(found).toEqual([]);
  await indexed(drive);
  expect(await verified(coffer.dataDir)).toEqual([]);
});

test("a content that is healed while it is checked is looked at again", async () => {
  const stored = await putFile(drive, "healed.bin", sampleBytes(30_000, 7003));
  await writeFile(fileOf(coffer.dataDir, stored.digest), flipped(stored.content));
  /** Contents of which somebody writes this one anew as soon as it has been read. */
  class HealedContents extends BlobDirectories {
    override async *pieces(content: BlobFacts): AsyncGenerator<Uint8Array> {
      try {
        yield* super.pieces(content);
      } finally {
        if (content.digest === stored.digest)
          await this.find(content, (path) => writeFile(path, stored.content));
      }
    }
  }
  const contents = new HealedContents({ disks: [coffer.dataDir], store: null });
  using database = VerifiedDatabase.open(join(coffer.dataDir, "coffer.db"));
  const events = await Array.fromAsync(verifyContents({ database, contents, isQuick: false, repair: null }));
  expect(events.filter(({ kind }) => kind !== "progress")).toEqual([]);
});

test("a content that is removed before its turn is no finding", async () => {
  await using forgetful = await startAppliance(KEEPS_NOTHING);
  const own = await provision(forgetful);
  const files: Stored[] = [];
  for (let n = 0; n < 5; n += 1) {
    files.push(await putFile(own, `removed/${n}.bin`, sampleBytes(30_000, 7010 + n)));
  }
  using database = VerifiedDatabase.open(join(forgetful.dataDir, "coffer.db"));
  const contents = new BlobDirectories({ disks: [forgetful.dataDir], store: null });
  const events = verifyContents({ database, contents, isQuick: false, repair: null });
  await events.next();
  for (const { id } of files) await own.client.delete(`/v0/files/${id}`);
  const { sweep } = forgetful.appliance.services;
  await sweep.run();
  forgetful.clock.advance(60 * 60 * 1000);
  expect((await sweep.run()).blobs).toBeGreaterThanOrEqual(5);
  expect((await Array.fromAsync(events)).filter(({ kind }) => kind !== "progress")).toEqual([]);
});

test("a repair lets the server send the contents again at once", async () => {
  await using place = await temporaryDirectory(FAST_DIRECTORY);
  const files = [
    await putFile(drive, "repair/small.bin", sampleBytes(100, 7001)),
    await putFile(drive, "repair/large.bin", sampleBytes(30_000, 7002)),
  ];
  const backup = join(place.path, "backup");
  await cp(coffer.dataDir, backup, { recursive: true });
  changeDatabase(coffer.dataDir, "UPDATE small_content SET bytes = x'00'");
  for (const file of files.slice(1))
    await writeFile(fileOf(coffer.dataDir, file.digest), flipped(file.content));
  const download = ({ id }: Stored) => drive.client.fetch("GET", `/v0/files/${id}/download`);
  for (const file of files) expect((await download(file)).status).toBe(500);
  const { scrub } = coffer.appliance.services;
  expect(scrub.status().damaged).toBe(2);
  await verified(coffer.dataDir, { repairFrom: backup });
  expect(scrub.status().damaged).toBe(0);
  for (const file of files) {
    const answer = await download(file);
    expect([answer.status, Buffer.compare(await answer.bytes(), file.content)]).toEqual([200, 0]);
  }
  expect(await verified(coffer.dataDir)).toEqual([]);
});
