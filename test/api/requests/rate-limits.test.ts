import { describe, expect, test } from "bun:test";
import { tally } from "../../support/server/answers.ts";
import { startAppliance, type TestAppliance } from "../../support/server/appliance.ts";
import type { Answer, Client, Json } from "../../support/server/client.ts";
import { SHARED_FACTOR } from "../../../src/domain/limits.ts";
import { expectCommonRules, expectJson, provision } from "../../support/server/scenario.ts";
import { beginSession } from "../../support/server/sign-in.ts";
import { populateQuietly } from "../../support/server/world.ts";

/** Ada's plan is team, Bob's and the agents' is free. */
const limits = { "rate-limits": "free=8,team=12" };

/** The limit, what remains of it, and the seconds until its reset. */
function state({ headers }: Answer): (string | null)[] {
  return ["limit", "remaining", "reset"].map((name) => headers.get(`x-ratelimit-${name}`));
}

const wait = ({ headers }: Answer) => headers.get("retry-after");

function expectTold({ text }: Answer, message: string): void {
  expectJson(text, { error: { message: `Too many requests with ${message}` } });
}

describe("rate limits", () => {
  test("are the plan's, counted down in windows of a minute", async () => {
    await using coffer = await startAppliance(limits);
    const { clients } = await populateQuietly(coffer);
    expect(state(await clients.ada.send("GET", "/v0/drives"))).toEqual(["12", "11", "60"]);
    coffer.clock.advance(20_500);
    expect(state(await clients.ada.send("GET", "/v0/nothing"))).toEqual(["12", "10", "40"]);
    expect(state(await clients.ada.send("GET", "/v0/drives?limit=x"))).toEqual(["12", "9", "40"]);
    expect(state(await clients.adaReader.send("POST", "/v0/keys"))).toEqual(["12", "11", "60"]);
    expect(state(await clients.adaDrive.send("GET", "/v0/drives"))).toEqual(["12", "11", "60"]);
    expect(state(await clients.bob.send("GET", "/v0/drives"))).toEqual(["8", "7", "60"]);
    expect(state(await clients.agent.send("GET", "/v0/drives"))).toEqual(["8", "7", "60"]);
    expect(state(await clients.nobody.send("GET", "/v0/drives"))).toEqual(["8", "7", "60"]);
    expect(state(await clients.liar.send("GET", "/v0/drives"))).toEqual(["8", "6", "60"]);
  });

  test("refuse with 429 and Retry-After, do nothing, and let go at the window's end", async () => {
    await using coffer = await startAppliance(limits);
    const { clients, drives } = await populateQuietly(coffer);
    for (let n = 0; n < 8; n += 1) await clients.agent.put(drives.agent, `${n}`);
    coffer.clock.advance(15_000);
    const reads = [["GET", "/v0/drives"] as const, ["GET", "/v0/nothing"] as const];
    const put = ["PUT", `/v0/files?drive_id=${drives.agent}&path=late`] as const;
    for (const [method, path] of [put, ...reads, ["DELETE", `/v0/drives/${drives.agent}`] as const]) {
      const answer = await clients.agent.send(method, path, method === "PUT" ? { body: "x" } : {});
      expect(answer.status).toBe(429);
      expectCommonRules(method, answer);
      expectJson(answer.text, { error: { code: "RATE_LIMITED" } });
      expect(answer.headers.get("retry-after")).toBe("45");
      expect(state(answer)).toEqual(["8", "0", "45"]);
    }
    expect((await clients.agentReader.send("GET", "/v0/drives")).status).toBe(200);
    coffer.clock.advance(44_999);
    expect((await clients.agent.send("GET", "/v0/drives")).status).toBe(429);
    coffer.clock.advance(1);
    const { total } = await clients.agent.get<{ total: number }>(`/v0/files?drive_id=${drives.agent}`);
    expect(total).toBe(9);
  });

  test("are exact among requests that come at once", async () => {
    await using coffer = await startAppliance(limits);
    const { clients } = await populateQuietly(coffer);
    expect(await countStatuses([clients.bob], 30)).toEqual({ 200: 8, 429: 22 });
  });
});

/** Sends so many requests at once, in turn with each; how many there are of each status. */
async function countStatuses(clients: readonly Client[], count: number): Promise<Record<number, number>> {
  const rounds = Math.ceil(count / clients.length);
  const turns = Array.from({ length: rounds }, () => clients)
    .flat()
    .slice(0, count);
  const answers = await Promise.all(turns.map((client) => client.send("GET", "/v0/drives")));
  return tally(answers);
}

/** `count` keys more for the drive or account of a client, made without haste. */
async function moreKeys(
  coffer: TestAppliance,
  client: Client,
  count: number,
  body: Json = {},
): Promise<Client[]> {
  const clients: Client[] = [];
  for (let n = 0; n < count; n += 1) {
    clients.push(coffer.client((await client.makeKey(body)).key));
    coffer.clock.advance(60_000);
  }
  return clients;
}

describe("a second window is shared by all who have one owner", () => {
  test("so that many keys of a drive do not make many times its limit", async () => {
    await using coffer = await startAppliance(limits);
    const { clients } = await populateQuietly(coffer);
    const keys = [clients.agent, ...(await moreKeys(coffer, clients.agent, 9))];
    expect(await countStatuses(keys, 80)).toEqual({ 200: SHARED_FACTOR * 8, 429: 80 - SHARED_FACTOR * 8 });
    // Others have windows of their own.
    expect((await clients.otherAgent.send("GET", "/v0/drives")).status).toBe(200);
    coffer.clock.advance(60_000);
    expect(await countStatuses(keys, 20)).toEqual({ 200: 20 });
  });

  test("by an account's keys and sessions and the keys of its drives", async () => {
    await using coffer = await startAppliance(limits);
    const { clients, drives } = await populateQuietly(coffer);
    const { cookie } = beginSession(coffer, "bob").browser;
    const [ofDrive = clients.nobody] = await moreKeys(coffer, clients.bob, 1, { drive_id: drives.bob });
    const others = await moreKeys(coffer, clients.bob, 3);
    for (const client of [clients.bob, ...others])
      expect(await countStatuses([client], 7)).toEqual({ 200: 7 });
    const asked = { headers: { cookie } };
    const signedIn = () => coffer.client().send("GET", "/v0/drives", asked);
    // A window of four times eight, of which four times seven are used.
    expect(state(await signedIn())).toEqual(["32", "3", "60"]);
    expect(state(await signedIn())).toEqual(["32", "2", "60"]);
    expect(state(await ofDrive.send("GET", "/v0/drives"))).toEqual(["32", "1", "60"]);
    // Here both windows have nothing left.
    expect(state(await clients.bob.send("GET", "/v0/drives"))).toEqual(["8", "0", "60"]);
    expect((await signedIn()).status).toBe(429);
  });

  test("by the keys of a drive, with its account from when it is claimed", async () => {
    await using coffer = await startAppliance(limits);
    const { clients } = await populateQuietly(coffer);
    const { client, claimToken } = await provision(coffer);
    const keys = await moreKeys(coffer, client, 4);
    await clients.bob.post("/v0/drives/claim", { token: claimToken }, 200);
    coffer.clock.advance(60_000);
    expect(await countStatuses(keys, 4 * 8)).toEqual({ 200: 4 * 8 });
    const refusal = await clients.bob.send("GET", "/v0/drives");
    expect(refusal.status).toBe(429);
    expectTold(refusal, "all keys of this account together: 32 a minute are allowed. Try again in 60 s.");
  });

  test("and the headers and the refusal are those of the window that has less", async () => {
    await using coffer = await startAppliance(limits);
    const { clients } = await populateQuietly(coffer);
    const [first, second, third, fourth, fifth] = await moreKeys(coffer, clients.agent, 5);
    if (!first || !second || !third || !fourth || !fifth) throw new Error("there are five");
    // The shared window begins with the first, ten seconds before the windows of the others.
    await countStatuses([first], 8);
    coffer.clock.advance(10_000);
    await countStatuses([second, third], 16);
    const states = [];
    for (let n = 0; n < 5; n += 1) states.push(state(await fourth.send("GET", "/v0/drives")));
    for (let n = 0; n < 3; n += 1) states.push(state(await fifth.send("GET", "/v0/drives")));
    const own = ["7", "6", "5", "4", "3"].map((left) => ["8", left, "60"]);
    const shared = ["2", "1", "0"].map((left) => ["32", left, "50"]);
    expect(states).toEqual([...own, ...shared]);
    coffer.clock.advance(20_000);
    const together = await fifth.send("GET", "/v0/drives");
    expect([together.status, wait(together), ...state(together)]).toEqual([429, "30", "32", "0", "30"]);
    expectTold(together, "all keys of this drive together: 32 a minute are allowed. Try again in 30 s.");
    // This one's own window is used up as well, and lasts longer.
    const alone = await second.send("GET", "/v0/drives");
    expect([alone.status, wait(alone), ...state(alone)]).toEqual([429, "40", "8", "0", "40"]);
    expectTold(alone, "this key: 8 a minute are allowed. Try again in 40 s.");
    // What the shared window refused did not count in the key's own, nor the other way round.
    coffer.clock.advance(30_000);
    expect(state(await fifth.send("GET", "/v0/drives"))).toEqual(["8", "4", "10"]);
    expect((await second.send("GET", "/v0/drives")).status).toBe(429);
    coffer.clock.advance(10_000);
    expect(await countStatuses([first, second, third, fourth], 31)).toEqual({ 200: 31 });
  });
});
