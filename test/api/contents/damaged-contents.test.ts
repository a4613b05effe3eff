import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { mkdir, rename, rm, symlink, truncate, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { startAppliance, type TestAppliance } from "../../support/server/appliance.ts";
import { fileOf, requireContent } from "../../support/samples/contents.ts";
import { flipped, sampleBytes } from "../../support/samples/blob-store-contract.ts";
import { eventually, type OwnDrive, provision } from "../../support/server/scenario.ts";

let coffer: TestAppliance;
let drive: OwnDrive;
let count = 0;

beforeAll(async () => {
  coffer = await startAppliance();
  drive = await provision(coffer);
});
afterAll(() => coffer[Symbol.asyncDispose]());

interface Stored {
  readonly id: string;
  readonly path: string;
  readonly digest: string;
  readonly content: Uint8Array<ArrayBuffer>;
  /** Where the content is. */
  readonly file: string;
}

/** A file with a content of its own, which has been indexed and which nobody else has read. */
async function newFile(length: number, content = sampleBytes(length, (count += 1) + 1000)): Promise<Stored> {
  const path = `damaged/${crypto.randomUUID()}.txt`;
  const { id } = await drive.client.put(drive.id, path, content);
  // A search waits for the index, which may not read the file when it is damaged.
  await drive.client.get(`/v0/search?drive_id=${drive.id}&q=nothing`);
  const digest = Bun.SHA256.hash(content, "hex");
  return { id, path, digest, content, file: fileOf(coffer.dataDir, digest) };
}

function download({ id }: Stored, headers: Record<string, string> = {}) {
  return drive.client.send("GET", `/v0/files/${id}/download`, { headers });
}

const requireGood = (stored: Stored) => requireContent(drive.client, stored);

/**
 * The lines of the log since `from`, of errors and warnings, but for what the look soon after the start tells of all that
 * is missing.
 */
function complaints(from: number): string[] {
  const lines = coffer.lines.slice(from).filter((line) => !line.includes("contents are missing"));
  return lines.filter((line) => /"level":"(error|warn)"/.test(line));
}

function expectAll(line: string, ...parts: string[]): void {
  for (const part of parts) expect(line).toContain(part);
}

type Damage = readonly [
  what: string,
  damage: (stored: Stored) => Promise<unknown>,
  problem: (stored: Stored) => string,
];

function resized(by: number): Damage {
  const what = by < 0 ? "cut" : "grown";
  const problem = ({ content: { length } }: Stored) => `has ${length + by} bytes instead of ${length}`;
  return [what, ({ file, content }) => truncate(file, content.length + by), problem];
}

/** Puts something that is no file in the place of one. */
function replaced(what: string, by: (stored: Stored) => unknown): Damage {
  const damage = async (stored: Stored) => {
    await rm(stored.file);
    await by(stored);
  };
  return [what, damage, () => "is not a regular file"];
}

const DAMAGES: readonly Damage[] = [
  resized(-1),
  resized(1),
  ["missing", ({ file }) => rm(file), () => "is missing"],
  replaced("a link to something else of the same size", async ({ file, content }) => {
    const secret = join(coffer.dataDir, "..", "secret-of-the-machine");
    await writeFile(secret, sampleBytes(content.length, 7));
    await symlink(secret, file);
  }),
  replaced("a directory", ({ file }) => mkdir(file)),
  ...(Bun.which("mkfifo") === null
    ? []
    : [replaced("a named pipe", ({ file }) => Bun.spawnSync(["mkfifo", file]))]),
];
const SIZES = [
  // Small enough to be checked whole, and too large for the database; those in it are in small-contents.test.ts.
  ["small", 20_000],
  ["large", 100_000],
] as const;

const cases = SIZES.flatMap(([size, length]) =>
  DAMAGES.map(([what, damage, problem]) => [size, what, length, damage, problem] as const),
);

describe.each(cases)("a %s content that is %s", (_size, _what, length, damage, problem) => {
  test("is a 500 that the log explains, in whole, in part and by a link", async () => {
    const stored = await newFile(length);
    const link = await drive.client.post<{ token: string }>(`/v0/files/${stored.id}/presigned-url`, {}, 200);
    await damage(stored);
    const asks = [
      () => download(stored),
      () => download(stored, { range: "bytes=1-3" }),
      () => coffer.client().send("GET", `/v0/presigned/${link.token}`),
      () => drive.client.send("POST", `/v0/files/${stored.id}/extract`),
      () => drive.client.send("GET", `/v0/files/${stored.id}/text`),
      () => drive.client.send("POST", `/v0/files/${stored.id}/edit`, { body: { op: "append", text: "x" } }),
    ];
    for (const ask of asks) {
      const from = coffer.lines.length;
      const { status, headers } = await ask();
      expect(status).toBe(500);
      const [line = "", ...others] = complaints(from);
      expect(others).toEqual([]);
      expect(line).toContain(`"request_id":"${headers.get("x-request-id")}"`);
      expectAll(line, drive.id, stored.path, stored.digest, problem(stored));
    }
  });

  test("ends an archive, or refuses it, and the log explains it", async () => {
    const stored = await newFile(length);
    await damage(stored);
    const from = coffer.lines.length;
    const url = `/v0/archive?drive_id=${drive.id}&path=${stored.path}`;
    const answer = await drive.client.send("GET", url).then(
      ({ status }) => status,
      () => "broken off",
    );
    expect([500, "broken off"]).toContain(answer);
    const [line = ""] = complaints(from);
    expectAll(line, drive.id, stored.path, stored.digest, problem(stored));
  });

  test("is healed by an upload of the same bytes, which the log says", async () => {
    const stored = await newFile(length);
    await damage(stored);
    const from = coffer.lines.length;
    await drive.client.put(drive.id, `${stored.path}.copy`, stored.content);
    const [line = ""] = complaints(from);
    if (problem(stored) !== "is missing") expectAll(line, drive.id, stored.digest, problem(stored));
    await requireGood(stored);
  });
});

test("flipped bits in a small content are a 500, and an upload heals them", async () => {
  const stored = await newFile(20_000);
  await writeFile(stored.file, flipped(stored.content));
  for (const headers of [{}, { range: "bytes=0-9" }]) {
    const from = coffer.lines.length;
    expect((await download(stored, headers)).status).toBe(500);
    expect(complaints(from)).toEqual([expect.stringContaining("does not match its SHA-256")]);
  }
  await drive.client.put(drive.id, stored.path, stored.content, 200);
  await requireGood(stored);
});

test("flipped bits in a content of less than 1 MiB are healed by an upload of it", async () => {
  const stored = await newFile(900_000);
  await writeFile(stored.file, flipped(stored.content));
  await drive.client.put(drive.id, stored.path, stored.content, 200);
  await requireGood(stored);
});

test("a damaged content is found by its name without a snippet, and the log says why", async () => {
  const word = `w${crypto.randomUUID().replaceAll("-", "")}`;
  const text = `the word is ${word} `.padEnd(20_000, "and so on ");
  const stored = await newFile(0, new TextEncoder().encode(text));
  expect((await find(word)).data).toMatchObject([{ id: stored.id, snippet: expect.stringContaining(word) }]);
  await truncate(stored.file, 3);
  const from = coffer.lines.length;
  expect((await find(word)).data).toMatchObject([{ id: stored.id, snippet: null }]);
  const [line = ""] = complaints(from);
  expectAll(line, "no snippet could be made", drive.id, stored.path, stored.digest, "has 3 bytes");
});

interface Found {
  readonly data: readonly { readonly id: string; readonly snippet: string | null }[];
}

function find(word: string): Promise<Found> {
  return drive.client.get(`/v0/search?drive_id=${drive.id}&q=${word}`);
}

const EDITS = [
  ["appending", { op: "append", text: "more" }],
  ["another edit", { op: "insert", line: 0, text: "more" }],
] as const;

// A new content would have the SHA-256 of the wrong bytes, and seem to be whole.
test.each(EDITS)("wrong bytes of a text are not made into a new content by %s", async (_, body) => {
  const stored = await newFile(0, new TextEncoder().encode(`${"text ".repeat(20_000)}${(count += 1)}`));
  await writeFile(stored.file, flipped(stored.content));
  const answer = await drive.client.send("POST", `/v0/files/${stored.id}/edit`, { body });
  expect(answer.status).toBe(500);
  const record = await drive.client.get<{ content_hash: string }>(`/v0/files/${stored.id}`);
  expect(record.content_hash).toBe(`sha256:${stored.digest}`);
});

test("a damaged content is not indexed, the others are, and the log says why", async () => {
  const stored = await newFile(20_000);
  await rename(stored.file, `${stored.file}.kept`);
  const from = coffer.lines.length;
  // A copy is indexed anew.
  await drive.client.post(`/v0/files/${stored.id}/copy`, { destination_path: "unread.txt" });
  const word = `w${crypto.randomUUID().replaceAll("-", "")}`;
  const good = await newFile(0, new TextEncoder().encode(word));
  const { data } = await find(word);
  expect(data.map(({ id }) => id)).toEqual([good.id]);
  await eventually(() => complaints(from).length > 0);
  const told = complaints(from).join("\n");
  expectAll(told, "a content could not be indexed", drive.id, "unread.txt", stored.digest, "is missing");
});
