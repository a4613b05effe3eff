import { systemClock } from "./clock.ts";
import type { Config } from "./config.ts";
import { openDataDirectory } from "./data-directory.ts";
import { Database } from "./db/database.ts";
import { openTables } from "./db/tables.ts";
import { Access } from "./services/access.ts";
import { ApiKeys } from "./services/api-keys.ts";
import { Passwords } from "./services/passwords.ts";
import { Users } from "./services/users.ts";

/** The part of the appliance that commands use beside a running server: the database alone, without the lock. */
export interface Accounts extends AsyncDisposable {
  readonly users: Users;
  readonly apiKeys: ApiKeys;
}

/** Opens the database for a command. Throws DataDirectoryError, or what `Database.open` throws. */
export function openAccounts({ dataDir, keyPrefix }: Config): Accounts {
  const directory = openDataDirectory(dataDir);
  const clock = systemClock;
  const database = Database.open(directory.database, clock);
  const tables = openTables(database);
  const access = new Access(tables, clock);
  return {
    users: new Users({ tables, clock, passwords: new Passwords() }),
    apiKeys: new ApiKeys({ tables, access, clock, keyPrefix }),
    [Symbol.asyncDispose]: () => database.close(),
  };
}
