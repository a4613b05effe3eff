import { expect } from "bun:test";
import { SnapshotCache } from "../../../src/db/engine/database.ts";
import { openDatabase } from "../../support/server/open-database.ts";
import { FAST_DIRECTORY } from "../../support/server/temporary-directory.ts";
import { testWith } from "../../support/server/test-with.ts";

const it = testWith(async () => {
  const opened = await openDatabase(FAST_DIRECTORY, "note (name TEXT PRIMARY KEY, x INTEGER NOT NULL)");
  const { database, sql } = opened;
  sql.run("INSERT INTO note VALUES ('a', 1)");
  const cache = new SnapshotCache<string, number | null>(database);
  /** The names that were looked up, as they came. */
  const reads: string[] = [];
  const valueOf = (name: string) =>
    cache.get(name, () => {
      reads.push(name);
      const row = sql.query<{ x: number }, [string]>("SELECT x FROM note WHERE name = ?").get(name);
      return row?.x ?? null;
    });
  return { ...opened, reads, valueOf };
});

it("in a snapshot each key is read once, also one without a value", ({ database, valueOf, reads }) => {
  database.holdSnapshot();
  expect([valueOf("a"), valueOf("b"), valueOf("a"), valueOf("b")]).toEqual([1, null, 1, null]);
  expect(reads).toEqual(["a", "b"]);
});

it("without a snapshot everything is read", ({ valueOf, reads }) => {
  expect([valueOf("a"), valueOf("a")]).toEqual([1, 1]);
  expect(reads).toEqual(["a", "a"]);
});

it("a snapshot of another moment is read anew", ({ database, clock, valueOf, reads }) => {
  database.holdSnapshot();
  valueOf("a");
  clock.advance(1);
  database.holdSnapshot();
  valueOf("a");
  expect(reads).toEqual(["a", "a"]);
});

it("what was written is seen by the next snapshot, and in a write", async ({ database, sql, valueOf }) => {
  database.holdSnapshot();
  expect(valueOf("a")).toBe(1);
  await database.write(() => void sql.run("UPDATE note SET x = 2"));
  expect(valueOf("a")).toBe(2);
  database.holdSnapshot();
  expect(valueOf("a")).toBe(2);
  const seen = await database.write(() => {
    sql.run("UPDATE note SET x = 3");
    return valueOf("a");
  });
  expect(seen).toBe(3);
});
