import { Database } from "bun:sqlite";
import { join } from "node:path";
import type { TestAppliance } from "./appliance.ts";

/**
 * Writes a local account down directly, the first an administrator on the plan `team`; ada's password is "ada's password".
 * To make and to check one of the server's own hashes takes 64 MiB and a tenth of a second each time. How
 * much work a hash is stands in it, and this one is as little as there can be.
 */
export function addAccount({ dataDir, clock }: TestAppliance, username: string): void {
  const cost = { algorithm: "argon2id", memoryCost: 8, timeCost: 1 } as const;
  const hash = Bun.password.hashSync(`${username}'s password`, cost);
  using sql = new Database(join(dataDir, "coffer.db"));
  sql.run("PRAGMA busy_timeout = 10000");
  sql.run(
    `INSERT INTO user (id, username, plan, admin, password_hash, created_at)
     SELECT ?, ?, iif(count(*) = 0, 'team', 'free'), iif(count(*) = 0, 'setup', NULL), ?, ? FROM user`,
    [Bun.randomUUIDv7(), username, hash, clock.now()],
  );
}
