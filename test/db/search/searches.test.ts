import { afterEach, beforeEach, expect, spyOn, test } from "bun:test";
import { existsSync } from "node:fs";
import { rename } from "node:fs/promises";
import { join } from "node:path";
import { Database } from "../../../src/db/engine/database.ts";
import type { SearchRequest } from "../../../src/db/search/request.ts";
import { Searches } from "../../../src/db/search/searches.ts";
import type { DrivePk } from "../../../src/domain/id.ts";
import { FakeClock } from "../../support/server/fake-clock.ts";
import { type TemporaryDirectory, temporaryDirectory } from "../../support/server/temporary-directory.ts";
import { searchRequest } from "../../support/samples/search-request.ts";

let directory: TemporaryDirectory;
let database: Database;
let searches: Searches;

beforeEach(async () => {
  directory = await temporaryDirectory();
  database = Database.open(join(directory.path, "coffer.db"), new FakeClock());
  // Only so can a writer keep readers waiting: in the middle of a statement, for as long as it likes.
  database.sql.run("PRAGMA journal_mode = DELETE");
  searches = new Searches(database);
});

afterEach(async () => {
  await searches.close();
  await database.close();
  await directory[Symbol.asyncDispose]();
});

function drives(): DrivePk[] {
  return database.sql
    .query<{ pk: DrivePk }, []>("SELECT 1 AS pk")
    .all()
    .map(({ pk }) => pk);
}

function request(): SearchRequest {
  return searchRequest(drives(), "word");
}

/** What becomes of searches: what they find, or what they are refused with. */
function outcomes(asked: readonly SearchRequest[]): Promise<unknown>[] {
  return asked.map((one) =>
    searches.find(one).then(
      ({ total }) => total,
      (error: unknown) => error,
    ),
  );
}

test("a search whose statement goes on and on is refused, and those behind it are done elsewhere", async () => {
  expect((await searches.find(request())).total).toBe(0);
  const asked = [request(), request(), request()];
  database.sql.run("BEGIN EXCLUSIVE");
  const [first, ...others] = outcomes(asked);
  expect(await first).toMatchObject({ code: "VALIDATION_ERROR" });
  database.sql.run("ROLLBACK");
  expect(await Promise.all(others)).toEqual([0, 0]);
});

test("of many searches few are done at once, and the others after them", async () => {
  expect((await searches.find(request())).total).toBe(0);
  using asked = spyOn(Worker.prototype, "postMessage");
  database.sql.run("BEGIN EXCLUSIVE");
  const all = outcomes(Array.from({ length: 20 }, request));
  expect(asked.mock.calls.length).toBe(2);
  database.sql.run("ROLLBACK");
  expect([await Promise.all(all), asked.mock.calls.length]).toEqual([Array(20).fill(0), 20]);
});

test("a thread that fails takes its searches along, and the next search starts another", async () => {
  const path = join(directory.path, "coffer.db");
  await rename(path, `${path}.away`);
  const failed = await Promise.all(outcomes([request(), request()]));
  const message: unknown = expect.stringContaining("the search thread failed");
  expect(failed).toMatchObject([0, 1].map(() => ({ message, code: "SQLITE_CANTOPEN" })));
  await rename(`${path}.away`, path);
  expect((await searches.find(request())).total).toBe(0);
});

test("after the end there are no searches", async () => {
  const asked = [request(), request()];
  expect((await searches.find(request())).total).toBe(0);
  const ended = outcomes(asked);
  const closing = searches.close();
  expect((await Promise.all(ended)).map(String)).toEqual(
    Array(2).fill("Error: the search ended because the server closes"),
  );
  expect(() => searches.find(request())).toThrow("searches have ended");
  await closing;
});

test("the end closes the connection of the thread: the log is emptied after it", async () => {
  const path = join(directory.path, "other.db");
  const other = Database.open(path, new FakeClock());
  const ending = new Searches(other);
  expect((await ending.find(request())).total).toBe(0);
  await ending.close();
  await other.close();
  expect(existsSync(`${path}-wal`)).toBe(false);
});
