import { Database as Sqlite } from "bun:sqlite";
import { expect, test } from "bun:test";
import { openDatabase } from "../../support/server/open-database.ts";
import { FAST_DIRECTORY } from "../../support/server/temporary-directory.ts";

test("requests of one millisecond read the same snapshot, and the next sees what another process wrote", async () => {
  await using opened = await openDatabase(FAST_DIRECTORY, "note (x INTEGER NOT NULL)");
  const { database, clock } = opened;
  using other = new Sqlite(opened.path);
  const count = () => database.sql.query("SELECT count(*) FROM note").values();
  database.holdSnapshot();
  expect(count()).toEqual([[0]]);
  other.run("INSERT INTO note VALUES (1)");
  database.holdSnapshot();
  expect(count()).toEqual([[0]]);
  // The same turn of the event loop: it may be long.
  clock.advance(1);
  database.holdSnapshot();
  expect(count()).toEqual([[1]]);
  other.run("INSERT INTO note VALUES (2)");
  await new Promise((resolve) => void setImmediate(resolve));
  expect(count()).toEqual([[2]]);
});
