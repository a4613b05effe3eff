import { Database as Sqlite } from "bun:sqlite";
import { testWith } from "../../support/server/test-with.ts";
import { afterAll, beforeAll, describe, expect, spyOn, test } from "bun:test";
import { join } from "node:path";
import { IndexFile } from "../../../src/db/search/index-file.ts";
import { Connection } from "../../../src/db/engine/connection.ts";
import { attachIndex, indexPathOf } from "../../../src/db/search/index-tables.ts";
import { JobReader } from "../../../src/db/search/job-reader.ts";
import { SearchFinder } from "../../../src/db/search/finder.ts";
import type { SearchFilters, SearchRequest } from "../../../src/db/search/request.ts";
import { Overrun } from "../../../src/db/search/work.ts";
import type { DrivePk } from "../../../src/domain/id.ts";
import { startAppliance, type TestAppliance } from "../../support/server/appliance.ts";
import { bytesRead, NO_READ_COUNT } from "../../support/meters/bytes-read.ts";
import { changeDatabase } from "../../support/faults/change-database.ts";
import { addManyFiles } from "../../support/samples/many-files.ts";
import { eventually, type OwnDrive, provision } from "../../support/server/scenario.ts";
import { withReason } from "../../support/server/skip.ts";
import { searchRequest } from "../../support/samples/search-request.ts";
import { indexAll } from "../../support/server/settled-index.ts";

function open(coffer: TestAppliance): Sqlite {
  return new Sqlite(join(coffer.dataDir, "coffer.db"), { readonly: true, strict: true });
}

async function upload({ client, id }: OwnDrive, path: string, body: string): Promise<string> {
  return (await client.put(id, path, body)).id;
}

function requestFor(sql: Sqlite, drive: OwnDrive, query: string): SearchRequest {
  const row = sql.query<{ pk: DrivePk }, [string]>("SELECT pk FROM drive WHERE id = ?").get(drive.id);
  if (row === null) throw new Error("no such drive");
  return searchRequest([row.pk], query);
}

/** What a search may look at row by row: what its own statement has just found. */
const OWN_SCAN =
  /^SCAN (c|o) VIRTUAL TABLE|^SCAN c$|^SCAN search_(name|text) VIRTUAL TABLE INDEX \d+:M1[<>]+$|^SCAN temp.search_term VIRTUAL TABLE INDEX 513:$/;

/** A full-text table is always said to be scanned; by its rowid where there is a comparison after the colon. */
const BY_ROWID = /^SCAN search_(name|text) VIRTUAL TABLE INDEX \d+:(=|><)$/;

/** The texts of the statements that something prepares as it is made. */
function preparedBy(make: () => object): string[] {
  using prepare = spyOn(Connection.prototype, "prepare");
  expect(make()).toBeDefined();
  return prepare.mock.calls.map(([text]) => text);
}

/** Where statements sort, or scan more than they may. */
function scansIn(sql: Sqlite, texts: readonly string[], mayBe: RegExp): string[] {
  return texts.flatMap((text) =>
    sql
      .query<{ detail: string }, []>(`EXPLAIN QUERY PLAN ${text}`)
      .all()
      .filter(({ detail }) => /^SCAN |TEMP B-TREE/.test(detail) && !mayBe.test(detail))
      .map(({ detail }) => `${detail}: ${text}`),
  );
}

const it = testWith(startAppliance);

it("every statement of a search finds its rows by an index, and none sorts them", async (coffer) => {
  using sql = open(coffer);
  const texts = preparedBy(() => new SearchFinder(sql));
  expect(texts).toHaveLength(17);
  expect(scansIn(sql, texts, OWN_SCAN)).toEqual([]);
});

it("every statement of the indexing thread finds its rows by an index", async (coffer) => {
  await upload(await provision(coffer), "a.txt", "word");
  await indexAll(coffer);
  await coffer.close();
  const path = join(coffer.dataDir, "coffer.db");
  let jobs: JobReader | undefined;
  const ofJobs = preparedBy(() => (jobs = new JobReader(path)));
  using own = new Sqlite(indexPathOf(path));
  const ofIndex = preparedBy(() => new IndexFile(own));
  expect([ofJobs.length, ofIndex.length]).toEqual([10, 10]);
  using sql = open(coffer);
  expect([...scansIn(sql, ofJobs, BY_ROWID), ...scansIn(own, ofIndex, BY_ROWID)]).toEqual([]);
  jobs?.close();
});

it("what reads the index reads the jobs before it, so that one that is done is in it", async (coffer) => {
  await upload(await provision(coffer), "a.txt", "word");
  await indexAll(coffer);
  using sql = open(coffer);
  const texts = preparedBy(() => new SearchFinder(sql)).filter((text) => text.includes("isStale"));
  expect(texts).toHaveLength(6);
  for (const text of texts) {
    const steps = sql.query<{ opcode: string; p1: number }, []>(`EXPLAIN ${text}`).all();
    const databases = steps.filter(({ opcode }) => opcode === "Transaction").map(({ p1 }) => p1);
    // The main database, and the one that was attached.
    expect(databases).toEqual([0, 2]);
  }
});

it("a search that takes too long is given up", async (coffer) => {
  const own = await provision(coffer);
  await upload(own, "a.txt", "word");
  await indexAll(coffer);
  using sql = open(coffer);
  const request = { ...requestFor(sql, own, "word"), budget: -1 };
  expect(new SearchFinder(sql).find(request)).rejects.toThrow(Overrun);
});

/** What a search reads that finds nothing in memory yet. */
async function costOf(coffer: TestAppliance, drive: OwnDrive, query: string): Promise<number> {
  using sql = open(coffer);
  const request = requestFor(sql, drive, query);
  const finder = new SearchFinder(sql);
  const before = bytesRead() ?? 0;
  expect((await finder.find(request)).total).toBe(2);
  return (bytesRead() ?? 0) - before;
}

const OTHERS = 12_000;
/** What deeper trees, and an index that is in more parts, may cost more: far less than lists of so many files. */
const MORE_BYTES = 64 * 4096;
const QUERIES = ["common", "comm", "omm", "common words", '"common words"', "tx", "o", ""];

test.skipIf(NO_READ_COUNT !== "")(
  withReason("what a search reads does not grow with what is in other drives", NO_READ_COUNT),
  async () => {
    await using coffer = await startAppliance();
    const [mine, other] = [await provision(coffer), await provision(coffer)];
    await upload(mine, "common one.txt", "common words");
    await upload(mine, "common two.txt", "more common words");
    await indexAll(coffer);
    const alone = new Map<string, number>();
    for (const query of QUERIES) alone.set(query, await costOf(coffer, mine, query));

    const copied = await upload(other, "common words.txt", "common words ".repeat(10));
    await addManyFiles(coffer.dataDir, copied, OTHERS);
    await indexAll(coffer);
    // The threads of the server read as well: they merge the index and copy the log.
    await coffer.close();
    for (const query of QUERIES) {
      const more = (await costOf(coffer, mine, query)) - (alone.get(query) ?? 0);
      expect([query, Math.max(0, more - MORE_BYTES)]).toEqual([query, 0]);
    }
  },
);

/** How many files hold the same words, in one drive and in another. */
const [SOME, MANY] = [4000, 16_000];
const KINDS: [name: string, query: string, filters: Partial<SearchFilters>][] = [
  ["a rare word", '"rare"', {}],
  ["the start of a rare word", "rarew", {}],
  ["a word in every file", "common", {}],
  ["two words in every file", "common words", {}],
  ["a phrase in every file", '"common words"', {}],
  ["two letters", "co", {}],
  ["three letters", "wor", {}],
  ["one letter of names", "m", {}],
  ["a word in every filename", "many", {}],
  ["a rare word and two letters", "rare co", {}],
  ["words that no file has all", "common words zebra", {}],
  ["a question", "how are words common", {}],
  ["a tag", "", { tags: ["all"] }],
  ["a tag and a word in every file", "common", { tags: ["all"] }],
  ["a rare tag and a word in every file", "common", { tags: ["rare"] }],
  ["a type", "", { mimeType: "text/" }],
];

describe("what a search looks at", () => {
  let coffer: TestAppliance;
  const drives: OwnDrive[] = [];

  beforeAll(async () => {
    coffer = await startAppliance();
    for (const files of [SOME, MANY]) {
      const own = await provision(coffer);
      drives.push(own);
      const copied = await upload(own, "many words.txt", "common words");
      const tag = (id: string, tags: string[]) => own.client.patch(`/v0/files/${id}`, { tags });
      await tag(copied, ["all"]);
      await tag(await upload(own, "other.txt", "rare rareword common words"), ["rare"]);
      await addManyFiles(coffer.dataDir, copied, files);
    }
    await indexAll(coffer);
  });

  afterAll(() => coffer[Symbol.asyncDispose]());

  test.each(KINDS)("for %s does not grow with the drive", async (_, query, filters) => {
    const looks: number[] = [];
    for (const drive of drives) {
      using sql = open(coffer);
      const finder = new SearchFinder(sql);
      const request = requestFor(sql, drive, query);
      const found = await finder.find({ ...request, filters: { ...request.filters, ...filters } });
      expect([found.isExact, found.total]).toEqual(
        found.total === 1 ? [true, 1] : [false, expect.any(Number)],
      );
      looks.push(finder.rows);
    }
    const [some = 0, many = 0] = looks;
    expect([some > 0, many <= some * 1.1 + 100]).toEqual([true, true]);
  });
});

it("a deleted drive leaves nothing in the index", async (coffer) => {
  const own = await provision(coffer);
  const id = await upload(own, "a.txt", "word");
  await upload(own, "long.txt", "word ".repeat(50_000));
  await addManyFiles(coffer.dataDir, id, 1000);
  await indexAll(coffer);
  using sql = open(coffer);
  expect(attachIndex(sql)).toBe("attached");
  const rows = () =>
    ["search_name", "search_text", "search_job"].map(
      (table) => sql.query<{ n: number }, []>(`SELECT count(*) AS n FROM ${table}`).get()?.n ?? 0,
    );
  expect(rows()[0]).toBe(1002);
  expect(rows()[1]).toBeGreaterThan(1005);
  await upload(own, "late.txt", "not indexed yet");
  await own.client.delete(`/v0/drives/${own.id}`);
  await coffer.appliance.services.sweep.run();
  await eventually(() => rows().every((count) => count === 0));
  changeDatabase(
    coffer.dataDir,
    "INSERT INTO search.search_name (search_name) VALUES ('integrity-check')",
    "INSERT INTO search.search_text (search_text) VALUES ('integrity-check')",
  );
});
