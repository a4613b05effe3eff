import { Database as Sqlite } from "bun:sqlite";
import { describe, expect, test } from "bun:test";
import { join } from "node:path";
import type { FoundFilesPage } from "../../../src/http/records/record-schemas.ts";
import { PART } from "../../../src/db/search/jobs.ts";
import { type IndexBatchId, newId } from "../../../src/domain/id.ts";
import { IndexWork } from "../../../src/services/search/index-work.ts";
import { addManyFiles } from "../../support/samples/many-files.ts";
import { openStageNow, startWithDrive } from "../../support/server/scenario.ts";
import { indexAll } from "../../support/server/settled-index.ts";

const FILES = 4000;
/** More words than a search puts together for the start of one. */
const WORDS = 600;

const stage = await openStageNow();
const { coffer } = stage;
const own = await stage.ownDrive();

async function upload(path: string, body: string): Promise<string> {
  return (await own.client.put(own.id, path, body)).id;
}

function find(query: Record<string, string>): Promise<FoundFilesPage> {
  return own.client.get<FoundFilesPage>(`/v0/search?${new URLSearchParams(query).toString()}`);
}

const words = Array.from({ length: WORDS }, (_, n) => `start${n + 1000}`);
await upload("words.txt", `needle ${words.join(" ")}`);
await upload("other needle.txt", "start1000");
for (const path of ["common.txt", "uncommon.txt"]) await upload(path, "old");
for (const path of ["invoice.txt", "start1000.txt"]) await upload(path, "old common");
await upload("picture.png", "");
const changed = await upload("changed.txt", "old common");
const tagged = await own.client.post<{ id: string }>("/v0/files", {
  drive_id: own.id,
  filename: "tagged.txt",
  content: btoa("common start1000"),
  tags: ["all"],
});
coffer.clock.advance(1000);
await addManyFiles(coffer.dataDir, tagged.id, FILES);
coffer.clock.advance(1000);
await own.client.patch(`/v0/files/${changed}`, { metadata: { a: 1 } });
await indexAll(coffer);

describe("of more files than are looked at", () => {
  test("those come first that match in their filenames, whole words before others, however old", async () => {
    const { data, total, total_is_exact } = await find({ q: "common" });
    expect(data.slice(0, 3).map(({ path, score }) => [path, score])).toEqual([
      ["common.txt", 0.6],
      ["uncommon.txt", 0.4],
      ["changed.txt", 0.1],
    ]);
    // There are at least so many.
    expect([total >= 2500, total < FILES, total_is_exact]).toEqual([true, true, false]);
    // The filename matches one word, and the text the other.
    const both = await find({ q: 'common "start1000"' });
    expect(both.data[0]).toMatchObject({ path: "start1000.txt", score: 0.35 });
    expect(both.total_is_exact).toBe(false);
  });

  test("all pages are of the same files, each once, in one order", async () => {
    const seen: string[] = [];
    const { total } = await find({ q: "common", limit: "1" });
    for (let page = 1; seen.length < total; page += 1) {
      const found = await find({ q: "common", limit: "700", page: String(page) });
      expect([found.total, found.data.length > 0]).toEqual([total, true]);
      seen.push(...found.data.map(({ path }) => path));
    }
    expect([seen.length, new Set(seen).size]).toEqual([total, total]);
  });

  test("the few that fit a filter are found among all that match", async () => {
    for (const filter of ["prefix=invoice", "updated_before=2030-01-01T00:00:01Z&max_size=10&prefix=inv"]) {
      const query = Object.fromEntries(new URLSearchParams(`q=common&${filter}`));
      const found = { data: [{ path: "invoice.txt" }], total: 1, total_is_exact: true };
      expect(await find(query)).toMatchObject(found);
    }
    expect(await find({ q: "common", max_size: "10" })).toMatchObject({ total: 5, total_is_exact: true });
    expect(await find({ mime_type: "image/*" })).toMatchObject({ total: 1, total_is_exact: true });
  });

  test("by filters alone every one is reached, the last changed first", async () => {
    const seen: string[] = [];
    for (let page = 1; page <= 5; page += 1) {
      const found = await find({ mime_type: "text/*", limit: "1000", page: String(page) });
      expect(found.total > page * 1000 || found.total_is_exact).toBe(true);
      seen.push(...found.data.map(({ path }) => path));
    }
    expect([seen.length, new Set(seen).size, seen[0]]).toEqual([FILES + 8, FILES + 8, "changed.txt"]);
    expect((await find({ tags: "all", limit: "1000", page: "4" })).data).toHaveLength(1000);
    expect((await find({ tags: "all", limit: "1000", page: "5" })).data).toHaveLength(1);
  });
});

test("the start of more words than are put together is found with another word that few files have", async () => {
  expect(await find({ q: `needle start${WORDS + 999}` })).toMatchObject({ total: 1 });
  const { data, total_is_exact } = await find({ q: "needle start" });
  expect([data.map(({ path }) => path), total_is_exact]).toEqual([["other needle.txt", "words.txt"], true]);
  expect((await find({ q: "words.txt start1" })).data.map(({ path }) => path)).toEqual(["words.txt"]);
  // Also where only the last of the words is.
  await upload("last.txt", `single start${WORDS + 1000}`);
  expect(await find({ q: "single start" })).toMatchObject({ data: [{ path: "last.txt" }], total: 1 });
});

/** The paths of the files with the tag `order`. */
async function ordered(): Promise<string[]> {
  return (await find({ tags: "order" })).data.map(({ path }) => path);
}

test("a tag's files are in the order of change", async () => {
  const tag = (path: string) => own.client.put(own.id, path, "", 201, "&tags=order");
  const { id } = await tag("order-a.bin");
  stage.coffer.clock.advance(1000);
  await tag("order-b.bin");
  expect(await ordered()).toEqual(["order-b.bin", "order-a.bin"]);
  stage.coffer.clock.advance(1000);
  await own.client.patch(`/v0/files/${id}`, { metadata: { a: 1 } });
  expect(await ordered()).toEqual(["order-a.bin", "order-b.bin"]);
});

test("texts are indexed in turn with names, however many of these wait", async () => {
  await using other = await startWithDrive();
  const { own: drive } = other;
  await other.appliance.services.indexer.stop();
  const put = (path: string) => drive.client.put(drive.id, path, "word");
  const { id } = await put("a.bin");
  await put("b.txt");
  await addManyFiles(other.dataDir, id, 2000);
  await other.close();
  using sql = new Sqlite(join(other.dataDir, "coffer.db"));
  const jobs = (part: number) =>
    sql.query(`SELECT file FROM search_job WHERE parts & ${part}`).values().length;
  expect([jobs(PART.names), jobs(PART.text)]).toEqual([2002, 2002]);
  const places = { database: sql.filename, blobs: { disks: [other.dataDir], store: null } };
  const [first, second] = [newId<IndexBatchId>(0), newId<IndexBatchId>(0)];
  const work = new IndexWork();
  await work.open(places, null, first);
  const asked = { drive: null, after: { names: 0, texts: 0, gone: 0 }, upTo: 10_000, documents: [] };
  const { done, isFull, passed } = await work.index({ ...asked, previous: first, id: second });
  const next = await work.index({ ...asked, after: passed, previous: second, id: newId<IndexBatchId>(0) });
  work.close(first);
  const text = sql.query(
    "SELECT j.ticket FROM search_job j JOIN file f ON f.pk = j.file WHERE path = 'b.txt'",
  );
  const [ticket = 0] = text.values().flat().map(Number);
  expect([isFull, done.length < 1000, new Map(done).get(ticket)]).toEqual([
    true,
    true,
    PART.names | PART.text,
  ]);
  // The next batch goes on after what this one has passed, although its jobs are still there.
  const named = [...done, ...next.done].filter((job) => (job[1] & PART.names) !== 0).map((job) => job[0]);
  const tickets = sql.query("SELECT ticket FROM search_job ORDER BY ticket").values().flat().map(Number);
  expect(named.length).toBeGreaterThan(done.length);
  expect(named).toEqual(tickets.slice(0, named.length));
});
