import { systemClock } from "./clock.ts";
import type { Config } from "./config.ts";
import { findDataDirectory, openDataDirectory } from "./data-directory.ts";
import { Database } from "./db/database.ts";
import { openTables } from "./db/tables.ts";
import { Access } from "./services/access.ts";
import { ApiKeys } from "./services/api-keys.ts";
import { Passwords } from "./services/accounts/passwords.ts";
import { Users } from "./services/accounts/users.ts";
import { refuseLostDatabase } from "./store-identity.ts";

/** The services for commands that run next to a server: the database only, without the lock. */
export interface Accounts extends AsyncDisposable {
  readonly users: Users;
  readonly apiKeys: ApiKeys;
}

/**
 * Opens the database for a command. Throws DataDirectoryError, or an error of `Database.open`.
 *
 * @param absent whether to create a data directory that does not exist
 */
export async function openAccounts(
  { dataDir, keyPrefix }: Config,
  absent: "make" | "refuse",
): Promise<Accounts> {
  const directory = absent === "make" ? openDataDirectory(dataDir) : findDataDirectory(dataDir);
  await refuseLostDatabase(directory);
  const clock = systemClock;
  const database = Database.open(directory.database, clock);
  const tables = openTables(database);
  const access = new Access({ tables, clock });
  return {
    users: new Users({ tables, access, clock, passwords: new Passwords({}) }),
    apiKeys: new ApiKeys({ tables, access, clock, keyPrefix }),
    [Symbol.asyncDispose]: () => database.close(),
  };
}
