import { describe, expect } from "bun:test";
import { expectRefused, tally } from "../../support/server/answers.ts";
import type { TestAppliance } from "../../support/server/appliance.ts";
import type { Answer, Client, Json } from "../../support/server/client.ts";
import { SESSION_REQUESTS, SHARED_FACTOR } from "../../../src/domain/limits.ts";
import { expectJson, provision } from "../../support/server/scenario.ts";
import { beginSession } from "../../support/server/sign-in.ts";
import { testWith } from "../../support/server/test-with.ts";
import { startQuietly } from "../../support/server/world.ts";

/** Ada's plan is team, Bob's and the agents' is free. */
const it = testWith(() => startQuietly({ "rate-limits": "free=8,team=12" }));

/** The limit, what remains of it, and the seconds until its reset. */
function state({ headers }: Answer): (string | null)[] {
  return ["limit", "remaining", "reset"].map((name) => headers.get(`x-ratelimit-${name}`));
}

const list = (client: Client) => client.send("GET", "/v0/drives");

/** The answer must be a refusal that says when to try again, and why. */
function expectTold(
  answer: Answer,
  [limit, seconds]: readonly [limit: string, seconds: string],
  what: string,
) {
  expectRefused(answer, "RATE_LIMITED");
  expect([answer.headers.get("retry-after"), ...state(answer)]).toEqual([seconds, limit, "0", seconds]);
  const message = `Too many requests with ${what}: ${limit} a minute are allowed. Try again in ${seconds} s.`;
  expectJson(answer.text, { error: { message } });
}

describe("rate limits", () => {
  it("are the plan's, counted down in windows of a minute", async (coffer) => {
    const { clients } = coffer;
    expect(state(await list(clients.ada))).toEqual(["12", "11", "60"]);
    coffer.clock.advance(20_500);
    expect(state(await clients.ada.send("GET", "/v0/nothing"))).toEqual(["12", "10", "40"]);
    expect(state(await clients.ada.send("GET", "/v0/drives?limit=x"))).toEqual(["12", "9", "40"]);
    expect(state(await clients.adaReader.send("POST", "/v0/keys"))).toEqual(["12", "11", "60"]);
    expect(state(await list(clients.adaDrive))).toEqual(["12", "11", "60"]);
    expect(state(await list(clients.bob))).toEqual(["8", "7", "60"]);
    expect(state(await list(clients.agent))).toEqual(["8", "7", "60"]);
    expect(state(await list(clients.nobody))).toEqual(["8", "7", "60"]);
    expect(state(await list(clients.liar))).toEqual(["8", "6", "60"]);
  });

  it("refuse with 429 and Retry-After, do nothing, and let go at the window's end", async (coffer) => {
    const { clients, drives } = coffer;
    for (let n = 0; n < 8; n += 1) await clients.agent.put(drives.agent, `${n}`);
    coffer.clock.advance(15_000);
    const reads = [["GET", "/v0/drives"] as const, ["GET", "/v0/nothing"] as const];
    const put = ["PUT", `/v0/files?drive_id=${drives.agent}&path=late`] as const;
    for (const [method, path] of [put, ...reads, ["DELETE", `/v0/drives/${drives.agent}`] as const]) {
      const answer = await clients.agent.send(method, path, method === "PUT" ? { body: "x" } : {});
      expectTold(answer, ["8", "45"], "this key");
    }
    expect(await clients.agentReader.status("GET", "/v0/drives")).toBe(200);
    coffer.clock.advance(44_999);
    expect(await clients.agent.status("GET", "/v0/drives")).toBe(429);
    coffer.clock.advance(1);
    const { total } = await clients.agent.get<{ total: number }>(`/v0/files?drive_id=${drives.agent}`);
    expect(total).toBe(9);
  });

  it("are exact among requests that come at once", async (coffer) => {
    const { clients } = coffer;
    expect(await countStatuses([clients.bob], 30)).toEqual({ 200: 8, 429: 22 });
  });
});

/** Sends so many requests at once, in turn with each; how many there are of each status. */
async function countStatuses(clients: readonly Client[], count: number): Promise<Record<number, number>> {
  const rounds = Math.ceil(count / clients.length);
  const turns = Array.from({ length: rounds }, () => clients)
    .flat()
    .slice(0, count);
  return tally(await Promise.all(turns.map(list)));
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
  it("so that many keys of a drive do not make many times its limit", async (coffer) => {
    const { clients } = coffer;
    const keys = [clients.agent, ...(await moreKeys(coffer, clients.agent, 9))];
    expect(await countStatuses(keys, 80)).toEqual({ 200: SHARED_FACTOR * 8, 429: 80 - SHARED_FACTOR * 8 });
    // Others have windows of their own.
    expect(await clients.otherAgent.status("GET", "/v0/drives")).toBe(200);
    coffer.clock.advance(60_000);
    expect(await countStatuses(keys, 20)).toEqual({ 200: 20 });
  });

  it("by an account's keys and the keys of its drives, but not by its sessions", async (coffer) => {
    const { clients, drives } = coffer;
    const { browser } = beginSession(coffer, "bob");
    const [ofDrive = clients.nobody] = await moreKeys(coffer, clients.bob, 1, { drive_id: drives.bob });
    const others = await moreKeys(coffer, clients.bob, 3);
    for (const client of [clients.bob, ...others])
      expect(await countStatuses([client], 7)).toEqual({ 200: 7 });
    // A window of four times eight, of which four times seven are used.
    for (const left of ["3", "2", "1"]) expect(state(await list(ofDrive))).toEqual(["32", left, "60"]);
    // Here both windows have nothing left.
    expect(state(await list(clients.bob))).toEqual(["8", "0", "60"]);
    expect((await list(clients.bob)).status).toBe(429);
    expect(state(await list(browser))).toEqual([`${SESSION_REQUESTS}`, `${SESSION_REQUESTS - 1}`, "60"]);
  });

  it("and by all sessions of an account, which no person uses up, but a loop", async (coffer) => {
    const [one, two] = [beginSession(coffer, "bob").browser, beginSession(coffer, "bob").browser];
    const asked = await countStatuses([one, two], SESSION_REQUESTS + 10);
    expect(asked).toEqual({ 200: SESSION_REQUESTS, 429: 10 });
    const refused = await list(one);
    expectRefused(refused, "RATE_LIMITED");
    expect(state(refused)).toEqual([`${SESSION_REQUESTS}`, "0", "60"]);
    expectJson(refused.text, { error: { message: expect.stringContaining("by those signed in") } });
    expect(await coffer.clients.bob.status("GET", "/v0/drives")).toBe(200);
    expect(await beginSession(coffer, "ada").browser.status("GET", "/v0/drives")).toBe(200);
  });

  it("by the keys of a drive, with its account from when it is claimed", async (coffer) => {
    const { clients } = coffer;
    const { client, claimToken } = await provision(coffer);
    const keys = await moreKeys(coffer, client, 4);
    await clients.bob.post("/v0/drives/claim", { token: claimToken }, 200);
    coffer.clock.advance(60_000);
    expect(await countStatuses(keys, 4 * 8)).toEqual({ 200: 4 * 8 });
    expectTold(await list(clients.bob), ["32", "60"], "all keys of this account together");
  });

  it("and the headers and the refusal are those of the window that has less", async (coffer) => {
    const { clients } = coffer;
    const [first, second, third, fourth, fifth] = await moreKeys(coffer, clients.agent, 5);
    if (!first || !second || !third || !fourth || !fifth) throw new Error("there are five");
    // The shared window begins with the first, ten seconds before the windows of the others.
    await countStatuses([first], 8);
    coffer.clock.advance(10_000);
    await countStatuses([second, third], 16);
    const states = [];
    for (let n = 0; n < 5; n += 1) states.push(state(await list(fourth)));
    for (let n = 0; n < 3; n += 1) states.push(state(await list(fifth)));
    const own = ["7", "6", "5", "4", "3"].map((left) => ["8", left, "60"]);
    const shared = ["2", "1", "0"].map((left) => ["32", left, "50"]);
    expect(states).toEqual([...own, ...shared]);
    coffer.clock.advance(20_000);
    expectTold(await list(fifth), ["32", "30"], "all keys of this drive together");
    // This one's own window is used up as well, and lasts longer.
    expectTold(await list(second), ["8", "40"], "this key");
    // What the shared window refused did not count in the key's own, nor the other way round.
    coffer.clock.advance(30_000);
    expect(state(await list(fifth))).toEqual(["8", "4", "10"]);
    expect(await second.status("GET", "/v0/drives")).toBe(429);
    coffer.clock.advance(10_000);
    expect(await countStatuses([first, second, third, fourth], 31)).toEqual({ 200: 31 });
  });
});
