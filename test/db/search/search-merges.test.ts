import { Database as Sqlite } from "bun:sqlite";
import { expect, test } from "bun:test";
import { join } from "node:path";
import { type IndexChanges, IndexFile } from "../../../src/db/search/index-file.ts";
import { type IndexBatchId, type FilePk, newId } from "../../../src/domain/id.ts";
import { FAST_DIRECTORY, temporaryDirectory } from "../../support/server/temporary-directory.ts";

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
  const path = join(place.path, "search.db");
  const batch = newId<IndexBatchId>(0);
  (await IndexFile.make(path, batch)).close(batch);
  using sql = new Sqlite(path, { readwrite: true, strict: true });
  sql.run("PRAGMA synchronous = OFF");
  const index = new IndexFile(sql);
  const ask = (value: string) => sql.query<{ n: number }, []>(`SELECT ${value} AS n`).get()?.n ?? 0;
  const segments = () => ask("(SELECT count(DISTINCT segid) FROM search_text_idx)");
  const bytes = () => ask("(SELECT sum(length(block)) FROM search_text_data)");
  const handles = sql.prepare<{ pk: FilePk }, [number, number]>(
    "WITH RECURSIVE n (pk) AS (SELECT ?1 UNION ALL SELECT pk + 1 FROM n WHERE pk + 1 < ?1 + ?2) SELECT pk FROM n",
  );
  /** The most rows that one call has changed. */
  let most = 0;
  const counted = <T>(change: () => T): T => {
    const before = ask("total_changes()");
    const result = change();
    most = Math.max(most, ask("total_changes()") - before);
    return result;
  };
  const each = (changes: (files: readonly FilePk[]) => Partial<IndexChanges>) => {
    most = 0;
    for (let n = 0; n < WRITES; n += 1) {
      const files = handles.all(n * FILES_A_WRITE + 1, FILES_A_WRITE).map(({ pk }) => pk);
      const given = { names: [], texts: [], gone: [], ...changes(files) };
      counted(() => index.write({ id: batch, previous: batch }, given));
    }
  };
  const mergeAll = () => {
    most = 0;
    let steps = 0;
    while (counted(() => index.merge())) steps += 1;
    return steps;
  };

  each((files) => ({ texts: files.map((file) => ({ file, slices: [words(file)] })) }));
  expect(segments()).toBe(WRITES);
  expect(most).toBeLessThan(ROWS_A_WRITE);
  expect(mergeAll()).toBeGreaterThan(5);
  expect(most).toBeLessThan(ROWS_A_STEP);
  expect(segments()).toBeLessThan(8);
  const whole = bytes();
  each((files) => ({ gone: files }));
  expect(most).toBeLessThan(ROWS_A_WRITE);
  mergeAll();
  expect(most).toBeLessThan(ROWS_A_STEP);
  expect(bytes()).toBeLessThan(whole / 10);
});
