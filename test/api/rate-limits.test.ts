import { describe, expect, test } from "bun:test";
import { startAppliance, type TestAppliance } from "../support/appliance.ts";
import type { Answer } from "../support/client.ts";
import { expectCommonRules, expectJson } from "../support/scenario.ts";
import { populate, type World } from "../support/world.ts";

/** Ada's plan is team, Bob's and the agents' is free. */
const limits = { "rate-limits": "free=8,team=12" };

/** The cast, with everybody's minute still to begin. */
async function quiet(coffer: TestAppliance): Promise<World> {
  const world = await populate(coffer);
  coffer.clock.advance(60_000);
  return world;
}

/** The limit, what remains of it, and the seconds until its reset. */
function state({ headers }: Answer): (string | null)[] {
  return ["limit", "remaining", "reset"].map((name) => headers.get(`x-ratelimit-${name}`));
}

describe("rate limits", () => {
  test("are the plan's, counted down in windows of a minute", async () => {
    await using coffer = await startAppliance(limits);
    const { clients } = await quiet(coffer);
    expect(state(await clients.ada.send("GET", "/v0/drives"))).toEqual(["12", "11", "60"]);
    coffer.clock.advance(20_500);
    expect(state(await clients.ada.send("GET", "/v0/nothing"))).toEqual(["12", "10", "40"]);
    expect(state(await clients.adaReader.send("POST", "/v0/keys"))).toEqual(["12", "11", "60"]);
    expect(state(await clients.adaDrive.send("GET", "/v0/drives"))).toEqual(["12", "11", "60"]);
    expect(state(await clients.bob.send("GET", "/v0/drives"))).toEqual(["8", "7", "60"]);
    expect(state(await clients.agent.send("GET", "/v0/drives"))).toEqual(["8", "7", "60"]);
    expect(state(await clients.nobody.send("GET", "/v0/drives"))).toEqual(["8", "7", "60"]);
    expect(state(await clients.liar.send("GET", "/v0/drives"))).toEqual(["8", "6", "60"]);
  });

  test("refuse with 429 and Retry-After, do nothing, and let go at the window's end", async () => {
    await using coffer = await startAppliance(limits);
    const { clients, drives } = await quiet(coffer);
    const at = `/v0/files?drive_id=${drives.agent}&path=`;
    for (let n = 0; n < 8; n += 1) await clients.agent.json(201, "PUT", `${at}${n}`, { body: "x" });
    coffer.clock.advance(15_000);
    for (const [method, path, body] of [
      ["PUT", `${at}late`, "x"],
      ["GET", "/v0/drives", undefined],
      ["GET", "/v0/nothing", undefined],
      ["DELETE", `/v0/drives/${drives.agent}`, undefined],
    ] as const) {
      const answer = await clients.agent.send(method, path, body === undefined ? {} : { body });
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
    const { total } = await clients.agent.json<{ total: number }>(
      200,
      "GET",
      `/v0/files?drive_id=${drives.agent}`,
    );
    expect(total).toBe(9);
  });

  test("hold for those without a key as well, whatever key they make up", async () => {
    await using coffer = await startAppliance(limits);
    await quiet(coffer);
    const statuses: number[] = [];
    for (let n = 0; n < 10; n += 1) {
      statuses.push((await coffer.client(`cof_sk_live_${n}`).send("GET", "/v0/drives")).status);
    }
    expect(statuses).toEqual([...Array<number>(8).fill(401), 429, 429]);
    expect((await coffer.client().send("POST", "/v0/drives/provision", { body: { name: "x" } })).status).toBe(
      429,
    );
  });

  test("are exact among requests that come at once", async () => {
    await using coffer = await startAppliance(limits);
    const { clients } = await quiet(coffer);
    const answers = await Promise.all(
      Array.from({ length: 30 }, () => clients.bob.send("GET", "/v0/drives")),
    );
    expect(answers.filter(({ status }) => status === 200)).toHaveLength(8);
    expect(answers.filter(({ status }) => status === 429)).toHaveLength(22);
  });
});
