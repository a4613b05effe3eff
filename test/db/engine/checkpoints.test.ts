import { expect } from "bun:test";
import { Database as Sqlite } from "bun:sqlite";
import { readFileSync, statSync } from "node:fs";
import { openDatabase } from "../../support/server/open-database.ts";
import { eventually } from "../../support/server/scenario.ts";
import { testWith } from "../../support/server/test-with.ts";

const MIB = 1024 * 1024;

const it = testWith(async () => {
  const opened = await openDatabase(undefined, "note (pk INTEGER PRIMARY KEY, x BLOB NOT NULL)");
  const insert = opened.sql.prepare<null, [number]>("INSERT INTO note (x) VALUES (randomblob(?))");
  /** Writes so many rows of so many bytes in one transaction. */
  const fill = (rows: number, bytes: number) =>
    opened.database.write(() => {
      for (let n = 0; n < rows; n += 1) insert.run(bytes);
    });
  return { ...opened, fill };
});

/** What changes in the log when it restarts (https://sqlite.org/fileformat2.html#walformat). */
function saltOf(path: string): string {
  return readFileSync(`${path}-wal`).subarray(16, 24).toString("hex");
}

it("what was written gets from the log into the database, and the log restarts", async ({ path, fill }) => {
  await fill(1, 10);
  const salt = saltOf(path);
  await fill(5000, 400);
  await eventually(() => statSync(path).size > 2 * MIB);
  await eventually(async () => {
    await fill(5000, 10);
    return saltOf(path) !== salt;
  });
});

it("under steady writes the log stays short", async ({ path, fill }) => {
  const writer = async () => {
    for (let n = 0; n < 20; n += 1) await fill(1000, 4000);
  };
  // While a checkpoint runs, one of them always has a commit to add.
  await Promise.all([writer(), writer(), writer()]);
  expect(statSync(path).size).toBeGreaterThan(100 * MIB);
  expect(statSync(`${path}-wal`).size).toBeLessThan(100 * MIB);
});

it("closing leaves everything in the database and no log", async ({ database, path, fill }) => {
  await fill(5000, 1);
  await database.close();
  expect(statSync(`${path}-wal`, { throwIfNoEntry: false })).toBe(undefined);
  using sql = new Sqlite(path, { readonly: true });
  expect(sql.query("SELECT count(*) AS n FROM note").get()).toEqual({ n: 5000 });
});
