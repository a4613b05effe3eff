import { describe, expect, test } from "bun:test";
import { join } from "node:path";
import { openTables } from "../../../src/db/tables.ts";
import { Database as CofferDatabase } from "../../../src/db/engine/database.ts";
import type { PasswordSender } from "../../../src/domain/accounts/sign-in.ts";
import { KnownClients } from "../../../src/services/accounts/passwords.ts";
import { rowsIn } from "../../support/faults/change-database.ts";
import { addAccount, startWithAda } from "../../support/server/accounts.ts";
import type { TestAppliance } from "../../support/server/appliance.ts";
import { FakeClock } from "../../support/server/fake-clock.ts";
import { signIn } from "../../support/server/sign-in.ts";
import { testWith } from "../../support/server/test-with.ts";
import { temporaryDirectory } from "../../support/server/temporary-directory.ts";

const DAY_MS = 24 * 60 * 60 * 1000;
const HOME = "192.0.2.1";
const STRANGER = "198.51.100.7";

/** Signs somebody in from an address; the status. */
function login(coffer: TestAppliance, address: string, password: string, username = "ada"): Promise<number> {
  const headers = { "x-forwarded-for": address };
  return coffer.client().status("POST", "/auth/login", { body: { username, password }, headers });
}

const it = testWith(() => startWithAda({ "trusted-proxies": "127.0.0.1" }));

/** So many wrong passwords; fifty are as many as one account bears from strangers. */
async function guess(coffer: TestAppliance, count: number): Promise<void> {
  for (let n = 0; n < count; n += 1) expect(await login(coffer, `203.0.113.${n % 5}`, "wrong")).toBe(401);
}

/** The hash of each known client, and when it was used last. */
function rows({ dataDir }: TestAppliance): unknown[][] {
  return rowsIn(dataDir, "SELECT hash, used_at FROM known_client ORDER BY used_at");
}

describe("a client that has signed in", () => {
  it("is not locked out by strangers' guesses after a restart", async (coffer) => {
    expect(await login(coffer, HOME, "ada's password")).toBe(200);
    expect(rows(coffer)).toEqual([[expect.stringMatching(/^[0-9a-f]{64}$/), coffer.clock.now()]]);
    await coffer.restart();
    // What is remembered has no address in the clear.
    expect(JSON.stringify(rowsIn(coffer.dataDir, "SELECT * FROM known_client"))).not.toContain(HOME);
    await guess(coffer, 50);
    expect(await login(coffer, STRANGER, "ada's password")).toBe(429);
    // Names that could be mistaken for what is remembered change nothing.
    for (let n = 0; n < 10; n += 1) await login(coffer, STRANGER, "wrong", `${HOME} ada`);
    expect(await login(coffer, HOME, "ada's password", "ADA")).toBe(200);
    expect(await login(coffer, "192.0.2.2", "ada's password")).toBe(429);
  });

  it("is remembered for that account alone, and not for a wrong password", async (coffer) => {
    addAccount(coffer, "bob");
    expect(await login(coffer, HOME, "bob's password", "bob")).toBe(200);
    expect(await login(coffer, HOME, "wrong")).toBe(401);
    expect(rows(coffer)).toHaveLength(1);
    await guess(coffer, 49);
    expect(await login(coffer, HOME, "ada's password")).toBe(429);
  });

  it("is noted once a day, and forgotten 90 days after its last use", async (coffer) => {
    const begun = coffer.clock.now();
    const usedAt = async () => {
      expect(await login(coffer, HOME, "ada's password")).toBe(200);
      return rows(coffer).map(([, time]) => Number(time) - begun);
    };
    expect(await usedAt()).toEqual([0]);
    coffer.clock.advance(DAY_MS - 1);
    expect(await usedAt()).toEqual([0]);
    coffer.clock.advance(1);
    expect(await usedAt()).toEqual([DAY_MS]);
    coffer.clock.advance(90 * DAY_MS - 1);
    await coffer.appliance.services.sweep.run();
    expect(rows(coffer)).toHaveLength(1);
    coffer.clock.advance(1);
    await coffer.appliance.services.sweep.run();
    expect(rows(coffer)).toEqual([]);
  });

  it("and changed the password is remembered for that over a restart as well", async (coffer) => {
    const ada = await signIn(coffer, "ada");
    const change = (current: string, password: string, address: string) => {
      const headers = { "x-forwarded-for": address };
      return ada.status("POST", "/v0/account/password", { body: { current, password }, headers });
    };
    expect(await change("ada's password", "another password", HOME)).toBe(200);
    await coffer.restart();
    for (let n = 0; n < 10; n += 1) expect(await change("wrong", "whatever it is", STRANGER)).toBe(400);
    expect(await change("another password", "a third password", STRANGER)).toBe(429);
    expect(await change("another password", "a third password", HOME)).toBe(200);
  });
});

function sender(client: string): PasswordSender {
  return { purpose: "sign in", client, account: "ada" };
}

test("of more clients than are remembered the ones unused for longest are forgotten", async () => {
  await using place = await temporaryDirectory();
  const clock = new FakeClock();
  const database = CofferDatabase.open(join(place.path, "coffer.db"), clock);
  await using _ = { [Symbol.asyncDispose]: () => database.close() };
  const parts = { tables: openTables(database), clock, secret: new Uint8Array(32) };
  const known = new KnownClients({ ...parts, most: 3 });
  const use = async (client: string) => {
    clock.advance(DAY_MS);
    await known.remember(sender(client));
  };
  for (const client of ["a", "b", "c", "a", "d"]) await use(client);
  expect(["a", "b", "c", "d"].filter((client) => known.has(sender(client)))).toEqual(["a", "c", "d"]);
  expect(known.has({ ...sender("a"), purpose: "change the password" })).toBe(false);
  expect(known.has({ ...sender("a"), account: "bob" })).toBe(false);
});
