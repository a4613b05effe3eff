import { expect, spyOn, test } from "bun:test";
import { existsSync } from "node:fs";
import { rename } from "node:fs/promises";
import { Searches } from "../../../src/db/search/searches.ts";
import type { DrivePk } from "../../../src/domain/id.ts";
import { searchRequest } from "../../support/samples/search-request.ts";
import { openDatabase } from "../../support/server/open-database.ts";
import { testWith } from "../../support/server/test-with.ts";

async function open() {
  const opened = await openDatabase();
  const searches = new Searches(opened.database);
  const drives = opened.sql.query<{ pk: DrivePk }, []>("SELECT 1 AS pk").all();
  const request = searchRequest(
    drives.map(({ pk }) => pk),
    "word",
  );
  return {
    ...opened,
    searches,
    /** How many files a search finds. */
    find: async () => (await searches.find(request)).total,
    /** What becomes of so many searches: what they find, or what they are refused with. */
    outcomes: (count: number) =>
      Array.from({ length: count }, () =>
        searches.find(request).then(
          ({ total }) => total,
          (error: unknown) => error,
        ),
      ),
    [Symbol.asyncDispose]: async () => {
      await searches.close();
      await opened[Symbol.asyncDispose]();
    },
  };
}

const it = testWith(async () => {
  const opened = await open();
  // Only so can a writer keep readers waiting: in the middle of a statement, for as long as it likes.
  opened.sql.run("PRAGMA journal_mode = DELETE");
  return opened;
});

it("a search whose statement goes on and on is refused, and those behind it are done elsewhere", async (opened) => {
  expect(await opened.find()).toBe(0);
  opened.sql.run("BEGIN EXCLUSIVE");
  const [first, ...others] = opened.outcomes(3);
  expect(await first).toMatchObject({ code: "VALIDATION_ERROR" });
  opened.sql.run("ROLLBACK");
  expect(await Promise.all(others)).toEqual([0, 0]);
});

it("of many searches few are done at once, and the others after them", async ({ sql, find, outcomes }) => {
  expect(await find()).toBe(0);
  using asked = spyOn(Worker.prototype, "postMessage");
  sql.run("BEGIN EXCLUSIVE");
  const all = outcomes(20);
  expect(asked.mock.calls.length).toBe(2);
  sql.run("ROLLBACK");
  expect([await Promise.all(all), asked.mock.calls.length]).toEqual([Array(20).fill(0), 20]);
});

it("a thread that fails takes its searches along, and the next search starts another", async (opened) => {
  await rename(opened.path, `${opened.path}.away`);
  const failed = await Promise.all(opened.outcomes(2));
  const message: unknown = expect.stringContaining("the search thread failed");
  expect(failed).toMatchObject([0, 1].map(() => ({ message, code: "SQLITE_CANTOPEN" })));
  await rename(`${opened.path}.away`, opened.path);
  expect(await opened.find()).toBe(0);
});

it("after the end there are no searches", async ({ searches, find, outcomes }) => {
  expect(await find()).toBe(0);
  const ended = outcomes(2);
  const closing = searches.close();
  expect((await Promise.all(ended)).map(String)).toEqual(
    Array(2).fill("Error: the search ended because the server closes"),
  );
  expect(await find().catch(String)).toContain("searches have ended");
  await closing;
});

test("the end closes the connection of the thread: the log is emptied after it", async () => {
  await using opened = await open();
  expect(await opened.find()).toBe(0);
  await opened.searches.close();
  await opened.database.close();
  expect(existsSync(`${opened.path}-wal`)).toBe(false);
});
