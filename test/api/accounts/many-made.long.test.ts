import { Database } from "bun:sqlite";
import { expect, test } from "bun:test";
import { join } from "node:path";
import { KEYS } from "../../../src/domain/limits.ts";
import { startWithAda } from "../../support/server/accounts.ts";
import { LoopWait } from "../../support/meters/loop-wait.ts";

/** In milliseconds. The client is in the same process, and others use the machine: what is wrong takes hundreds. */
const LONGEST_WAIT = 50;

/** Copies a key until there are as many as there may be, each made by the first, or each by the one before. */
function makeMany(dataDir: string, firstId: string, shape: "fan" | "chain"): void {
  using sql = new Database(join(dataDir, "coffer.db"));
  sql.run("PRAGMA busy_timeout = 10000");
  sql.transaction(() => {
    for (let [n, maker] = [1, firstId]; n < KEYS.account; n += 1) {
      const id = Bun.randomUUIDv7();
      sql.run(
        `INSERT INTO api_key (id, hash, prefix, name, scope, user, created_at, made_by)
         SELECT ?, hex(randomblob(32)), prefix, name, scope, user, created_at, ? FROM api_key WHERE id = ?`,
        [id, maker, firstId],
      );
      if (shape === "chain") maker = id;
    }
  })();
}

test.each(["fan", "chain"] as const)(
  "as many keys as there may be, made in a %s, make nobody wait: listed, and revoked with the first",
  async (shape) => {
    await using coffer = await startWithAda();
    const { apiKeys } = coffer.appliance.services;
    const { secret: own } = await apiKeys.createFor("ada", "", "read-write");
    const client = coffer.client(own);
    const wait = new LoopWait();
    let [listing, revoking] = [Number.POSITIVE_INFINITY, Number.POSITIVE_INFINITY];
    for (let n = 0; n < 5 && Math.max(listing, revoking) > LONGEST_WAIT; n += 1) {
      const first = await client.makeKey();
      makeMany(coffer.dataDir, first.id, shape);
      const list = async () => expect(await client.get<object[]>("/v0/keys")).toBeTruthy();
      listing = Math.min(listing, await wait.during(list));
      revoking = Math.min(revoking, await wait.during(() => client.delete(`/v0/keys/${first.id}`)));
      using sql = new Database(join(coffer.dataDir, "coffer.db"));
      expect(sql.query("SELECT count(*) AS left FROM api_key").get()).toEqual({ left: 1 });
    }
    expect(Math.max(listing, revoking)).toBeLessThan(LONGEST_WAIT);
  },
);
