import { describe, expect, test } from "bun:test";
import { dataOf, expectRefused, tally } from "../../support/server/answers.ts";
import type { TestAppliance } from "../../support/server/appliance.ts";
import type { Answer, Client } from "../../support/server/client.ts";
import { expectJson, openStage, provision } from "../../support/server/scenario.ts";
import type { Code } from "../../support/server/steps.ts";
import { signIn } from "../../support/server/sign-in.ts";
import { testWith } from "../../support/server/test-with.ts";
import { startWorld } from "../../support/server/world.ts";

const DAY_MS = 24 * 60 * 60 * 1000;
const CLAIM = "/v0/drives/claim";

const it = testWith(startWorld);
const stage = openStage();

// Claims, deletions, expiry and quota at once, in any order, are in races/drives.test.ts.

function claim(client: Client, token: string, headers: Record<string, string> = {}): Promise<Answer> {
  return client.send("POST", CLAIM, { body: { token }, headers });
}

/** Where a claim can be looked at. */
const at = (token: string) => `${CLAIM}/${encodeURIComponent(token)}`;

/** Whoever claims a drive by this token, or looks at it, must be refused so. */
async function expectNone(coffer: TestAppliance, by: Client, token: string, code: Code): Promise<void> {
  expectRefused(await claim(by, token), code);
  expectRefused(await coffer.client().send("GET", at(token)), code);
}

describe("claiming a drive", () => {
  it("with an account key makes it the account's for good, with a slug of its own", async (coffer) => {
    const { ada } = coffer.clients;
    const { id, client: agent, claimToken } = await provision(coffer, "Research Notes");
    await agent.put(id, "a.txt", "hello");
    coffer.clock.advance(1000);
    const answer = await claim(ada, claimToken);
    const { data: account } = await ada.get<{ data: { id: string } }>("/v0/account");
    expect(dataOf(answer)).toMatchObject({
      id,
      user_id: account.id,
      name: "Research Notes",
      slug: "ada/research-notes",
      file_count: 1,
      total_size: 5,
      expires_at: null,
      updated_at: coffer.clock.iso(),
    });
    expect(await ada.get("/v0/drives?slug=ada/research-notes")).toMatchObject({ data: [{ id }] });
    const second = await provision(coffer, "Research Notes");
    expectJson((await claim(ada, second.claimToken)).text, { data: { slug: "ada/research-notes-2" } });
    // The agent goes on as before, under the owner's plan.
    expect(await agent.get("/v0/drives")).toMatchObject({ data: [{ id, slug: "ada/research-notes" }] });
    await agent.put(id, "b.txt", "more");
    coffer.clock.advance(31 * DAY_MS);
    await coffer.appliance.services.sweep.run();
    await agent.get(`/v0/drives/${id}`);
  });

  test("is for accounts alone, by keys that write, or a session from our own origin", async () => {
    const { coffer, world } = stage;
    const { client, claimToken: token } = await provision(coffer);
    const { clients } = world;
    for (const each of [client, clients.agent, clients.adaDrive, clients.adaReader])
      expectRefused(await claim(each, token), "FORBIDDEN");
    for (const each of [clients.nobody, clients.liar])
      expectRefused(await claim(each, token), "UNAUTHORIZED");
    const bob = await signIn(coffer, "bob");
    expectRefused(await claim(bob, token, { origin: "https://evil.example" }), "FORBIDDEN");
    expect((await claim(bob, token)).status).toBe(200);
  });

  test("takes a token, and one that never was is unknown", async () => {
    const { ada } = stage.world.clients;
    for (const body of [{}, { token: 1 }, { token: null }, [], "x"])
      expectRefused(await ada.send("POST", CLAIM, { body }), "VALIDATION_ERROR");
    const { claimToken: token, key } = await provision(stage.coffer);
    expectRefused(await claim(ada, ""), "NOT_FOUND");
    const wrong = ["clm_", "%00", `clm_${"0".repeat(48)}`, "' OR 1=1 --", "x".repeat(10_000)];
    const alike = [token.slice(0, -1), `${token}0`, token.toUpperCase(), Bun.SHA256.hash(token, "hex")];
    for (const other of [...wrong, ...alike, key]) await expectNone(stage.coffer, ada, other, "NOT_FOUND");
  });

  it("a used token stays used, for the winner as well; that of a deleted drive is unknown", async (coffer) => {
    const { ada, bob } = coffer.clients;
    const [used, one, two] = [await provision(coffer), await provision(coffer), await provision(coffer)];
    for (const { claimToken } of [used, two]) expect((await claim(ada, claimToken)).status).toBe(200);
    for (const client of [ada, bob]) await expectNone(coffer, client, used.claimToken, "CONFLICT");
    for (const { client, id, claimToken } of [one, two]) {
      await client.delete(`/v0/drives/${id}`);
      await expectNone(coffer, ada, claimToken, "NOT_FOUND");
    }
    // Also when 30 days are over.
    coffer.clock.advance(31 * DAY_MS);
    await expectNone(coffer, bob, used.claimToken, "CONFLICT");
  });

  it("of many at once one wins", async (coffer) => {
    const { ada, bob } = coffer.clients;
    const drive = await provision(coffer);
    const answers = await Promise.all(
      Array.from({ length: 60 }, (_each, n) => claim(n % 2 === 0 ? ada : bob, drive.claimToken)),
    );
    expect(tally(answers)).toEqual({ 200: 1, 409: 59 });
    const winner = JSON.parse(answers.find(({ status }) => status === 200)?.text ?? "");
    const seen = await Promise.all([ada, bob].map((client) => client.send("GET", `/v0/drives/${drive.id}`)));
    expect(tally(seen)).toEqual({ 200: 1, 404: 1 });
    expectJson(seen.find(({ status }) => status === 200)?.text ?? "", { data: { slug: winner.data.slug } });
  });
});

describe("a claim in the last of 30 days", () => {
  it("that comes too late is told so, before the sweep, after it, and after a restart", async (coffer) => {
    const { claimToken: token, client: agent, id } = await provision(coffer);
    const ada = () => coffer.client(coffer.keys.ada);
    coffer.clock.advance(30 * DAY_MS - 1);
    const last = await provision(coffer);
    expect(await agent.status("GET", at(token))).toBe(200);
    coffer.clock.advance(1);
    await expectNone(coffer, ada(), token, "GONE");
    const { sweep } = coffer.appliance.services;
    for (const _ of [1, 2]) {
      await sweep.run();
      await expectNone(coffer, ada(), token, "GONE");
    }
    await coffer.restart();
    await expectNone(coffer, ada(), token, "GONE");
    expect(await ada().status("GET", `/v0/drives/${id}`)).toBe(404);
    expect((await claim(ada(), last.claimToken)).status).toBe(200);
    expect(coffer.lines.join("\n")).not.toContain(token);
  });

  it("is in time in its last millisecond, whatever the sweep does", async (coffer) => {
    const { ada } = coffer.clients;
    const drive = await provision(coffer);
    coffer.clock.advance(30 * DAY_MS - 1);
    const claiming = claim(ada, drive.claimToken);
    const [answer] = await Promise.all([claiming, coffer.appliance.services.sweep.run()]);
    expect(answer.status).toBe(200);
    coffer.clock.advance(1);
    await coffer.appliance.services.sweep.run();
    expect(await ada.get(`/v0/drives/${drive.id}`)).toMatchObject({ data: { expires_at: null } });
  });
});

/** Uploads some bytes; the status. */
function put(client: Client, drive: string, path: string, bytes: number): Promise<number> {
  return client.status("PUT", `/v0/files?drive_id=${drive}&path=${path}`, { body: "x".repeat(bytes) });
}

async function limitOf(client: Client): Promise<string | null> {
  return (await client.send("GET", "/v0/drives")).headers.get("x-ratelimit-limit");
}

test("what a claimed drive holds must fit into the account, under whose limits it is from then on", async () => {
  await using coffer = await startWorld({
    "storage-limits": "free=1000,pro=1000,team=100",
    "rate-limits": "free=10000,pro=20000,team=30000",
  });
  const { clients, drives } = coffer;
  // Ada is on team, and holds 12 bytes already.
  const [large, exact] = [await provision(coffer, "Large"), await provision(coffer, "Exact")];
  await put(large.client, large.id, "a", 89);
  await put(exact.client, exact.id, "a", 88);
  expectRefused(await claim(clients.ada, large.claimToken), "QUOTA_EXCEEDED");
  // A refused claim changes nothing.
  const unclaimed = { user_id: null, slug: null, expires_at: expect.any(String) };
  expect(await large.client.get("/v0/drives")).toMatchObject({ data: [unclaimed] });
  expect(await limitOf(exact.client)).toBe("10000");
  expect((await claim(clients.ada, exact.claimToken)).status).toBe(200);
  expect(await limitOf(exact.client)).toBe("30000");
  // The agent's writes count for the owner, and the owner's for the agent.
  expect(await put(clients.ada, drives.ada, "b", 1)).toBe(403);
  expect(await put(exact.client, exact.id, "a", 87)).toBe(200);
  expect(await put(exact.client, exact.id, "b", 1)).toBe(201);
  expect(await put(exact.client, exact.id, "c", 1)).toBe(403);
  expect((await claim(clients.bob, large.claimToken)).status).toBe(200);
});

test("anybody who has the token is shown what it is for, and no more", async () => {
  const { coffer, world } = stage;
  const { client, id, claimToken: token } = await provision(coffer, "Research");
  await client.put(id, "a.txt", "hello");
  expect(dataOf(await coffer.client().send("GET", at(token)))).toEqual({
    name: "Research",
    file_count: 1,
    total_size: 5,
    expires_at: coffer.clock.iso(30 * DAY_MS),
    created_at: expect.any(String),
  });
  // A drive's key is no hindrance, and looking uses nothing up.
  expect(await client.status("GET", at(token))).toBe(200);
  expect((await claim(world.clients.ada, token)).status).toBe(200);
});
