import { expect, test } from "bun:test";
import { Database as Sqlite } from "bun:sqlite";
import { readFileSync, statSync } from "node:fs";
import { join } from "node:path";
import { Database } from "../../../src/db/engine/database.ts";
import { FakeClock } from "../../support/server/fake-clock.ts";
import { eventually } from "../../support/server/scenario.ts";
import { temporaryDirectory } from "../../support/server/temporary-directory.ts";

const MIB = 1024 * 1024;

interface Opened extends AsyncDisposable {
  readonly database: Database;
  readonly path: string;
  /** Writes so many rows of so many bytes in one transaction. */
  readonly fill: (rows: number, bytes: number) => Promise<void>;
}

async function open(): Promise<Opened> {
  const place = await temporaryDirectory();
  const path = join(place.path, "coffer.db");
  const database = Database.open(path, new FakeClock());
  database.sql.run("CREATE TABLE note (pk INTEGER PRIMARY KEY, x BLOB NOT NULL) STRICT");
  const insert = database.sql.prepare<null, [number]>("INSERT INTO note (x) VALUES (randomblob(?))");
  return {
    database,
    path,
    fill: (rows, bytes) =>
      database.write(() => {
        for (let n = 0; n < rows; n += 1) insert.run(bytes);
      }),
    [Symbol.asyncDispose]: async () => {
      await database.close();
      await place[Symbol.asyncDispose]();
    },
  };
}

/** What changes in the log when it restarts (https://sqlite.org/fileformat2.html#walformat). */
function saltOf(path: string): string {
  return readFileSync(`${path}-wal`).subarray(16, 24).toString("hex");
}

test("what was written gets from the log into the database, and the log restarts", async () => {
  await using opened = await open();
  const { path, fill } = opened;
  await fill(1, 10);
  const salt = saltOf(path);
  await fill(5000, 400);
  await eventually(() => statSync(path).size > 2 * MIB);
  await eventually(async () => {
    await fill(5000, 10);
    return saltOf(path) !== salt;
  });
});

test("under steady writes the log stays short", async () => {
  await using opened = await open();
  const { path, fill } = opened;
  const writer = async () => {
    for (let n = 0; n < 20; n += 1) await fill(1000, 4000);
  };
  // While a checkpoint runs, one of them always has a commit to add.
  await Promise.all([writer(), writer(), writer()]);
  expect(statSync(path).size).toBeGreaterThan(100 * MIB);
  expect(statSync(`${path}-wal`).size).toBeLessThan(100 * MIB);
});

test("closing leaves everything in the database and no log", async () => {
  await using place = await temporaryDirectory();
  const path = join(place.path, "coffer.db");
  const database = Database.open(path, new FakeClock());
  database.sql.run("CREATE TABLE note (x INTEGER) STRICT");
  await database.write(() => {
    for (let n = 0; n < 5000; n += 1) database.sql.run("INSERT INTO note VALUES (1)");
  });
  await database.close();
  expect(statSync(`${path}-wal`, { throwIfNoEntry: false })).toBe(undefined);
  using sql = new Sqlite(path, { readonly: true });
  expect(sql.query("SELECT count(*) AS n FROM note").get()).toEqual({ n: 5000 });
});
