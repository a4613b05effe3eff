import { expect } from "bun:test";
import { USAGE_DAYS } from "../../../src/domain/limits.ts";
import type { ServerUsageDayRecord, UsageDayRecord } from "../../../src/http/records/usage-schemas.ts";
import { accountClient, addAccount, startWithAda } from "../../support/server/accounts.ts";
import { changeDatabase, rowsIn } from "../../support/faults/change-database.ts";
import type { Client } from "../../support/server/client.ts";
import { provision } from "../../support/server/scenario.ts";
import { beginSession } from "../../support/server/sign-in.ts";
import { wrongQueries } from "../../support/server/steps.ts";
import { testWith } from "../../support/server/test-with.ts";

const DAY_MS = 24 * 60 * 60 * 1000;

/** Ada, who administers the server, in a browser, and a key of an agent of hers. */
const it = testWith(async () => {
  const coffer = await startWithAda();
  const ada = beginSession(coffer, "ada").browser;
  const { key, id: keyId } = await ada.json<{ key: string; id: string }>(201, "POST", "/v0/keys", {
    body: { name: "agent" },
  });
  return {
    coffer,
    ada,
    keyId,
    agent: coffer.client(key),
    [Symbol.asyncDispose]: () => coffer[Symbol.asyncDispose](),
  };
});

async function daysOf(person: Client, query = ""): Promise<readonly UsageDayRecord[]> {
  return (await person.get<{ data: UsageDayRecord[] }>(`/v0/account/usage/days${query}`)).data;
}

async function serverDaysOf(person: Client, query = ""): Promise<readonly ServerUsageDayRecord[]> {
  return (await person.get<{ data: ServerUsageDayRecord[] }>(`/v0/usage/days${query}`)).data;
}

const BY_KEY = "?by=key";
const BY_USER = "?by=user";

const NONE = { requests: 0, client_errors: 0, server_errors: 0, bytes_received: 0, bytes_sent: 0 };
const NO_KEY = { key_id: null, key_name: null };
const NO_USER = { user_id: null, username: null };

it("each key has what it did, those signed in theirs, and whoever has a link the bytes", async (opened) => {
  const { coffer, ada, agent, keyId } = opened;
  const { id: drive } = await agent.makeDrive("Notes");
  const file = await agent.store(drive, "f", new Uint8Array(1000));
  await agent.send("GET", `/v0/files/${file}/download`);
  await agent.send("GET", "/v0/files/none");
  await agent.send("GET", `/v0/files/${file}/download`, { headers: { range: "bytes=0-9" } });
  const { token } = await ada.post<{ token: string }>(`/v0/files/${file}/presigned-url`, {}, 200);
  await coffer.client().send("GET", `/v0/presigned/${token}`);
  await coffer.client().send("GET", "/v0/drives");
  const day = "2030-01-01";
  const ofKey = { requests: 5, client_errors: 1, server_errors: 0, bytes_received: 1000, bytes_sent: 1010 };
  // The key and the link. That a question is answered is known with the next.
  const ofSession = { ...NONE, requests: 2 };
  const days = await daysOf(ada);
  expect(days).toHaveLength(3);
  expect(days).toContainEqual({ by: "key", key_id: keyId, key_name: "agent", day, ...ofKey });
  expect(days).toContainEqual({ by: "session", key_id: null, key_name: null, day, ...ofSession });
  expect(days).toContainEqual({ by: "link", key_id: null, key_name: null, day, ...NONE, bytes_sent: 1000 });
  const server = await serverDaysOf(ada);
  const all = { ...ofKey, requests: 5 + 3 };
  expect(server).toHaveLength(2);
  expect(server).toContainEqual({
    by: "user",
    user_id: expect.any(String),
    username: "ada",
    ...NO_KEY,
    day,
    ...all,
  });
  const others = { ...NONE, requests: 2, client_errors: 1, bytes_sent: 1000 };
  expect(server).toContainEqual({ by: "anonymous", ...NO_USER, ...NO_KEY, day, ...others });
});

it("what is done after midnight in UTC is of the next day, and what was not written of the day before", async (opened) => {
  const { coffer, ada, agent } = opened;
  coffer.clock.advance(DAY_MS - 1);
  await agent.send("GET", "/v0/drives");
  coffer.clock.advance(1);
  await agent.send("GET", "/v0/drives");
  await agent.send("GET", "/v0/drives");
  const ofAgent = (await daysOf(ada)).filter(({ by }) => by === "key");
  expect(ofAgent.map(({ day, requests }) => [day, requests])).toEqual([
    ["2030-01-01", 1],
    ["2030-01-02", 2],
  ]);
  expect((await daysOf(ada, "?days=1")).every(({ day }) => day === "2030-01-02")).toBe(true);
});

it("on one day so many keys have rows of their own, and all others one together", async ({
  coffer,
  ada,
  agent,
}) => {
  await agent.send("GET", "/v0/drives");
  await daysOf(ada);
  for (let n = 0; n < USAGE_DAYS.rows + 5; n += 1) {
    const client = await accountClient(coffer, "ada");
    await client.send("GET", "/v0/drives");
  }
  await agent.send("GET", "/v0/drives");
  const days = await daysOf(ada);
  // The agent has its row, and so have those signed in.
  expect(days).toHaveLength(USAGE_DAYS.rows + 1);
  expect(days.find(({ by }) => by === "other")?.requests).toBe(7);
  expect(days.find(({ key_name }) => key_name === "agent")?.requests).toBe(2);
});

it("a key that is gone keeps its row, without a name; what was let in sees none", async ({
  ada,
  agent,
  keyId,
}) => {
  await agent.send("GET", "/v0/drives");
  await ada.delete(`/v0/keys/${keyId}`);
  expect(await daysOf(ada)).toContainEqual(
    expect.objectContaining({ key_id: keyId, key_name: null, requests: 1 }),
  );
});

it("it is kept over a stop, and however often it cannot be written; after a time it goes", async (opened) => {
  const { coffer, agent } = opened;
  await agent.send("GET", "/v0/drives");
  await coffer.restart();
  const again = beginSession(coffer, "ada").browser;
  const counted = async () => (await daysOf(again)).find(({ by }) => by === "key")?.requests;
  expect(await counted()).toBe(1);
  changeDatabase(
    coffer.dataDir,
    "CREATE TRIGGER sabotage BEFORE INSERT ON server_usage_day BEGIN SELECT RAISE(ABORT, 'sabotaged'); END",
  );
  const { usage } = coffer.appliance.services;
  const fail = () => usage.flush().catch((error: unknown) => String(error));
  const { secret } = await coffer.appliance.services.apiKeys.createFor("ada", "other", "read-only");
  for (let n = 0; n < 3; n += 1) {
    await coffer.client(secret).send("GET", "/v0/drives");
    expect(await fail()).toContain("sabotaged");
  }
  changeDatabase(coffer.dataDir, "DROP TRIGGER sabotage");
  expect((await daysOf(again)).find(({ key_name }) => key_name === "other")?.requests).toBe(3);
  const rows = () =>
    rowsIn(
      coffer.dataDir,
      "SELECT (SELECT count(*) FROM account_usage_day), (SELECT count(*) FROM server_usage_day)",
    ).flat();
  coffer.clock.advance((USAGE_DAYS.kept - 1) * DAY_MS);
  await coffer.appliance.services.sweep.run();
  expect(rows()).toEqual([3, 1]);
  coffer.clock.advance(DAY_MS);
  await coffer.appliance.services.sweep.run();
  expect(rows()).toEqual([0, 0]);
});

it("what a deleted user did is gone, and no later count brings it back", async ({ coffer, ada }) => {
  addAccount(coffer, "bob");
  const bob = beginSession(coffer, "bob").browser;
  const { data } = await bob.get<{ data: { id: string } }>("/v0/account");
  await daysOf(bob);
  await ada.json(200, "DELETE", `/v0/users/${data.id}`, { body: { drives: "delete" } });
  await coffer.appliance.services.usage.flush();
  expect(
    rowsIn(
      coffer.dataDir,
      "SELECT u.username FROM account_usage_day x JOIN user u ON u.pk = x.user GROUP BY 1",
    ).flat(),
  ).toEqual(["ada"]);
  const server = await serverDaysOf(ada);
  expect(server.find(({ by, username }) => by === "user" && username !== "ada")).toMatchObject({
    requests: 2,
  });
});

it("keys of unclaimed drives are one row of the server's", async ({ coffer, ada }) => {
  for (let n = 0; n < 2; n += 1) {
    const { client, id } = await provision(coffer);
    await client.put(id, "f", "x");
  }
  expect(await serverDaysOf(ada)).toContainEqual(
    expect.objectContaining({ by: "unclaimed", requests: 2, bytes_received: 2 }),
  );
});

/** What all entries come to together. */
function sumOf(days: readonly ServerUsageDayRecord[]) {
  const counts = ["requests", "client_errors", "server_errors", "bytes_received", "bytes_sent"] as const;
  return counts.map((count) => [count, days.reduce((sum, day) => sum + day[count], 0)]);
}

it("by key the server says what the keys of all users did, and those who have none", async (opened) => {
  const { coffer, ada, agent, keyId } = opened;
  addAccount(coffer, "bob");
  const bob = await accountClient(coffer, "bob");
  const { id: drive } = await agent.makeDrive("Notes");
  const file = await agent.store(drive, "f", "hello");
  await bob.send("GET", "/v0/files/none");
  const { token } = await ada.post<{ token: string }>(`/v0/files/${file}/presigned-url`, {}, 200);
  await coffer.client().send("GET", `/v0/presigned/${token}`);
  const unclaimed = await provision(coffer);
  await unclaimed.client.put(unclaimed.id, "f", "xy");
  const day = "2030-01-01";
  const byKey = await serverDaysOf(ada, BY_KEY);
  const ofAda = {
    by: "key",
    key_id: keyId,
    key_name: "agent",
    user_id: expect.any(String),
    username: "ada",
  } as const;
  expect(byKey).toContainEqual({ ...ofAda, day, ...NONE, requests: 2, bytes_received: 5 });
  expect(byKey).toContainEqual(
    expect.objectContaining({ by: "key", username: "bob", requests: 1, client_errors: 1 }),
  );
  const others = (by: "session" | "unclaimed" | "anonymous") => ({ by, ...NO_USER, ...NO_KEY, day, ...NONE });
  // The bytes that who had the link got are of no key, and not told twice.
  expect(byKey).toContainEqual({ ...others("session"), requests: 2 });
  expect(byKey).toContainEqual({ ...others("unclaimed"), requests: 1, bytes_received: 2 });
  expect(byKey).toContainEqual({ ...others("anonymous"), requests: 2, bytes_sent: 5 });
  expect(byKey).toHaveLength(5);
  expect(JSON.stringify(byKey)).not.toContain("cfr_");
  await ada.delete(`/v0/keys/${keyId}`);
  expect(await serverDaysOf(ada, BY_KEY)).toContainEqual(
    expect.objectContaining({ key_id: keyId, key_name: null, username: "ada", requests: 2 }),
  );
});

it("by key the server names those that did most of anything, and what all did adds up to the same", async (opened) => {
  const { coffer, ada } = opened;
  addAccount(coffer, "bob");
  // More rows than one statement reads, of more keys than are named.
  changeDatabase(
    coffer.dataDir,
    `WITH RECURSIVE n (n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM n WHERE n < 250)
     INSERT INTO account_usage_day (user, day, who, requests, client_errors, server_errors, received, sent)
     SELECT (SELECT pk FROM user WHERE username = 'bob'), strftime('%s', '2029-12-31') * 1000,
            format('00000000-0000-7000-8000-%012d', n), 10, 0, 0, 0, iif(n = 222, 7000, 0) FROM n;
     UPDATE account_usage_day SET requests = 11 WHERE who LIKE '%0249';
     INSERT INTO account_usage_day (user, day, who, requests, client_errors, server_errors, received, sent)
     SELECT user, day, 'other', 3, 0, 0, 0, 0 FROM account_usage_day WHERE who LIKE '%0001';
     INSERT INTO server_usage_day (day, who, requests, client_errors, server_errors, received, sent)
     SELECT day, 'other', 2504, 0, 0, 0, 7000 FROM account_usage_day WHERE who LIKE '%0001';`,
  );
  const days = await serverDaysOf(ada, "?by=key&days=2");
  const past = days.filter(({ day }) => day === "2029-12-31");
  const named = past.filter(({ by }) => by === "key");
  expect(named).toHaveLength(USAGE_DAYS.most + 1);
  expect(named[0]).toMatchObject({ key_id: "00000000-0000-7000-8000-000000000249", requests: 11 });
  expect(named.find(({ bytes_sent }) => bytes_sent > 0)).toMatchObject({ bytes_sent: 7000, username: "bob" });
  expect(past.filter(({ by }) => by !== "key")).toEqual([
    { by: "other", ...NO_USER, ...NO_KEY, day: "2029-12-31", ...NONE, requests: 2504 - 11 - 5 * 10 },
  ]);
  expect(sumOf(past)).toEqual(
    sumOf((await serverDaysOf(ada, `${BY_USER}&days=2`)).filter(({ day }) => day === "2029-12-31")),
  );
  expect((await serverDaysOf(ada, "?by=key&days=1")).every(({ day }) => day === "2030-01-01")).toBe(true);
});

it("what a deleted user did is also among what no key is named for", async ({ coffer, ada }) => {
  addAccount(coffer, "bob");
  const bob = await accountClient(coffer, "bob");
  const { data } = await bob.get<{ data: { id: string } }>("/v0/account");
  await ada.json(200, "DELETE", `/v0/users/${data.id}`, { body: { drives: "delete" } });
  const days = await serverDaysOf(ada, BY_KEY);
  expect(days).toContainEqual(expect.objectContaining({ by: "other", requests: 1 }));
  expect(days.filter(({ by }) => by === "key")).toEqual([]);
});

it("a query that is wrong is refused, whatever it holds", async ({ ada }) => {
  for (const [query, field] of wrongQueries({
    by: ["drive", "", "KEY", "key' --"],
    days: ["0", "91", "x"],
  })) {
    const refused = await ada.json<object>(400, "GET", `/v0/usage/days?${query}`);
    expect(refused).toMatchObject({ error: { code: "VALIDATION_ERROR", field } });
  }
});
