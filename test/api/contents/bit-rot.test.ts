import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { mkdir, rm, writeFile } from "node:fs/promises";
import { startAppliance, type TestAppliance } from "../../support/server/appliance.ts";
import { fileOf, requireContent } from "../../support/samples/contents.ts";
import type { RequestOptions } from "../../support/server/client.ts";
import { flipped, sampleBytes } from "../../support/samples/blob-store-contract.ts";
import { bytesRead, NO_READ_COUNT } from "../../support/meters/bytes-read.ts";
import { changeDatabase } from "../../support/faults/change-database.ts";
import { type OwnDrive, provision } from "../../support/server/scenario.ts";
import { withReason } from "../../support/server/skip.ts";
import { verified } from "../../support/faults/verified.ts";

const HOUR_MS = 60 * 60 * 1000;

let coffer: TestAppliance;
let drive: OwnDrive;
let count = 0;

beforeAll(async () => {
  coffer = await startAppliance({ "scrub-interval": "1h" });
  drive = await provision(coffer);
});
afterAll(() => coffer[Symbol.asyncDispose]());

interface Stored {
  readonly id: string;
  readonly path: string;
  readonly digest: string;
  readonly content: Uint8Array<ArrayBuffer>;
}

/** Bytes that no other test has. */
const sample = (length: number) => sampleBytes(length, (count += 1) + 9000);

/** A new file. With the type `bin` nobody has read it. */
async function put(content: Uint8Array<ArrayBuffer>, type: "txt" | "bin" = "txt"): Promise<Stored> {
  const path = `rot/${crypto.randomUUID()}.${type}`;
  const { id } = await drive.client.put(drive.id, path, content);
  // The index may not read it when it is damaged.
  await drive.client.get(`/v0/search?drive_id=${drive.id}&q=nothing`);
  return { id, path, content, digest: Bun.SHA256.hash(content, "hex") };
}

/** Puts other bytes in the place of a content; null to take it away. */
type Spoil = (stored: Stored, bytes: Uint8Array | null) => Promise<void>;

const inTable: Spoil = async ({ digest }, bytes) => {
  const blob = `(SELECT pk FROM blob WHERE digest = '${digest}')`;
  const change =
    bytes === null
      ? `DELETE FROM small_content WHERE blob = ${blob}`
      : `UPDATE small_content SET bytes = x'${Buffer.from(bytes).toString("hex")}' WHERE blob = ${blob}`;
  changeDatabase(coffer.dataDir, change);
};

const inFile: Spoil = async (stored, bytes) => {
  await (bytes === null
    ? rm(fileOf(coffer.dataDir, stored.digest))
    : writeFile(fileOf(coffer.dataDir, stored.digest), bytes));
};

const PLACES: readonly (readonly [place: string, length: number, spoil: Spoil])[] = [
  ["small content in the database", 1000, inTable],
  ["small content in a file", 20_000, inFile],
  // So large that an upload is matched by its size.
  ["large content", 1_100_000, inFile],
];

const DAMAGES: readonly (readonly [damage: string, spoiled: (content: Uint8Array) => Uint8Array | null])[] = [
  ["flipped in one bit", flipped],
  ["cut", (content) => content.subarray(1)],
  ["grown", (content) => Buffer.concat([content, Buffer.from("x")])],
  ["missing", () => null],
];

/** Puts a directory in its place. */
async function blockFile({ digest }: Stored): Promise<void> {
  await rm(fileOf(coffer.dataDir, digest));
  await mkdir(fileOf(coffer.dataDir, digest));
}

type Case = readonly [place: string, damage: string, length: number, spoil: (stored: Stored) => unknown];
const CASES: Case[] = [
  ...PLACES.flatMap(([place, length, spoil]) =>
    DAMAGES.map(([damage, spoiled]): Case => {
      return [place, damage, length, (stored) => spoil(stored, spoiled(stored.content))];
    }),
  ),
  ...PLACES.slice(1).map(([place, length]): Case => [place, "unreadable", length, blockFile]),
];

/** Runs the scrub through all contents. Returns what it logs of damage. */
async function scrubAll(): Promise<string[]> {
  const { scrub } = coffer.appliance.services;
  await scrub.run();
  const from = coffer.lines.length;
  coffer.clock.advance(HOUR_MS);
  await scrub.run();
  return coffer.lines.slice(from).filter((line) => line.includes("a content is damaged"));
}

async function requireRefused(stored: Stored): Promise<void> {
  const url = `/v0/files/${stored.id}`;
  const asks: [method: string, path: string, options?: RequestOptions][] = [
    ["GET", "download"],
    ["GET", "download", { headers: { range: "bytes=0-1" } }],
  ];
  if (stored.path.endsWith(".txt")) {
    const body = { op: "append", text: "x" };
    asks.push(["POST", "extract"], ["GET", "text"], ["POST", "edit", { body }]);
  }
  for (const [method, path, options] of asks) {
    const { status, text, headers } = await drive.client.send(method, `${url}/${path}`, options);
    const { error } = JSON.parse(text);
    expect([status, error.code, error.message]).toEqual([
      500,
      "INTERNAL",
      "This file's content is damaged on the server's disk. Upload it again, or restore it from a backup.",
    ]);
    expect(error.request_id).toBe(headers.get("x-request-id"));
  }
  const archive = await read(`/v0/archive?drive_id=${drive.id}&path=${stored.path}`);
  expect([500, "broken off"]).toContain(archive);
  await drive.client.get(url);
}

const requireGood = (stored: Stored) => requireContent(drive.client, stored);

/** What verify finds. Directories that were in the place of contents are only noted. */
async function findings(): Promise<string[]> {
  return (await verified(coffer.dataDir)).filter((line) => !line.startsWith("note "));
}

async function restart(): Promise<void> {
  await coffer.restart();
  drive = { ...drive, client: coffer.client(drive.key) };
}

function damagedContents(): number {
  return coffer.appliance.services.scrub.status().damaged;
}

describe.each(CASES)("a %s that is %s", (_, damage, length, spoil) => {
  test("is found by verify and the scrub, refused as a whole and in part, and healed by an upload", async () => {
    const stored = await put(sample(length));
    await spoil(stored);
    const code = damage === "missing" ? "content-missing" : "content-damaged";
    const about = `${code} ${stored.digest} drive ${drive.id} path "${stored.path}": `;
    expect(await findings()).toEqual([expect.stringContaining(about)]);

    const logged = await scrubAll();
    expect(logged).toHaveLength(1);
    for (const part of [stored.digest, drive.id, stored.path]) expect(logged[0]).toContain(part);
    expect(damagedContents()).toBe(1);
    await requireRefused(stored);

    const again = await put(stored.content);
    for (const file of [stored, again]) {
      await requireGood(file);
      await drive.client.delete(`/v0/files/${file.id}`);
    }
    expect(damagedContents()).toBe(0);
    expect(await findings()).toEqual([]);
  });
});

describe.each(CASES)("a %s that is %s", (_place, _damage, length, spoil) => {
  test("is remembered by the first read that finds it", async () => {
    const stored = await put(sample(length), "bin");
    await spoil(stored);
    await requireRefused(stored);
    expect(damagedContents()).toBe(1);
    await put(stored.content);
    await requireGood(stored);
    expect(damagedContents()).toBe(0);
  });
});

// Nothing is known of the damage yet, nor was the content checked since it was spoiled.
const FIRST_READS: readonly (readonly [what: string, ask: (stored: Stored) => Promise<number | string>])[] = [
  ["a range", ({ id }) => read(`/v0/files/${id}/download`, { range: "bytes=1-2" })],
  ["an archive", ({ path }) => read(`/v0/archive?drive_id=${drive.id}&path=${path}`)],
  ["its text", ({ id }) => read(`/v0/files/${id}/text`)],
  ["an extraction", ({ id }) => read(`/v0/files/${id}/extract`)],
];

async function read(target: string, headers: Record<string, string> = {}): Promise<number | string> {
  return drive.client.send("GET", target, { headers }).then(
    ({ status }) => status,
    () => "broken off",
  );
}

test.each(FIRST_READS)("wrong bytes in a large content are not sent as good by %s", async (_, ask) => {
  const stored = await put(sample(1_100_000));
  await requireGood(stored);
  await writeFile(fileOf(coffer.dataDir, stored.digest), flipped(stored.content));
  expect([500, "broken off"]).toContain(await ask(stored));
  expect(damagedContents()).toBe(1);
  await put(stored.content);
  await requireGood(stored);
});

const CHECKED = "a large content is checked after a restart, and a day later, and not at each download";
test.skipIf(NO_READ_COUNT !== "")(withReason(CHECKED, NO_READ_COUNT), async () => {
  const stored = await put(sample(4_000_000), "bin");
  const readAtOnce = async () => {
    const before = bytesRead() ?? 0;
    await requireGood(stored);
    return Math.round(((bytesRead() ?? 0) - before) / stored.content.length);
  };
  const [uploaded, again] = [await readAtOnce(), await readAtOnce()];
  expect(uploaded).toBe(again);
  coffer.clock.advance(24 * HOUR_MS);
  expect([await readAtOnce(), await readAtOnce()]).toEqual([again + 1, again]);
  await restart();
  expect([await readAtOnce(), await readAtOnce()]).toEqual([again + 1, again]);
});

test("a refused upload of the same content does not let a damaged one be sent", async () => {
  const stored = await put(sample(1_100_000));
  await writeFile(fileOf(coffer.dataDir, stored.digest), flipped(stored.content));
  await scrubAll();
  const url = `/v0/files?drive_id=${drive.id}&path=refused.bin`;
  const headers = { "if-match": `"${"0".repeat(64)}"` };
  expect((await drive.client.send("PUT", url, { body: stored.content, headers })).status).toBe(412);
  // Its bytes are there, but nothing says so yet.
  expect(damagedContents()).toBe(1);
  await coffer.appliance.services.scrub.run();
  await requireGood(stored);
});

test("a copy of a damaged file is refused as well, and an upload heals both", async () => {
  const stored = await put(sample(20_000));
  await rm(fileOf(coffer.dataDir, stored.digest));
  await requireRefused(stored);
  const to = { destination_path: "rot/copy.txt" };
  const copy = await drive.client.post<Stored>(`/v0/files/${stored.id}/copy`, to);
  await requireRefused(copy);
  await put(stored.content);
  await requireGood({ ...stored, id: copy.id });
});

test("/readyz shows damage, and is ready", async () => {
  const stored = await put(sample(20_000));
  await rm(fileOf(coffer.dataDir, stored.digest));
  await requireRefused(stored);
  const ready = await coffer.client().get<object>("/readyz");
  expect(ready).toEqual({
    status: "ok",
    scrub: { progress: expect.any(Number), finished_at: expect.stringMatching(/Z$/), damaged: 1 },
  });
  await put(stored.content);
});

test("a restart does not forget damage", async () => {
  const stored = await put(sample(20_000));
  await rm(fileOf(coffer.dataDir, stored.digest));
  await requireRefused(stored);
  await restart();
  expect(damagedContents()).toBe(1);
  await requireRefused(stored);
});
