import { afterAll, beforeAll, expect, test } from "bun:test";
import { join } from "node:path";
import type { FoundFilesPage } from "../../../src/http/records/record-schemas.ts";
import { EmbeddingsServer } from "../../support/peers/embeddings.ts";
import { docx, wordParagraph } from "../../support/samples/documents.ts";
import { startAppliance, type TestAppliance } from "../../support/server/appliance.ts";
import { eventually, type OwnDrive, provision } from "../../support/server/scenario.ts";

const endpoint = new EmbeddingsServer();
const settings = { embeddings: endpoint.url, "embeddings-model": "words", "embeddings-key": "hunter2" };
let coffer: TestAppliance;

beforeAll(async () => {
  coffer = await startAppliance(settings);
});
afterAll(async () => {
  await coffer[Symbol.asyncDispose]();
  await endpoint[Symbol.asyncDispose]();
});

function find({ client }: OwnDrive, q: string, more: Record<string, string> = {}): Promise<FoundFilesPage> {
  return client.get<FoundFilesPage>(`/v0/search?${new URLSearchParams({ q, ...more }).toString()}`);
}

async function paths(own: OwnDrive, q: string, more: Record<string, string> = {}): Promise<string[]> {
  return (await find(own, q, more)).data.map(({ path }) => path);
}

/** Waits until a file is found by words that it does not have, but that mean the same. */
async function embedded(own: OwnDrive, q: string, path: string): Promise<void> {
  await eventually(async () => (await paths(own, q)).includes(path));
}

test("what means the same is found, with its passage, beside what has the words", async () => {
  const own = await provision(coffer);
  await own.client.put(own.id, "one.txt", `${"filler text ".repeat(200)}\n\nMy automobile broke`);
  await own.client.put(own.id, "two.txt", "The car stood");
  await own.client.put(own.id, "three.txt", "Nothing of the kind");
  await own.client.put(own.id, "four.bin", "vehicle");
  await own.client.put(own.id, "vehicle.docx", docx(wordParagraph("the physician")));
  await embedded(own, "car", "one.txt");
  expect(await find(own, "vehicle broke", { mime_type: "text/plain" })).toMatchObject({
    data: [{ path: "one.txt", snippet: expect.stringContaining("automobile broke") }],
    is_relaxed: true,
  });
  await embedded(own, "doctor", "vehicle.docx");
  expect((await find(own, "doctor")).data).toMatchObject([
    { path: "vehicle.docx", snippet: "the physician" },
  ]);
  // In both lists, and so before what is in one.
  expect(await paths(own, "car")).toEqual(["two.txt", "one.txt"]);
  expect(endpoint.asked.every((one) => one.model === "words" && one.authorization === "Bearer hunter2")).toBe(
    true,
  );
  expect(endpoint.texts.filter((text) => text === "vehicle")).toEqual([]);
});

test("filters, folders of a key and drives of others hold, and so do pages", async () => {
  const [own, other] = [await provision(coffer), await provision(coffer)];
  for (let at = 0; at < 6; at += 1) await own.client.put(own.id, `in/${at}.txt`, `automobile ${at}`);
  await own.client.put(own.id, "aside.txt", "physician");
  await own.client.put(own.id, "out.txt", "automobile 6666");
  await other.client.put(other.id, "theirs.txt", "automobile 9");
  await embedded(own, "vehicle", "out.txt");
  await embedded(other, "vehicle", "theirs.txt");
  const all = await paths(own, "vehicle");
  expect(all.toSorted()).toEqual([
    "in/0.txt",
    "in/1.txt",
    "in/2.txt",
    "in/3.txt",
    "in/4.txt",
    "in/5.txt",
    "out.txt",
  ]);
  expect((await paths(own, "vehicle", { prefix: "in/" })).length).toBe(6);
  expect(await paths(own, "vehicle", { min_size: "13" })).toEqual(["out.txt"]);
  const pages = [
    await find(own, "vehicle", { limit: "4" }),
    await find(own, "vehicle", { limit: "4", page: "2" }),
  ];
  expect(pages.flatMap(({ data }) => data.map(({ path }) => path))).toEqual(all);
  expect(pages.map(({ total }) => total)).toEqual([7, 7]);
});

test("a content gets its vectors once, a new one its own, and what is gone is not found", async () => {
  const own = await provision(coffer);
  const { id } = await own.client.put(own.id, "a.txt", "automobile unique");
  await embedded(own, "vehicle", "a.txt");
  await own.client.post(`/v0/files/${id}/copy`, { destination_path: "b.txt" }, 201);
  expect((await paths(own, "vehicle unique")).toSorted()).toEqual(["a.txt", "b.txt"]);
  await own.client.put(own.id, "a.txt", "physician now", 200);
  await embedded(own, "doctor", "a.txt");
  expect(await paths(own, "vehicle")).toEqual(["b.txt"]);
  const expiry = encodeURIComponent(coffer.clock.iso(1000));
  await own.client.put(own.id, "brief.txt", "automobile unique", 201, `&expires_at=${expiry}`);
  expect((await paths(own, "vehicle")).toSorted()).toEqual(["b.txt", "brief.txt"]);
  coffer.clock.advance(1000);
  expect(await find(own, "vehicle")).toMatchObject({ data: [{ path: "b.txt" }], total: 1 });
  expect(endpoint.texts.filter((text) => text === "automobile unique")).toHaveLength(1);
});

test("a text that the endpoint does not take is left out, and others are not", async () => {
  endpoint.refused = "unbearable";
  const own = await provision(coffer);
  await own.client.put(own.id, "bad.txt", "unbearable automobile");
  await own.client.put(own.id, "good.txt", "bearable automobile");
  await embedded(own, "vehicle", "good.txt");
  expect(await paths(own, "vehicle")).toEqual(["good.txt"]);
  endpoint.refused = null;
});

test("while the endpoint fails words find what they find; then vectors are made that were missed", async () => {
  await using own = await startAppliance(settings);
  const drive = await provision(own);
  endpoint.failsWith = 500;
  await drive.client.put(drive.id, "a.txt", "automobile later");
  expect(await paths(drive, "later")).toEqual(["a.txt"]);
  expect(await paths(drive, "vehicle")).toEqual([]);
  await eventually(() => own.lines.some((line) => line.includes("the embeddings endpoint fails")));
  expect(own.lines.join("")).not.toContain("hunter2");
  endpoint.failsWith = null;
  // A new process does not wait.
  await own.restart();
  const again: OwnDrive = { ...drive, client: own.client(drive.key) };
  await embedded(again, "vehicle", "a.txt");
});

test("another model makes all vectors again, and without one there is no file and nobody is asked", async () => {
  await using own = await startAppliance();
  const drive = await provision(own);
  await drive.client.put(drive.id, "a.txt", "automobile");
  expect(await paths(drive, "vehicle")).toEqual([]);
  expect(await Bun.file(join(own.dataDir, "vectors.db")).exists()).toBe(false);
  for (const model of ["words", "others"]) {
    await own.restart({ ...settings, "embeddings-model": model });
    await embedded({ ...drive, client: own.client(drive.key) }, "vehicle", "a.txt");
    expect(
      endpoint.asked.filter((one) => one.model === model && one.input.includes("automobile")),
    ).toHaveLength(1);
  }
});
