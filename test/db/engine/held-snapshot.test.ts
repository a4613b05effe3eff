import { Database as Sqlite } from "bun:sqlite";
import { expect, test } from "bun:test";
import { join } from "node:path";
import { Database } from "../../../src/db/engine/database.ts";
import { FakeClock } from "../../support/server/fake-clock.ts";
import { FAST_DIRECTORY, temporaryDirectory } from "../../support/server/temporary-directory.ts";

test("requests of one millisecond read the same snapshot, and the next sees what another process wrote", async () => {
  await using place = await temporaryDirectory(FAST_DIRECTORY);
  const path = join(place.path, "coffer.db");
  const clock = new FakeClock();
  const database = Database.open(path, clock);
  database.sql.run("CREATE TABLE note (x INTEGER NOT NULL) STRICT");
  using other = new Sqlite(path);
  const count = () => database.sql.query("SELECT count(*) FROM note").values();
  try {
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
  } finally {
    await database.close();
  }
});
