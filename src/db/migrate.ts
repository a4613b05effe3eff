import type { Database } from "bun:sqlite";
import type { Clock } from "../clock.ts";
import type { Migration } from "./migrations.ts";

/**
 * Migrates the schema to the newest version, each step in its own transaction. Safe if another process does the same:
 * the second one finds the work done.
 *
 * @throws Error that says what to do, if the database is newer than this executable or an applied migration differs
 *   from the one in this executable
 */
export function migrate(db: Database, migrations: readonly Migration[], clock: Clock): void {
  db.run(
    `CREATE TABLE IF NOT EXISTS schema_migration (
       version INTEGER PRIMARY KEY, name TEXT NOT NULL, checksum TEXT NOT NULL, applied_at INTEGER NOT NULL
     ) STRICT`,
  );
  refuseForeignSchema(db, migrations);
  for (const migration of migrations) {
    db.transaction(() => apply(db, migration, clock)).immediate();
  }
}

function refuseForeignSchema(db: Database, migrations: readonly Migration[]): void {
  const applied = db
    .query<{ version: number; checksum: string }, []>(
      "SELECT version, checksum FROM schema_migration ORDER BY version",
    )
    .all();
  for (const { version, checksum } of applied) {
    const known = migrations.find((migration) => migration.version === version);
    if (known === undefined) {
      throw new Error(
        `The database has schema version ${version}, but this executable knows only versions up to ` +
          `${migrations.length}. It was written by a newer Coffer: start that one, or restore a backup made before ` +
          "the update.",
      );
    }
    if (checksumOf(known) !== checksum) {
      throw new Error(
        `Schema version ${version} of the database differs from the one in this executable. ` +
          "Start the executable that wrote this database.",
      );
    }
  }
}

function apply(db: Database, migration: Migration, clock: Clock): void {
  const done = db.query("SELECT 1 FROM schema_migration WHERE version = ?").get(migration.version);
  if (done !== null) return;
  db.run(migration.sql);
  db.query("INSERT INTO schema_migration (version, name, checksum, applied_at) VALUES (?, ?, ?, ?)").run(
    migration.version,
    migration.name,
    checksumOf(migration),
    clock.now(),
  );
}

function checksumOf(migration: Migration): string {
  return Bun.SHA256.hash(migration.sql, "hex");
}
