import { expect, test } from "bun:test";
import { join } from "node:path";
import { Database } from "../../src/db/database.ts";
import { openTables } from "../../src/db/tables.ts";
import type { FilePk } from "../../src/domain/id.ts";
import { FakeClock } from "../support/fake-clock.ts";
import { temporaryDirectory } from "../support/temporary-directory.ts";
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
  await using place = await temporaryDirectory();
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
    while (await write(() => searchIndex.merge())) steps += 1;
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
