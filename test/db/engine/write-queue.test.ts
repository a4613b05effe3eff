import { Database as Sqlite } from "bun:sqlite";
import { testWith } from "../../support/server/test-with.ts";
import { expect, jest, spyOn, test } from "bun:test";
import { readFileSync, statSync } from "node:fs";
import { join } from "node:path";
import { DatabaseLog } from "../../../src/db/engine/database-log.ts";
import { DatabaseReserve } from "../../../src/db/engine/database-reserve.ts";
import { Database } from "../../../src/db/engine/database.ts";
import { failureOf, refusalOf } from "../../support/samples/failure.ts";
import { FakeClock } from "../../support/server/fake-clock.ts";
import { openDatabase } from "../../support/server/open-database.ts";
import { temporaryDirectory } from "../../support/server/temporary-directory.ts";

async function open() {
  const opened = await openDatabase(undefined, "note (pk INTEGER PRIMARY KEY, x INTEGER NOT NULL)");
  const insert = opened.sql.prepare<null, [number]>("INSERT INTO note (x) VALUES (?)");
  const other = new Sqlite(opened.path, { readonly: true });
  return {
    ...opened,
    /** A job that writes `x` down. */
    note: (x: number) => () => {
      insert.run(x);
      return x;
    },
    /** What another connection sees: every `x`, in the order written. */
    seen: () =>
      other
        .query<{ x: number }, []>("SELECT x FROM note ORDER BY pk")
        .all()
        .map(({ x }) => x),
    [Symbol.asyncDispose]: async () => {
      other.close();
      await opened[Symbol.asyncDispose]();
    },
  };
}

/** Lets what is scheduled for the end of this turn of the event loop run. */
function turn(): Promise<void> {
  return new Promise((resolve) => void setImmediate(resolve));
}

const WAL_HEADER = 32;
const FRAME_HEADER = 24;

/** How many commits the write-ahead log holds (https://sqlite.org/fileformat2.html#walformat). */
function commitsIn(path: string): number {
  const wal = readFileSync(`${path}-wal`);
  const pageSize = wal.readUInt32BE(8);
  const salt = wal.subarray(16, 24);
  let commits = 0;
  for (let at = WAL_HEADER; at + FRAME_HEADER + pageSize <= wal.length; at += FRAME_HEADER + pageSize) {
    if (!wal.subarray(at + 8, at + 16).equals(salt)) break;
    // A frame that ends a commit holds the size of the database after it.
    if (wal.readUInt32BE(at + 4) > 0) commits += 1;
  }
  return commits;
}

const it = testWith(open);

it("another connection sees a write as soon as its promise resolves, and not before it is handed in", async (opened) => {
  const { database, note, seen } = opened;
  const write = database.write(note(1));
  expect([seen(), await write, seen()]).toEqual([[], 1, [1]]);
});

test.each([
  [1, 1],
  [16, 1],
  [256, 1],
  [257, 2],
  [1000, 4],
])("%i writes of one turn take %i commits and stay in order", async (writes, commits) => {
  await using opened = await open();
  const { database, note, path, seen } = opened;
  const before = commitsIn(path);
  const numbers = Array.from({ length: writes }, (_, n) => n);
  expect(await Promise.all(numbers.map((n) => database.write(note(n))))).toEqual(numbers);
  expect([commitsIn(path) - before, seen()]).toEqual([commits, numbers]);
});

it("jobs that take long do not add up: a batch takes no more once its time is over", async (opened) => {
  const { database, clock, note, path, seen } = opened;
  const before = commitsIn(path);
  const write = (n: number) =>
    database.write(() => {
      clock.advance(5);
      return note(n)();
    });
  expect(await Promise.all([1, 2, 3, 4, 5].map(write))).toEqual([1, 2, 3, 4, 5]);
  expect([commitsIn(path) - before, seen()]).toEqual([3, [1, 2, 3, 4, 5]]);
});

it("a job that is alone in its turn runs without a savepoint, whose list of pages makes large ones slow", async (opened) => {
  const { database, note, seen } = opened;
  const run = spyOn(database.sql, "run");
  await database.write(note(1));
  const undone = database.write(() => {
    note(2)();
    throw new Error("changed my mind");
  });
  expect(await refusalOf(undone)).toBe("changed my mind");
  const statements = run.mock.calls.map(([sql]) => sql);
  expect(statements).toEqual(["BEGIN IMMEDIATE", "COMMIT", "BEGIN IMMEDIATE", "ROLLBACK"]);
  run.mockRestore();
  await Promise.all([database.write(note(3)), database.write(note(4))]);
  expect(seen()).toEqual([1, 3, 4]);
});

it("nobody is told before the commit that holds the last write of the batch", async (opened) => {
  const { database, note, seen } = opened;
  const counts: number[] = [];
  const write = async (n: number) => {
    await database.write(note(n));
    counts.push(seen().length);
  };
  await Promise.all(Array.from({ length: 50 }, (_, n) => write(n)));
  expect(counts).toEqual(Array.from({ length: 50 }, () => 50));
});

it("what can be made again is answered after its commit, without a sync, unless it shares one", async (opened) => {
  const { database, note, seen } = opened;
  using sync = spyOn(DatabaseLog.prototype, "sync");
  await database.write(note(1), undefined, { isDurable: false });
  expect([seen(), sync.mock.calls.length]).toEqual([[1], 0]);
  await Promise.all([
    database.write(note(2), undefined, { isDurable: false }),
    database.write(note(3)),
    database.write(note(4)),
  ]);
  expect([seen(), sync.mock.calls.length]).toEqual([[1, 2, 3, 4], 1]);
});

it("after a slow sync the next commit waits for as many writes as were answered, but not for long", async (opened) => {
  const { database, clock, note, seen } = opened;
  using sync = spyOn(DatabaseLog.prototype, "sync").mockImplementation(async () => clock.advance(40));
  jest.useFakeTimers();
  try {
    await Promise.all([database.write(note(1)), database.write(note(2))]);
    const third = database.write(note(3));
    await turn();
    expect(seen()).toEqual([1, 2]);
    // It waits no longer once there are two again.
    await Promise.all([third, database.write(note(4))]);
    const fifth = database.write(note(5));
    await turn();
    expect(seen()).toEqual([1, 2, 3, 4]);
    jest.advanceTimersByTime(5);
    await fifth;
    expect(sync).toHaveBeenCalledTimes(3);
  } finally {
    jest.useRealTimers();
  }
});

it("a job that throws is undone alone, and only its promise rejects", async ({ database, note, seen }) => {
  const outcomes = await Promise.allSettled([
    database.write(note(1)),
    database.write(() => {
      note(2)();
      note(3)();
      throw new Error("changed my mind");
    }),
    database.write(() => database.sql.run("INSERT INTO note (x) VALUES (NULL)")),
    database.write(note(4)),
  ]);
  expect(outcomes.map(({ status }) => status)).toEqual(["fulfilled", "rejected", "rejected", "fulfilled"]);
  expect(outcomes[1]).toMatchObject({ reason: { message: "changed my mind" } });
  expect(outcomes[2]).toMatchObject({ reason: { code: "SQLITE_CONSTRAINT_NOTNULL" } });
  expect(seen()).toEqual([1, 4]);
});

it("a write handed in from the answer of another is done as well", async ({ database, note, seen }) => {
  await database.write(note(1)).then(() => database.write(note(2)));
  await Promise.all([database.write(note(3)).then(() => database.write(note(5))), database.write(note(4))]);
  expect(seen()).toEqual([1, 2, 3, 4, 5]);
});

it("closing finishes what was handed in", async ({ database, note, seen }) => {
  const numbers = Array.from({ length: 600 }, (_, n) => n);
  const writes = numbers.map((n) => database.write(note(n)));
  await database.close();
  await Promise.all(writes);
  expect(seen()).toEqual(numbers);
});

it("what comes after closing is refused, and harms nobody", async ({ database, note, seen }) => {
  const early = database.write(note(1));
  const closing = database.close();
  for (const step of [early, closing]) {
    expect(await refusalOf(() => database.write(note(2)))).toBe("the database is closed");
    await step;
  }
  expect([await early, seen()]).toEqual([1, [1]]);
});

it("a full disk is told as STORAGE_FULL to whom it hits, and writes go on once there is room", async (opened) => {
  const { database, note, seen } = opened;
  await database.write(note(1));
  const pages = database.sql.query<{ page_count: number }, []>("PRAGMA page_count").get()?.page_count ?? 0;
  database.sql.run(`PRAGMA max_page_count = ${pages}`);
  const large = database.write(() =>
    database.sql.run("CREATE TABLE large AS SELECT zeroblob(100000) AS bytes FROM note"),
  );
  expect(await failureOf(large)).toMatchObject({ code: "STORAGE_FULL" });
  expect(database.sql.inTransaction).toBe(false);
  database.sql.run("PRAGMA max_page_count = 1000000");
  await database.write(note(2));
  expect(seen()).toEqual([1, 2]);
});

test("on a full disk the reserve is given up: what may use it is done, the rest is refused until it is whole", async () => {
  await using place = await temporaryDirectory();
  const file = join(place.path, "reserve");
  const reserve = new DatabaseReserve(file);
  await reserve.restore();
  const path = join(place.path, "coffer.db");
  const failures: unknown[] = [];
  const onFailure = (error: unknown) => void failures.push(error);
  const database = Database.open(path, new FakeClock(), {
    reserve,
    onFailure,
    beforeUpgrade: () => {},
    tracer: null,
  });
  try {
    database.sql.run("CREATE TABLE note (x INTEGER NOT NULL) STRICT");
    const note = (x: number) => () => database.sql.run("INSERT INTO note VALUES (?)", [x]);
    const pages = database.sql.query<{ page_count: number }, []>("PRAGMA page_count").get()?.page_count ?? 0;
    database.sql.run(`PRAGMA max_page_count = ${pages}`);
    const full = { status: "rejected", reason: { code: "STORAGE_FULL" } };
    const outcomes = await Promise.allSettled([
      database.write(note(1)),
      database.write(() => database.sql.run("CREATE TABLE large AS SELECT zeroblob(100000) AS bytes")),
      database.write(note(2), undefined, { room: "reserve" }),
    ]);
    expect(outcomes).toMatchObject([full, full, { status: "fulfilled" }]);
    expect([reserve.isWhole, statSync(file).size]).toEqual([false, 7 * 1024 * 1024]);
    // There is room on this disk, so the next write makes the reserve again.
    await database.write(note(3));
    expect(reserve.isWhole).toBe(true);
    expect(database.sql.query("SELECT x FROM note ORDER BY rowid").values()).toEqual([[2], [3]]);
    expect([failures, database.hasFailed]).toEqual([[], false]);
  } finally {
    await database.close();
  }
});

it("the connection is set up to keep what it answers", async (opened) => {
  const value = (pragma: string) => opened.database.sql.query(`PRAGMA ${pragma}`).values()[0]?.[0];
  // 1 is NORMAL: the queue syncs the log after each commit, SQLite only the header of one that restarts.
  expect([value("journal_mode"), value("synchronous"), value("foreign_keys")]).toEqual(["wal", 1, 1]);
  // 2 is INCREMENTAL: free pages can be released.
  expect([value("wal_autocheckpoint"), value("auto_vacuum")]).toEqual([0, 2]);
  expect(value("busy_timeout")).toBeGreaterThanOrEqual(5000);
});
