import { tmpdir } from "node:os";
import { join } from "node:path";
import { Database } from "../../../src/db/engine/database.ts";
import { FakeClock } from "./fake-clock.ts";
import { temporaryDirectory } from "./temporary-directory.ts";

/** A new database in a directory of its own, and the path of its file. With `table`, one with these columns is in it. */
export async function openDatabase(parent = tmpdir(), table = "") {
  const place = await temporaryDirectory(parent);
  const path = join(place.path, "coffer.db");
  const clock = new FakeClock();
  const database = Database.open(path, clock);
  if (table !== "") database.sql.run(`CREATE TABLE ${table} STRICT`);
  return {
    database,
    sql: database.sql,
    clock,
    path,
    [Symbol.asyncDispose]: async () => {
      await database.close();
      await place[Symbol.asyncDispose]();
    },
  };
}
