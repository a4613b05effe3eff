import { systemClock } from "./process/clock.ts";
import type { Config } from "./config.ts";
import { findDataDirectory, openDataDirectory } from "./data-directory/data-directory.ts";
import { openToRead } from "./data-directory/read-only-directory.ts";
import { Database } from "./db/engine/database.ts";
import { openTables } from "./db/tables.ts";
import type { AuditFilter } from "./domain/audit/audit-event.ts";
import { Access } from "./services/access.ts";
import { ApiKeys } from "./services/accounts/api-keys.ts";
import { auditPages } from "./services/audit/audit-log.ts";
import { Audit } from "./services/audit/audit.ts";
import { Changes } from "./services/changes/changes.ts";
import { EndedKeys } from "./services/accounts/ended-keys.ts";
import { Passwords } from "./services/accounts/passwords.ts";
import { Users } from "./services/accounts/users.ts";
import { refuseLostDatabase } from "./data-directory/store-identity.ts";

/** How a command opens the data directory: it may have to `make` it, or changes or only reads what is there. */
const OPENING = { make: openDataDirectory, change: findDataDirectory, read: openToRead } as const;

/**
 * Opens the services for a command that runs next to a server: the database only, without the lock. Throws
 * DataDirectoryError, or an error of `Database.open`.
 */
export async function openAccounts({ dataDir, keyPrefix }: Config, use: keyof typeof OPENING) {
  await using opened = new AsyncDisposableStack();
  const directory = await OPENING[use](dataDir, opened);
  await refuseLostDatabase(directory);
  const clock = systemClock;
  const database = opened.adopt(Database.open(directory.database, clock), (db) => db.close());
  const tables = openTables(database);
  const access = new Access({ tables, clock });
  const endedKeys = new EndedKeys({ tables, changes: new Changes({ tables }), clock });
  const audit = new Audit({ tables, clock });
  const owned = opened.move();
  return {
    users: new Users({ tables, access, audit, clock, passwords: new Passwords({}) }),
    apiKeys: new ApiKeys({ tables, access, audit, clock, keyPrefix, endedKeys }),
    /** In pages, newest first. */
    auditEvents: (filter: AuditFilter) => auditPages({ tables }, filter),
    [Symbol.asyncDispose]: () => owned.disposeAsync(),
  };
}
