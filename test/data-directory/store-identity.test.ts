import { expect, test } from "bun:test";
import { mkdir, rename, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { SMALL_CONTENT_BYTES } from "../../src/domain/limits.ts";
import { startAppliance, type TestAppliance } from "../support/server/appliance.ts";
import { changeDatabase, rowsIn } from "../support/faults/change-database.ts";
import { contentsOnDisk, provision } from "../support/server/scenario.ts";
import { refusalOf } from "../support/samples/failure.ts";

const UUID = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/;

function identityFile({ dataDir }: TestAppliance): string {
  return join(dataDir, "blobs/identity");
}

/** The identities of the database and of the contents. */
async function identities(coffer: TestAppliance): Promise<[database: unknown, blobs: string]> {
  const [database] = rowsIn(coffer.dataDir, "SELECT id FROM store").flat();
  return [database, (await Bun.file(identityFile(coffer)).text()).trim()];
}

/** A content that is a file of its own. */
const CONTENT = "a content".padEnd(SMALL_CONTENT_BYTES + 1);

/** A store with one content in it. */
async function filledStore(): Promise<TestAppliance> {
  const coffer = await startAppliance();
  const { id, client } = await provision(coffer);
  await client.put(id, "a.txt", CONTENT);
  return coffer;
}

test("a new store gets one identity in its database and beside its contents, and keeps it", async () => {
  await using coffer = await startAppliance();
  const [database, blobs] = await identities(coffer);
  expect(database).toBe(blobs);
  expect(blobs).toMatch(UUID);
  await coffer.restart();
  expect(await identities(coffer)).toEqual([blobs, blobs]);
  await using other = await startAppliance();
  expect((await identities(other))[1]).not.toBe(blobs);
});

test("a store that an earlier version wrote gets an identity, also where marking it was cut off", async () => {
  await using coffer = await filledStore();
  changeDatabase(coffer.dataDir, "DELETE FROM store");
  await rm(identityFile(coffer));
  await coffer.restart();
  const [database, blobs] = await identities(coffer);
  expect([database, blobs]).toEqual([blobs, expect.stringMatching(UUID)]);
  // As after a crash between the two.
  changeDatabase(coffer.dataDir, "DELETE FROM store");
  await coffer.restart();
  expect(await identities(coffer)).toEqual([blobs, blobs]);
});

test("an empty store whose directory of contents was made anew gets its identity again", async () => {
  await using coffer = await startAppliance();
  const before = await identities(coffer);
  await rm(join(coffer.dataDir, "blobs"), { recursive: true });
  await coffer.restart();
  expect(await identities(coffer)).toEqual(before);
});

test("contents that are lost, unmarked or another's are refused until they are adopted", async () => {
  await using coffer = await filledStore();
  const [, own] = await identities(coffer);
  const [blobs, kept] = [join(coffer.dataDir, "blobs"), join(coffer.dataDir, "..", "kept")];
  const spoils: [refused: RegExp, spoil: () => Promise<unknown>, restore: () => Promise<unknown>][] = [
    [
      /coffer\.db names contents, but .*blobs is empty or missing/,
      () => rename(blobs, kept).then(() => mkdir(blobs)),
      () => rm(blobs, { recursive: true }).then(() => rename(kept, blobs)),
    ],
    [
      new RegExp(`store ${own}\\).*store unknown\\) do not belong together`),
      () => rm(identityFile(coffer)),
      () => writeFile(identityFile(coffer), own),
    ],
    [
      new RegExp(`store ${own}\\).*store another\\) do not belong together`),
      () => writeFile(identityFile(coffer), "another"),
      () => writeFile(identityFile(coffer), own),
    ],
  ];
  for (const [refused, spoil, restore] of spoils) {
    await spoil();
    expect(await refusalOf(coffer.restart())).toMatch(refused);
    await restore();
    await coffer.restart();
  }
  const { blobs: contents } = await contentsOnDisk(coffer.dataDir);
  await writeFile(identityFile(coffer), "another");
  await coffer.restart({}, { adoptEmpty: true });
  expect(await identities(coffer)).toEqual([own, own]);
  expect((await contentsOnDisk(coffer.dataDir)).blobs).toEqual(contents);
  await coffer.restart();
});

test("adopting that was cut off is refused again, and what is adopted stays when an upload of it is refused", async () => {
  await using coffer = await filledStore();
  await coffer.close();
  await rm(join(coffer.dataDir, "coffer.db"));
  await coffer.restart({}, { adoptEmpty: true });
  const [database] = await identities(coffer);
  // As if it was cut off after the database was marked.
  await rm(identityFile(coffer));
  expect(await refusalOf(coffer.restart())).toMatch(/holds 1 content, but .*coffer\.db knows none/);
  await coffer.restart({}, { adoptEmpty: true });
  expect(await identities(coffer)).toEqual([database, String(database)]);
  const { blobs } = await contentsOnDisk(coffer.dataDir);
  const { id, client } = await provision(coffer);
  await client.put(id, "a.txt", "another content");
  const answer = await client.send("PUT", `/v0/files?drive_id=${id}&path=a.txt`, {
    body: CONTENT,
    headers: { "if-none-match": "*" },
  });
  expect(answer.status).toBe(412);
  expect((await contentsOnDisk(coffer.dataDir)).blobs).toEqual(expect.arrayContaining(blobs));
});
