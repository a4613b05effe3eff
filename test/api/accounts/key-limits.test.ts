import { describe, expect, test } from "bun:test";
import { KEYS } from "../../../src/domain/limits.ts";
import type { Answer, Client, Json } from "../../support/server/client.ts";
import { expectJson, openStage } from "../../support/server/scenario.ts";
import { startQuietly, startWorld } from "../../support/server/world.ts";
import { expectRefused, tally } from "../../support/server/answers.ts";

const stage = openStage();

function create(client: Client, body: Json = {}): Promise<Answer> {
  return client.send("POST", "/v0/keys", { body });
}

/** So many keys, asked for at once; how many were made. */
async function createMany(client: Client, count: number, body: Json = {}) {
  return tally(await Promise.all(Array.from({ length: count }, () => create(client, body))))[201];
}

function expectFull(answer: Answer, message: string): void {
  expectRefused(answer, "QUOTA_EXCEEDED");
  expectJson(answer.text, { error: { message } });
}

async function idsOf(client: Client): Promise<string[]> {
  return (await client.get<{ id: string }[]>("/v0/keys")).map(({ id }) => id);
}

describe("keys are limited in number", () => {
  const DRIVE_FULL = "This drive already has the maximum of 100 keys. Revoke some that are not needed.";

  test("of a drive, however many ask at once; a revoked one makes room", async () => {
    const own = await stage.ownDrive();
    // The one that came with the drive counts.
    expect(await createMany(own.client, KEYS.drive + 10)).toBe(KEYS.drive - 1);
    expectFull(await create(own.client), DRIVE_FULL);
    const ids = await idsOf(own.client);
    expect(ids).toHaveLength(KEYS.drive);
    await own.client.delete(`/v0/keys/${ids.at(-1)}`);
    expect((await create(own.client)).status).toBe(201);
    expectFull(await create(own.client), DRIVE_FULL);
    // Those of another drive do not count.
    expect((await create((await stage.ownDrive()).client)).status).toBe(201);
  });

  test("of an account, those from the shell included; those of its drives count for each drive", async () => {
    await using coffer = await startWorld();
    const { clients, drives } = coffer;
    const { apiKeys } = coffer.appliance.services;
    const before = (await idsOf(clients.bob)).length;
    const fromShell = () => apiKeys.createFor("bob", "", "read-write");
    await Promise.all(Array.from({ length: KEYS.account - before }, fromShell));
    const message = "This account already has the maximum of 1000 keys. Revoke some that are not needed.";
    expectFull(await create(clients.bob), message);
    const refusal = await fromShell().catch((error: unknown) => error);
    expect(refusal).toMatchObject({ code: "QUOTA_EXCEEDED", message });
    expect(await createMany(clients.bob, KEYS.drive + 1, { drive_id: drives.bob })).toBe(KEYS.drive);
    expectFull(await create(clients.bob, { drive_id: drives.bob }), DRIVE_FULL);
    expect(await idsOf(clients.bob)).toHaveLength(KEYS.account + KEYS.drive);
    expect((await create(clients.ada)).status).toBe(201);
  });
});

describe("keys are limited in rate", () => {
  /** Twelve keys a minute for whoever is on the plan free, of 72 requests. */
  const LIMITS = { "rate-limits": "free=72,team=12" };

  test("of an owner by the plan, with 429 and Retry-After, until the minute is over", async () => {
    await using coffer = await startQuietly(LIMITS);
    const { clients, drives } = coffer;
    expect(await createMany(clients.bob, 6)).toBe(6);
    coffer.clock.advance(20_000);
    expect(await createMany(clients.bob, 7, { drive_id: drives.bob })).toBe(6);
    const refusal = await create(clients.bob);
    expectRefused(refusal, "RATE_LIMITED");
    expect(refusal.headers.get("retry-after")).toBe("40");
    const message = "Too many new keys for this account: at most 12 a minute. Try again in 40 s.";
    expectJson(refusal.text, { error: { message } });
    // Somebody else's do not count, and the shell is not counted.
    expect((await create(clients.agent)).status).toBe(201);
    await coffer.appliance.services.apiKeys.createFor("bob", "", "read-write");
    coffer.clock.advance(40_000);
    expect((await create(clients.bob)).status).toBe(201);
  });

  test("one a minute at least; what is refused or repeated is not counted", async () => {
    await using coffer = await startQuietly({ "rate-limits": "free=5" });
    const { clients } = coffer;
    expect((await create(clients.agent, { name: "x".repeat(65) })).status).toBe(400);
    expect((await create(clients.agent, { drive_id: "somebody/elses" })).status).toBe(404);
    const repeated = { body: {}, headers: { "idempotency-key": "1" } };
    const made = () => clients.agent.json<{ key: string }>(201, "POST", "/v0/keys", repeated);
    const [{ key }, again] = [await made(), await made()];
    expect(again.key).toBe(key);
    const message = "Too many new keys for this drive: at most 1 a minute. Try again in 60 s.";
    // Nor do the keys that a key made make more.
    for (const client of [clients.agent, coffer.client(key)]) {
      const refusal = await create(client);
      expectRefused(refusal, "RATE_LIMITED");
      expectJson(refusal.text, { error: { message } });
    }
  });
});
