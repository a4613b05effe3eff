import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { Database as Sqlite } from "bun:sqlite";
import { existsSync } from "node:fs";
import { join } from "node:path";
import { SMALL_CONTENT_BYTES } from "../../../src/domain/limits.ts";
import { ORPHAN_GRACE_MS } from "../../../src/services/upkeep/sweep.ts";
import { KEEPS_NOTHING, startAppliance, type TestAppliance } from "../../support/server/appliance.ts";
import { flipped, sampleBytes } from "../../support/samples/blob-store-contract.ts";
import { fileOf, requireContent } from "../../support/samples/contents.ts";
import { changeDatabase } from "../../support/faults/change-database.ts";
import { type OwnDrive, provision } from "../../support/server/scenario.ts";

let coffer: TestAppliance;
let drive: OwnDrive;
let count = 0;

beforeAll(async () => {
  coffer = await startAppliance(KEEPS_NOTHING);
  drive = await provision(coffer);
});
afterAll(() => coffer[Symbol.asyncDispose]());

interface Stored {
  readonly id: string;
  readonly digest: string;
  readonly content: Uint8Array<ArrayBuffer>;
}

/** Bytes that no other call gave. */
function newContent(length: number): Uint8Array<ArrayBuffer> {
  return sampleBytes(length, (count += 1) + 5000);
}

/** A new file with a content. It has no text, so the indexer does not read it. */
async function put(content: Uint8Array<ArrayBuffer>): Promise<Stored> {
  const { id } = await drive.client.put(drive.id, `small/${crypto.randomUUID()}.bin`, content);
  return { id, digest: Bun.SHA256.hash(content, "hex"), content };
}

/** How many contents with this digest the database has. */
function inDatabase({ digest }: Stored): number {
  using sql = new Sqlite(join(coffer.dataDir, "coffer.db"), { readonly: true });
  const small = "SELECT 1 FROM small_content c JOIN blob b ON b.pk = c.blob WHERE b.digest = ?";
  return sql.query(small).all(digest).length;
}

/** Replaces the bytes of a content in the database, or removes them. */
function spoil({ digest }: Stored, bytes: Uint8Array | null): void {
  const blob = `(SELECT pk FROM blob WHERE digest = '${digest}')`;
  changeDatabase(
    coffer.dataDir,
    bytes === null
      ? `DELETE FROM small_content WHERE blob = ${blob}`
      : `UPDATE small_content SET bytes = x'${Buffer.from(bytes).toString("hex")}' WHERE blob = ${blob}`,
  );
}

async function requireGood({ id, content }: Stored): Promise<void> {
  await requireContent(drive.client, { id, content });
  if (content.length < 2) return;
  const headers = { range: `bytes=1-${content.length - 1}` };
  const part = await drive.client.fetch("GET", `/v0/files/${id}/download`, { headers });
  expect(part.status).toBe(206);
  expect(Buffer.compare(await part.bytes(), content.subarray(1))).toBe(0);
}

describe("where a content is kept", () => {
  test.each([0, SMALL_CONTENT_BYTES])("%i bytes: in the database", async (length) => {
    const stored = await put(newContent(length));
    expect([inDatabase(stored), existsSync(fileOf(coffer.dataDir, stored.digest))]).toEqual([1, false]);
    await requireGood(stored);
  });

  test("one byte more: in a file", async () => {
    const stored = await put(newContent(SMALL_CONTENT_BYTES + 1));
    expect([inDatabase(stored), existsSync(fileOf(coffer.dataDir, stored.digest))]).toEqual([0, true]);
    await requireGood(stored);
  });

  test("the same content twice is kept once, until both files are gone and the grace period is over", async () => {
    const content = newContent(1000);
    const [one, two] = [await put(content), await put(content)];
    expect(inDatabase(one)).toBe(1);
    for (const { id } of [one, two]) {
      await requireGood(two);
      await drive.client.delete(`/v0/files/${id}`);
    }
    await coffer.appliance.services.sweep.run();
    expect(inDatabase(one)).toBe(1);
    coffer.clock.advance(ORPHAN_GRACE_MS);
    await coffer.appliance.services.sweep.run();
    expect(inDatabase(one)).toBe(0);
  });

  test("an upload that is refused leaves no content", async () => {
    const content = newContent(1000);
    const url = `/v0/files?drive_id=${drive.id}&path=refused.bin`;
    const headers = { "if-match": `"${"0".repeat(64)}"` };
    expect((await drive.client.send("PUT", url, { body: content, headers })).status).toBe(412);
    expect(inDatabase({ id: "", digest: Bun.SHA256.hash(content, "hex"), content })).toBe(0);
  });
});

/** A new file whose content is where an older version put it. */
async function putAsFile(): Promise<Stored> {
  const stored = await put(newContent(1000));
  spoil(stored, null);
  await Bun.write(fileOf(coffer.dataDir, stored.digest), stored.content);
  return stored;
}

describe("a small content that an older version kept in a file", () => {
  test("is served from there", async () => {
    await requireGood(await putAsFile());
  });

  test("is kept in the database as well from its next upload on, and goes from both", async () => {
    const stored = await putAsFile();
    const again = await put(stored.content);
    expect(inDatabase(stored)).toBe(1);
    for (const { id } of [stored, again]) await drive.client.delete(`/v0/files/${id}`);
    await coffer.appliance.services.sweep.run();
    coffer.clock.advance(ORPHAN_GRACE_MS);
    await coffer.appliance.services.sweep.run();
    expect([inDatabase(stored), existsSync(fileOf(coffer.dataDir, stored.digest))]).toEqual([0, false]);
  });
});

// How else a content may be damaged is in the contract of the blob store.
test("a small content that is damaged is not sent, is logged with its drive and path, and the next upload heals it", async () => {
  const stored = await put(newContent(1000));
  spoil(stored, flipped(stored.content));
  const logged = coffer.lines.length;
  for (const headers of [{}, { range: "bytes=0-0" }] as const) {
    const { status, text } = await drive.client.send("GET", `/v0/files/${stored.id}/download`, { headers });
    expect([status, JSON.parse(text).error.code]).toEqual([500, "INTERNAL"]);
  }
  const errors = coffer.lines.slice(logged).filter((line) => line.includes('"level":"error"'));
  expect(errors).toHaveLength(2);
  expect(errors[0]).toContain(stored.digest);
  expect(errors[0]).toContain(drive.id);
  await put(stored.content);
  await requireGood(stored);
});
