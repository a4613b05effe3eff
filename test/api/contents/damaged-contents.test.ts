import { afterAll, expect, test } from "bun:test";
import { existsSync } from "node:fs";
import { mkdir, rename, rm, symlink, truncate, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { SMALL_CONTENT_BYTES } from "../../../src/domain/limits.ts";
import type { FoundFilesPage } from "../../../src/http/records/record-schemas.ts";
import { changeDatabase, rowsIn } from "../../support/faults/change-database.ts";
import { verified } from "../../support/faults/verified.ts";
import { bytesRead, NO_READ_COUNT } from "../../support/meters/bytes-read.ts";
import { flipped, sampleBytes } from "../../support/samples/blob-store-contract.ts";
import { fileOf, requireContent, sweepContents } from "../../support/samples/contents.ts";
import { KEEPS_NOTHING, startAppliance } from "../../support/server/appliance.ts";
import type { RequestOptions } from "../../support/server/client.ts";
import { eventually, provision } from "../../support/server/scenario.ts";
import { isThorough } from "../../support/server/thorough.ts";
import { withReason } from "../../support/server/skip.ts";

const HOUR_MS = 60 * 60 * 1000;

const coffer = await startAppliance({ ...KEEPS_NOTHING, "scrub-interval": "1h" });
let drive = await provision(coffer);
let count = 0;

afterAll(() => coffer[Symbol.asyncDispose]());

interface Stored {
  readonly id: string;
  readonly path: string;
  readonly digest: string;
  readonly content: Uint8Array<ArrayBuffer>;
  /** Where the content is, if it is not in the database. */
  readonly file: string;
}

/** Bytes that no other test has. */
const sample = (length: number) => sampleBytes(length, (count += 1) + 9000);

/** A new file, which has been indexed. With the type `bin` nobody has read it. */
async function put(content: Uint8Array<ArrayBuffer>, type: "txt" | "bin" = "txt"): Promise<Stored> {
  const path = `rot/${crypto.randomUUID()}.${type}`;
  const { id } = await drive.client.put(drive.id, path, content);
  // A search waits for the index, which may not read the file when it is damaged.
  await drive.client.get(`/v0/search?drive_id=${drive.id}&q=nothing`);
  const digest = Bun.SHA256.hash(content, "hex");
  return { id, path, content, digest, file: fileOf(coffer.dataDir, digest) };
}

const requireGood = (stored: Stored) => requireContent(drive.client, stored);

function damagedContents(): number {
  return coffer.appliance.services.scrub.status().damaged;
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

const inFile: Spoil = ({ file }, bytes) => (bytes === null ? rm(file) : writeFile(file, bytes));

const PLACES: readonly (readonly [place: string, length: number, spoil: Spoil])[] = [
  ["small content in the database", 1000, inTable],
  // Small enough to be checked whole.
  ["small content in a file", 20_000, inFile],
  ["longer content", 100_000, inFile],
  // So large that an upload is matched by its size.
  ["large content", 1_100_000, inFile],
];

function inPlaceOf(length: number, more: number): string {
  return length > SMALL_CONTENT_BYTES ? `has ${length + more} bytes instead of ${length}` : "";
}

/** What becomes of the bytes, and what the log says of them. */
const DAMAGES: readonly (readonly [
  damage: string,
  spoiled: (content: Uint8Array) => Uint8Array | null,
  problem: (length: number) => string,
])[] = [
  ["flipped in one bit", flipped, (length) => (length === 20_000 ? "does not match its SHA-256" : "")],
  ["cut", (content) => content.subarray(1), (length) => inPlaceOf(length, -1)],
  ["grown", (content) => Buffer.concat([content, Buffer.from("x")]), (length) => inPlaceOf(length, 1)],
  ["missing", () => null, (length) => (length > SMALL_CONTENT_BYTES ? "is missing" : "")],
];

/** What stands in the place of the file. */
const THINGS: readonly (readonly [thing: string, by: (stored: Stored) => unknown])[] = [
  [
    "a link to something else of the same size",
    async ({ file, content }) => {
      const secret = join(coffer.dataDir, "..", "secret-of-the-machine");
      await writeFile(secret, sampleBytes(content.length, 7));
      await symlink(secret, file);
    },
  ],
  ["a directory", ({ file }) => mkdir(file)],
  ...(Bun.which("mkfifo") === null
    ? []
    : [["a named pipe", ({ file }: Stored) => Bun.spawnSync(["mkfifo", file])] as const]),
];

type Case = readonly [
  place: string,
  damage: string,
  length: number,
  spoil: (stored: Stored) => Promise<unknown>,
  problem: string,
];
const CASES: Case[] = [
  ...PLACES.flatMap(([place, length, spoil]) =>
    DAMAGES.map(([damage, spoiled, problem]): Case => {
      return [place, damage, length, (stored) => spoil(stored, spoiled(stored.content)), problem(length)];
    }),
  ),
  ...PLACES.slice(1).flatMap(([place, length]) =>
    THINGS.map(([thing, by]): Case => {
      const replace = async (stored: Stored) => {
        await rm(stored.file);
        await by(stored);
      };
      return [place, thing, length, replace, "is not a regular file"];
    }),
  ),
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

/**
 * The lines of the log since `from`, of errors and warnings, but for what the look soon after the start tells of all that
 * is missing.
 */
function complaints(from: number): string[] {
  const lines = coffer.lines.slice(from).filter((line) => !line.includes("contents are missing"));
  return lines.filter((line) => /"level":"(error|warn)"/.test(line));
}

function expectAll(line: string | undefined, ...parts: string[]): void {
  for (const part of parts) expect(line).toContain(part);
}

async function read(target: string, headers: Record<string, string> = {}): Promise<number | string> {
  return drive.client.send("GET", target, { headers }).then(
    ({ status }) => status,
    () => "broken off",
  );
}

/** Every read of it is refused, in whole, in part and by a link, and the log tells each time why. */
async function requireRefused(stored: Stored, problem = ""): Promise<void> {
  const url = `/v0/files/${stored.id}`;
  const link = await drive.client.post<{ token: string }>(`${url}/presigned-url`, {}, 200);
  const asks: [method: string, path: string, options?: RequestOptions][] = [
    ["GET", `${url}/download`],
    ["GET", `${url}/download`, { headers: { range: "bytes=0-1" } }],
    ["GET", `/v0/presigned/${link.token}`],
  ];
  if (stored.path.endsWith(".txt")) {
    const body = { op: "append", text: "x" };
    asks.push(["POST", `${url}/extract`], ["GET", `${url}/text`], ["POST", `${url}/edit`, { body }]);
  }
  for (const [method, path, options] of asks) {
    const from = coffer.lines.length;
    const { status, text, headers } = await drive.client.send(method, path, options);
    const { error } = JSON.parse(text);
    expect([status, error.code, error.message]).toEqual([
      500,
      "INTERNAL",
      "This file's content is damaged on the server's disk. Upload it again, or restore it from a backup.",
    ]);
    expect(error.request_id).toBe(headers.get("x-request-id"));
    const told = complaints(from);
    // Wrong bytes of a long content are found beside the read.
    if (problem !== "") expect(told).toHaveLength(1);
    expectAll(told.join("\n"), error.request_id, drive.id, stored.path, stored.digest, problem);
  }
  const from = coffer.lines.length;
  const archive = await read(`/v0/archive?drive_id=${drive.id}&path=${stored.path}`);
  expect([500, "broken off"]).toContain(archive);
  expectAll(complaints(from).join("\n"), drive.id, stored.path, stored.digest, problem);
  await drive.client.get(url);
}

/** What verify finds. Directories that were in the place of contents are only noted. */
async function findings(): Promise<string[]> {
  return (await verified(coffer.dataDir)).filter((line) => !line.startsWith("note "));
}

async function restart(): Promise<void> {
  await coffer.restart();
  drive = { ...drive, client: coffer.client(drive.key) };
}

/** Half of them, with each place and each damage. */
const SOME = CASES.filter((_, index) => (index + Math.floor(index / DAMAGES.length)) % 2 === 0);

test.each(isThorough() ? CASES : SOME)(
  "a %s that is %s is refused from the first read on, found by verify and the scrub, and healed by an upload",
  async (_, damage, length, spoil, problem) => {
    const unread = await put(sample(length), "bin");
    await spoil(unread);
    await requireRefused(unread, problem);
    expect(damagedContents()).toBe(1);
    await put(unread.content);
    await requireGood(unread);
    expect(damagedContents()).toBe(0);

    const stored = await put(sample(length));
    await spoil(stored);
    const code = damage === "missing" ? "content-missing" : "content-damaged";
    const about = `${code} ${stored.digest} drive ${drive.id} path "${stored.path}": `;
    expect(await findings()).toEqual([expect.stringContaining(about)]);
    const logged = await scrubAll();
    expect(logged).toHaveLength(1);
    expectAll(logged[0], stored.digest, drive.id, stored.path);
    expect(damagedContents()).toBe(1);
    await requireRefused(stored, problem);
    const again = await put(stored.content);
    for (const file of [stored, again]) await requireGood(file);
    expect(damagedContents()).toBe(0);
    expect(await findings()).toEqual([]);

    // Where the size is right, a large content is checked only once something is known of the damage.
    if (damage === "flipped in one bit" && length > 1_000_000) return;
    await spoil(stored);
    const from = coffer.lines.length;
    await put(stored.content);
    const parts = length > SMALL_CONTENT_BYTES ? [stored.digest, problem] : [];
    if (damage !== "missing") expectAll(complaints(from)[0], drive.id, ...parts);
    await requireGood(stored);
  },
);

// Nothing is known of the damage yet, nor was the content checked since it was spoiled.
const FIRST_READS: readonly (readonly [what: string, ask: (stored: Stored) => Promise<number | string>])[] = [
  ["a range", ({ id }) => read(`/v0/files/${id}/download`, { range: "bytes=1-2" })],
  ["an archive", ({ path }) => read(`/v0/archive?drive_id=${drive.id}&path=${path}`)],
  ["its text", ({ id }) => read(`/v0/files/${id}/text`)],
  ["an extraction", ({ id }) => read(`/v0/files/${id}/extract`)],
];

test.each(FIRST_READS)("wrong bytes in a large content are not sent as good by %s", async (_, ask) => {
  const stored = await put(sample(1_100_000));
  await requireGood(stored);
  await writeFile(stored.file, flipped(stored.content));
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
  await writeFile(stored.file, flipped(stored.content));
  await scrubAll();
  const refused = { body: stored.content, headers: { "if-match": `"${"0".repeat(64)}"` } };
  await drive.client.json(412, "PUT", `/v0/files?drive_id=${drive.id}&path=refused.bin`, refused);
  // Its bytes are there, but nothing says so yet.
  expect(damagedContents()).toBe(1);
  await coffer.appliance.services.scrub.run();
  await requireGood(stored);
});

test("a known damage is shown by /readyz, is that of a copy as well, and outlives a restart, until an upload", async () => {
  const stored = await put(sample(20_000));
  await rm(stored.file);
  await requireRefused(stored);
  expect(await coffer.client().get<object>("/readyz")).toEqual({
    status: "ok",
    scrub: { progress: expect.any(Number), finished_at: expect.stringMatching(/Z$/), damaged: 1 },
  });
  const to = { destination_path: "rot/copy.txt" };
  const copy = await drive.client.post<{ id: string; path: string }>(`/v0/files/${stored.id}/copy`, to);
  await restart();
  expect(damagedContents()).toBe(1);
  for (const file of [stored, { ...stored, ...copy }]) await requireRefused(file);
  await put(stored.content);
  for (const { id } of [stored, copy]) await requireGood({ ...stored, id });
});

function find(word: string): Promise<FoundFilesPage> {
  return drive.client.get(`/v0/search?drive_id=${drive.id}&q=${word}`);
}

const encode = (text: string) => new TextEncoder().encode(text);
const newWord = () => `w${crypto.randomUUID().replaceAll("-", "")}`;

test("a damaged content is found by its name without a snippet, and the log says why", async () => {
  const word = newWord();
  const stored = await put(encode(`the word is ${word} `.padEnd(20_000, "and so on ")));
  expect((await find(word)).data).toMatchObject([{ id: stored.id, snippet: expect.stringContaining(word) }]);
  await truncate(stored.file, 3);
  const from = coffer.lines.length;
  expect((await find(word)).data).toMatchObject([{ id: stored.id, snippet: null }]);
  const parts = ["no snippet could be made", drive.id, stored.path, stored.digest, "has 3 bytes"];
  expectAll(complaints(from)[0], ...parts);
});

const EDITS = [
  ["appending", { op: "append", text: "more" }],
  ["another edit", { op: "insert", line: 0, text: "more" }],
] as const;

// A new content would have the SHA-256 of the wrong bytes, and seem to be whole.
test.each(EDITS)("wrong bytes of a text are not made into a new content by %s", async (_, body) => {
  const stored = await put(encode(`${"text ".repeat(20_000)}${(count += 1)}`));
  await writeFile(stored.file, flipped(stored.content));
  await drive.client.json(500, "POST", `/v0/files/${stored.id}/edit`, { body });
  const record = await drive.client.get<{ content_hash: string }>(`/v0/files/${stored.id}`);
  expect(record.content_hash).toBe(`sha256:${stored.digest}`);
});

test("a damaged content is not indexed, the others are, and the log says why", async () => {
  const stored = await put(sample(20_000));
  await rename(stored.file, `${stored.file}.kept`);
  const from = coffer.lines.length;
  // A copy is indexed anew.
  await drive.client.post(`/v0/files/${stored.id}/copy`, { destination_path: "unread.txt" });
  const word = newWord();
  const good = await put(encode(word));
  expect((await find(word)).data).toMatchObject([{ id: good.id }]);
  await eventually(() => complaints(from).length > 0);
  const parts = ["a content could not be indexed", drive.id, "unread.txt", stored.digest, "is missing"];
  expectAll(complaints(from).join("\n"), ...parts);
});

/** How many contents with this digest the database has, and whether there is a file of it. */
function kept(digest: string): [inDatabase: number, inFile: boolean] {
  const small = "SELECT 1 FROM small_content c JOIN blob b ON b.pk = c.blob WHERE b.digest = ?";
  return [rowsIn(coffer.dataDir, small, digest).length, existsSync(fileOf(coffer.dataDir, digest))];
}

/** A file can be read, in whole and from its second byte on. */
async function requireParts(stored: Stored): Promise<void> {
  const { id, content } = stored;
  await requireGood(stored);
  if (content.length < 2) return;
  const headers = { range: `bytes=1-${content.length - 1}` };
  const part = await drive.client.fetch("GET", `/v0/files/${id}/download`, { headers });
  expect(part.status).toBe(206);
  expect(Buffer.compare(await part.bytes(), content.subarray(1))).toBe(0);
}

test.each([
  [0, "in the database"],
  [SMALL_CONTENT_BYTES, "in the database"],
  [SMALL_CONTENT_BYTES + 1, "in a file"],
])("a content of %i bytes is kept %s", async (length, where) => {
  const stored = await put(sample(length), "bin");
  expect(kept(stored.digest)).toEqual(where === "in a file" ? [0, true] : [1, false]);
  await requireParts(stored);
});

test("a small content that an older version kept in a file is served from there, in the database from its next upload on, and goes from both", async () => {
  const stored = await put(sample(1000), "bin");
  await inTable(stored, null);
  await Bun.write(stored.file, stored.content);
  await requireParts(stored);
  const again = await put(stored.content, "bin");
  expect(kept(stored.digest)[0]).toBe(1);
  for (const { id } of [stored, again]) await drive.client.delete(`/v0/files/${id}`);
  await sweepContents(coffer);
  expect(kept(stored.digest)).toEqual([0, false]);
});
