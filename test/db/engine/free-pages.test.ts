import { expect, test } from "bun:test";
import { statSync } from "node:fs";
import type { Database } from "../../../src/db/engine/database.ts";
import { openDatabase } from "../../support/server/open-database.ts";

const MIB = 1024 * 1024;
const PAGE = 4096;

/** How many pages each call released, until one released none. */
async function releaseAll(database: Database): Promise<number[]> {
  const released: number[] = [];
  for (let pages = 1; pages > 0; released.push(pages)) {
    pages = await database.write(() => database.sql.releasePages(100));
  }
  return released.slice(0, -1);
}

test("what is deleted gets smaller on the disk, a little at a time, but for what the next writes need", async () => {
  await using opened = await openDatabase(undefined, "note (pk INTEGER PRIMARY KEY, x BLOB NOT NULL)");
  const { database, sql } = opened;
  const insert = sql.prepare("INSERT INTO note (x) VALUES (randomblob(16000))");
  await database.write(() => {
    for (let n = 0; n < 2000; n += 1) insert.run();
  });
  expect(await releaseAll(database)).toEqual([]);
  await database.write(() => sql.run("DELETE FROM note WHERE pk % 10 > 0"));
  const released = await releaseAll(database);
  expect(Math.max(...released)).toBe(100);
  const sum = released.reduce((total, pages) => total + pages, 0);
  expect(sum * PAGE).toBeGreaterThan(20 * MIB);
  expect(sql.query("SELECT count(*) AS n FROM note").get()).toEqual({ n: 200 });
  await database.close();
  expect(statSync(opened.path).size).toBeLessThan(12 * MIB);
});
