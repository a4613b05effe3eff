import { dirname } from "node:path";
import { expect } from "bun:test";
import { VersionCache } from "../../../src/db/engine/version-cache.ts";
import { changeDatabase } from "../../support/faults/change-database.ts";
import { openDatabase } from "../../support/server/open-database.ts";
import { FAST_DIRECTORY } from "../../support/server/temporary-directory.ts";
import { testWith } from "../../support/server/test-with.ts";

/** How long a value holds by itself, in milliseconds. */
const LASTS = 1000;

const it = testWith(async () => {
  const opened = await openDatabase(FAST_DIRECTORY, "note (name TEXT PRIMARY KEY, x INTEGER NOT NULL)");
  const { database, sql, clock } = opened;
  await database.write(() => void sql.run("INSERT INTO note VALUES ('a', 1), ('b', 1), ('c', 1)"));
  const cache = new VersionCache<string, number>(database);
  /** The names that were looked up, as they came. */
  const reads: string[] = [];
  const valueOf = (name: string) =>
    cache.get(name, clock.now(), () => {
      reads.push(name);
      const row = sql.query<{ x: number }, [string]>("SELECT x FROM note WHERE name = ?").get(name);
      return row && { value: row.x, until: clock.now() + LASTS, weight: 900 };
    });
  /** The value of `a` in the snapshot of another millisecond. */
  const later = (ms = 1) => {
    clock.advance(ms);
    database.holdSnapshot();
    return valueOf("a");
  };
  return { ...opened, reads, valueOf, later };
});

it("a value is read once while nothing is written; what is not there each time", ({
  valueOf,
  later,
  reads,
}) => {
  expect([later(), valueOf("none"), valueOf("a"), valueOf("none")]).toEqual([1, null, 1, null]);
  expect(later()).toBe(1);
  expect(reads).toEqual(["a", "none", "none"]);
});

it("without a snapshot everything is read", ({ valueOf, reads }) => {
  expect([valueOf("a"), valueOf("a")]).toEqual([1, 1]);
  expect(reads).toEqual(["a", "a"]);
});

it("what was written is seen by the next snapshot, and in a write", async ({ database, sql, ...its }) => {
  const { valueOf, later } = its;
  expect(later()).toBe(1);
  await database.write(() => void sql.run("UPDATE note SET x = 2"));
  expect([valueOf("a"), later()]).toEqual([2, 2]);
  const seen = await database.write(() => {
    sql.run("UPDATE note SET x = 3");
    return valueOf("a");
  });
  expect([seen, later()]).toEqual([3, 3]);
});

it("what another process writes is seen by the next snapshot", ({ path, valueOf, later, reads }) => {
  expect(later()).toBe(1);
  changeDatabase(dirname(path), "UPDATE note SET x = 2");
  expect(valueOf("a")).toBe(1);
  expect([later(), later()]).toEqual([2, 2]);
  expect(reads).toEqual(["a", "a"]);
});

it("a value whose time is over is read anew, and one from the time that is to come", ({ later, reads }) => {
  later();
  later(LASTS - 1);
  expect(reads).toEqual(["a"]);
  later();
  expect(reads).toEqual(["a", "a"]);
  later(-1);
  expect(reads).toEqual(["a", "a", "a"]);
});

it("too many values are not kept", ({ database, valueOf, reads }) => {
  database.holdSnapshot();
  for (const name of ["a", "b", "a", "c"]) valueOf(name);
  expect(reads).toEqual(["a", "b", "c"]);
  // With the third those before it were forgotten.
  for (const name of ["c", "a", "c"]) valueOf(name);
  expect(reads.slice(3)).toEqual(["a"]);
});
