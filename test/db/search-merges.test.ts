import { expect, test } from "bun:test";
import { Database as Sqlite } from "bun:sqlite";
import { existsSync } from "node:fs";
import { join } from "node:path";
import { Database } from "../../src/db/database.ts";
import { mergeSome } from "../../src/db/search/merge.ts";
import { openTables } from "../../src/db/tables.ts";
import type { FilePk } from "../../src/domain/id.ts";
import { FakeClock } from "../support/fake-clock.ts";
import { FAST_DIRECTORY, temporaryDirectory } from "../support/temporary-directory.ts";
import { WriteMeter } from "../support/write-meter.ts";

const WRITES = 400;
const FILES_A_WRITE = 10;
/** Rows of the index's own tables that a write of some files changes, when it merges nothing. */
const ROWS_A_WRITE = 100;
/** The same for a step of a merge: the pages that it writes, and all that the merged segments had. */
const ROWS_A_STEP = 1000;

/** Forty words of some thousand. */
function words(n: number): string {
  return Array.from({ length: 40 }, (_, k) => `w${(n * 41 + k * k) % 9973}`).join(" ");
}

test("the full-text index is merged in small steps and never by a write, and gives the room of what went back", async () => {
  await using place = await temporaryDirectory(FAST_DIRECTORY);
  const database = Database.open(join(place.path, "coffer.db"), new FakeClock());
  const { searchIndex, write } = openTables(database);
  const ask = (value: string) =>
    database.sql.query<{ n: number }, []>(`SELECT ${value} AS n FROM search_text_idx`).get()?.n ?? 0;
  const segments = () => ask("count(DISTINCT segid)");
  const bytes = () => ask("(SELECT sum(length(block)) FROM search_text_data)");
  const handles = database.sql.prepare<{ pk: FilePk }, [number, number]>(
    "WITH RECURSIVE n (pk) AS (SELECT ?1 UNION ALL SELECT pk + 1 FROM n WHERE pk + 1 < ?1 + ?2) SELECT pk FROM n",
  );
  const each = async (change: (file: FilePk) => void) => {
    for (let n = 0; n < WRITES; n += 1) {
      const files = handles.all(n * FILES_A_WRITE + 1, FILES_A_WRITE);
      await write(() => files.forEach(({ pk }) => change(pk)));
    }
  };
  const mergeAll = async () => {
    let steps = 0;
    while ((await write(() => mergeSome(database.sql))) > 0) steps += 1;
    return steps;
  };

  using meter = new WriteMeter(database);
  await each((file) => searchIndex.putText(file, 0, words(file)));
  expect(segments()).toBe(WRITES);
  expect(meter.largest()).toBeLessThan(ROWS_A_WRITE);
  expect(await mergeAll()).toBeGreaterThan(5);
  expect(meter.largest()).toBeLessThan(ROWS_A_STEP);
  expect(segments()).toBeLessThan(8);
  const whole = bytes();
  await each((file) => searchIndex.removeGone(file));
  expect(meter.largest()).toBeLessThan(ROWS_A_WRITE);
  await mergeAll();
  expect(meter.largest()).toBeLessThan(ROWS_A_STEP);
  expect(bytes()).toBeLessThan(whole / 10);
  await database.close();
});

test("merges run in a thread: reads go on, and writes wait their turn", async () => {
  await using place = await temporaryDirectory(FAST_DIRECTORY);
  const path = join(place.path, "coffer.db");
  const database = Database.open(path, new FakeClock());
  const { searchIndex, write, mergeIndex } = openTables(database);
  const files = database.sql.query<{ pk: FilePk }, [string]>("SELECT value AS pk FROM json_each(?)");
  const numbers = Array.from({ length: 100 }, (_, n) => n + 1);
  for (const { pk } of files.all(JSON.stringify(numbers))) {
    await write(() => searchIndex.putText(pk, 0, words(pk)));
  }
  const ask = (value: string) => database.sql.query<{ n: number }, []>(`SELECT ${value} AS n`).get()?.n;
  const segments = () => ask("(SELECT count(DISTINCT segid) FROM search_text_idx)");
  const changes = ask("total_changes()");
  // A write that meets a lock fails at once.
  database.sql.run("PRAGMA busy_timeout = 0");
  const other = new Sqlite(path);
  other.run("BEGIN IMMEDIATE");
  let isWritten = false;
  const merge = mergeIndex();
  const written = write(() => {
    isWritten = true;
    expect(segments()).toBeLessThan(100);
  });
  for (let turn = 0; turn < 50; turn += 1) {
    await new Promise((resolve) => setImmediate(resolve));
    expect([segments(), isWritten]).toEqual([100, false]);
  }
  other.run("ROLLBACK");
  other.close();
  await Promise.all([merge, written]);
  while (await mergeIndex()) expect(segments()).toBeGreaterThan(0);
  expect(segments()).toBeLessThan(8);
  expect(ask("total_changes()")).toBe(changes);
  await database.close();
  // The thread has closed its connection as well.
  expect(existsSync(`${path}-wal`)).toBe(false);
});
