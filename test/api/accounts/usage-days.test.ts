import { expect } from "bun:test";
import { USAGE_DAYS } from "../../../src/domain/limits.ts";
import type { ServerUsageDayRecord, UsageDayRecord } from "../../../src/http/records/usage-schemas.ts";
import { accountClient, addAccount, startWithAda } from "../../support/server/accounts.ts";
import { changeDatabase, rowsIn } from "../../support/faults/change-database.ts";
import type { Client } from "../../support/server/client.ts";
import { provision } from "../../support/server/scenario.ts";
import { beginSession } from "../../support/server/sign-in.ts";
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

async function serverDaysOf(person: Client): Promise<readonly ServerUsageDayRecord[]> {
  return (await person.get<{ data: ServerUsageDayRecord[] }>("/v0/usage/days")).data;
}

const NONE = { requests: 0, client_errors: 0, server_errors: 0, bytes_received: 0, bytes_sent: 0 };

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
  expect(server).toContainEqual({ by: "user", user_id: expect.any(String), username: "ada", day, ...all });
  const others = { ...NONE, requests: 2, client_errors: 1, bytes_sent: 1000 };
  expect(server).toContainEqual({ by: "anonymous", user_id: null, username: null, day, ...others });
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
