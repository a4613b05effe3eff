import { Database } from "bun:sqlite";
import { join } from "node:path";
import { newApiKey } from "../../../src/domain/accounts/api-key.ts";
import type { Clock } from "../../../src/process/clock.ts";
import { startAppliance, type TestAppliance } from "./appliance.ts";
import type { Client } from "./client.ts";

/**
 * Stores a local account directly; the first is an administrator on the plan `team`. Ada's password is "ada's password".
 * The server's own hashes take 64 MiB and a tenth of a second each. A hash includes its cost; this one has the lowest.
 */
export function addAccount(
  { dataDir, clock }: { readonly dataDir: string; readonly clock: Clock },
  username: string,
): void {
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

/** Stores a key of an account directly. Returns it. */
export function addKey({ dataDir }: { readonly dataDir: string }, username: string): string {
  const { secret, hash, prefix } = newApiKey("cof");
  using sql = new Database(join(dataDir, "coffer.db"));
  sql.run("PRAGMA busy_timeout = 10000");
  sql.run(
    `INSERT INTO api_key (id, hash, prefix, name, scope, user, created_at)
     SELECT ?, ?, ?, '', 'read-write', pk, ? FROM user WHERE username = ?`,
    [Bun.randomUUIDv7(), hash, prefix, Date.now(), username],
  );
  return secret;
}

/** A Coffer with Ada's account alone. */
export async function startWithAda(settings: Record<string, string> = {}): Promise<TestAppliance> {
  const coffer = await startAppliance(settings);
  addAccount(coffer, "ada");
  return coffer;
}

/** A client with a new key of an account. */
export async function accountClient(coffer: TestAppliance, username: string): Promise<Client> {
  const { secret } = await coffer.appliance.services.apiKeys.createFor(username, "", "read-write");
  return coffer.client(secret);
}
