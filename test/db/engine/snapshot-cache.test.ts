import { afterEach, beforeEach, expect, test } from "bun:test";
import { join } from "node:path";
import { Database, SnapshotCache } from "../../../src/db/engine/database.ts";
import { FakeClock } from "../../support/server/fake-clock.ts";
import { FAST_DIRECTORY, temporaryDirectory } from "../../support/server/temporary-directory.ts";

let place: Awaited<ReturnType<typeof temporaryDirectory>>;
let clock: FakeClock;
let database: Database;
let cache: SnapshotCache<string, number | null>;
let reads: string[];

beforeEach(async () => {
  place = await temporaryDirectory(FAST_DIRECTORY);
  clock = new FakeClock();
  database = Database.open(join(place.path, "coffer.db"), clock);
  database.sql.run("CREATE TABLE note (name TEXT PRIMARY KEY, x INTEGER NOT NULL) STRICT");
  database.sql.run("INSERT INTO note VALUES ('a', 1)");
  cache = new SnapshotCache(database);
  reads = [];
});

afterEach(async () => {
  await database.close();
  await place[Symbol.asyncDispose]();
});

function valueOf(name: string): number | null {
  return cache.get(name, () => {
    reads.push(name);
    const row = database.sql.query<{ x: number }, [string]>("SELECT x FROM note WHERE name = ?").get(name);
    return row?.x ?? null;
  });
}

function change(x: number): Promise<void> {
  return database.write(() => void database.sql.run("UPDATE note SET x = ?", [x]));
}

test("in a snapshot each key is read once, also one without a value", () => {
  database.holdSnapshot();
  expect([valueOf("a"), valueOf("b"), valueOf("a"), valueOf("b")]).toEqual([1, null, 1, null]);
  expect(reads).toEqual(["a", "b"]);
});

test("without a snapshot everything is read", () => {
  expect([valueOf("a"), valueOf("a")]).toEqual([1, 1]);
  expect(reads).toEqual(["a", "a"]);
});

test("a snapshot of another moment is read anew", () => {
  database.holdSnapshot();
  valueOf("a");
  clock.advance(1);
  database.holdSnapshot();
  valueOf("a");
  expect(reads).toEqual(["a", "a"]);
});

test("what was written is seen by the next snapshot, and in a write", async () => {
  database.holdSnapshot();
  expect(valueOf("a")).toBe(1);
  await change(2);
  expect(valueOf("a")).toBe(2);
  database.holdSnapshot();
  expect(valueOf("a")).toBe(2);
  const seen = await database.write(() => {
    database.sql.run("UPDATE note SET x = 3");
    return valueOf("a");
  });
  expect(seen).toBe(3);
});
