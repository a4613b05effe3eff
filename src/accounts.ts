import { systemClock } from "./process/clock.ts";
import type { Config } from "./config.ts";
import { findDataDirectory, openDataDirectory } from "./data-directory/data-directory.ts";
import { openToRead, type ReadableDirectory } from "./data-directory/read-only-directory.ts";
import { Database } from "./db/engine/database.ts";
import { openTables } from "./db/tables.ts";
import { Access } from "./services/access.ts";
import { ApiKeys } from "./services/accounts/api-keys.ts";
import { Changes } from "./services/changes/changes.ts";
import { EndedKeys } from "./services/accounts/ended-keys.ts";
import { Passwords } from "./services/accounts/passwords.ts";
import { Users } from "./services/accounts/users.ts";
import { refuseLostDatabase } from "./data-directory/store-identity.ts";

/** The services for commands that run next to a server: the database only, without the lock. */
export interface Accounts extends AsyncDisposable {
  readonly users: Users;
  readonly apiKeys: ApiKeys;
}

/** What a command does: it may have to `make` the data directory, or it changes or only reads what is there. */
type Use = "make" | "change" | "read";

/** Opens the database for a command. Throws DataDirectoryError, or an error of `Database.open`. */
export async function openAccounts({ dataDir, keyPrefix }: Config, use: Use): Promise<Accounts> {
  await using opened = new AsyncDisposableStack();
  const { directory } = opened.use(await opening(dataDir, use));
  await refuseLostDatabase(directory);
  const clock = systemClock;
  const database = opened.adopt(Database.open(directory.database, clock), (db) => db.close());
  const tables = openTables(database);
  const access = new Access({ tables, clock });
  const endedKeys = new EndedKeys({ tables, changes: new Changes({ tables }), clock });
  const owned = opened.move();
  return {
    users: new Users({ tables, access, clock, passwords: new Passwords({}) }),
    apiKeys: new ApiKeys({ tables, access, clock, keyPrefix, endedKeys }),
    [Symbol.asyncDispose]: () => owned.disposeAsync(),
  };
}

async function opening(dataDir: string, use: Use): Promise<ReadableDirectory> {
  if (use === "read") return openToRead(dataDir);
  const directory = use === "make" ? openDataDirectory(dataDir) : findDataDirectory(dataDir);
  return { directory, [Symbol.asyncDispose]: () => Promise.resolve() };
}
