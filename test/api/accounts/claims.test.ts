import { describe, expect, test } from "bun:test";
import { expectRefused } from "../../support/server/answers.ts";
import { startAppliance } from "../../support/server/appliance.ts";
import type { Answer, Client } from "../../support/server/client.ts";
import { expectCommonRules, expectJson, openStage, provision } from "../../support/server/scenario.ts";
import { signIn } from "../../support/server/sign-in.ts";
import { populate } from "../../support/server/world.ts";

const DAY_MS = 24 * 60 * 60 * 1000;

function claim(client: Client, token: string, headers: Record<string, string> = {}): Promise<Answer> {
  return client.send("POST", "/v0/drives/claim", { body: { token }, headers });
}

const stage = openStage();

describe("claiming a drive", () => {
  test("with an account key makes it the account's for good", async () => {
    await using coffer = await startAppliance();
    const world = await populate(coffer);
    const drive = await provision(coffer, "Research Notes");
    const agent = coffer.client(drive.key);
    await agent.put(drive.id, "a.txt", "hello");
    coffer.clock.advance(1000);
    const answer = await claim(world.clients.ada, drive.claimToken);
    expect(answer.status).toBe(200);
    expectCommonRules("POST", answer);
    const { data: account } = await world.clients.ada.get<{ data: { id: string } }>("/v0/account");
    expectJson(answer.text, {
      data: {
        id: drive.id,
        user_id: account.id,
        name: "Research Notes",
        slug: "ada/research-notes",
        file_count: 1,
        total_size: 5,
        expires_at: null,
        updated_at: new Date(coffer.clock.now()).toISOString(),
      },
    });
    expectJson((await world.clients.ada.send("GET", "/v0/drives?slug=ada/research-notes")).text, {
      data: [{ id: drive.id }],
    });
    // The agent goes on as before, under the owner's plan.
    expectJson((await agent.send("GET", "/v0/drives")).text, {
      data: [{ id: drive.id, slug: "ada/research-notes" }],
    });
    await agent.put(drive.id, "b.txt", "more");
    coffer.clock.advance(31 * DAY_MS);
    await coffer.appliance.services.sweep.run();
    await agent.get(`/v0/drives/${drive.id}`);
  });

  test("with a session, from our own origin alone", async () => {
    const { coffer } = stage;
    const drive = await provision(coffer);
    const bob = await signIn(coffer, "bob");
    const request = { body: { token: drive.claimToken } };
    const foreign = { ...request, headers: { origin: "https://evil.example" } };
    expectRefused(await bob.send("POST", "/v0/drives/claim", foreign), "FORBIDDEN");
    expect(await bob.status("POST", "/v0/drives/claim", request)).toBe(200);
  });

  test("numbers its slug where that is taken", async () => {
    const { coffer, world } = stage;
    const [one, two] = [await provision(coffer, "Twins"), await provision(coffer, "Twins")];
    await claim(world.clients.ada, one.claimToken);
    expectJson((await claim(world.clients.ada, two.claimToken)).text, { data: { slug: "ada/twins-2" } });
  });

  test("is for accounts alone, and for keys that write", async () => {
    const { coffer, world } = stage;
    const drive = await provision(coffer);
    const { clients } = world;
    for (const client of [coffer.client(drive.key), clients.agent, clients.adaDrive, clients.adaReader])
      expectRefused(await claim(client, drive.claimToken), "FORBIDDEN");
    for (const client of [clients.nobody, clients.liar])
      expectRefused(await claim(client, drive.claimToken), "UNAUTHORIZED");
    expect((await claim(clients.bob, drive.claimToken)).status).toBe(200);
  });

  test("takes a token", async () => {
    const { ada } = stage.world.clients;
    for (const body of [{}, { token: 1 }, { token: null }, [], "x"])
      expectRefused(await ada.send("POST", "/v0/drives/claim", { body }), "VALIDATION_ERROR");
  });

  test("a token that never was is unknown", async () => {
    const { coffer, world } = stage;
    const { claimToken: token, key } = await provision(coffer);
    const others = [
      "",
      "clm_",
      `clm_${"0".repeat(48)}`,
      token.slice(0, -1),
      `${token}0`,
      token.toUpperCase(),
      key,
    ];
    for (const other of [...others, Bun.SHA256.hash(token, "hex"), "' OR 1=1 --", "x".repeat(10_000)])
      expectRefused(await claim(world.clients.ada, other), "NOT_FOUND");
  });

  test("a used token stays used, for the winner as well, and when 30 days are over", async () => {
    await using coffer = await startAppliance();
    const world = await populate(coffer);
    const { claimToken: token } = await provision(coffer);
    expect((await claim(world.clients.ada, token)).status).toBe(200);
    for (const client of [world.clients.ada, world.clients.bob])
      expectRefused(await claim(client, token), "CONFLICT");
    coffer.clock.advance(31 * DAY_MS);
    expectRefused(await claim(world.clients.bob, token), "CONFLICT");
  });

  test("a token whose drive was deleted is unknown, claimed or not", async () => {
    const { coffer, world } = stage;
    const [one, two] = [await provision(coffer), await provision(coffer)];
    await coffer.client(one.key).delete(`/v0/drives/${one.id}`);
    await claim(world.clients.ada, two.claimToken);
    await world.clients.ada.delete(`/v0/drives/${two.id}`);
    for (const { claimToken: token } of [one, two])
      expectRefused(await claim(world.clients.ada, token), "NOT_FOUND");
  });

  test("is done once under an Idempotency-Key", async () => {
    const { coffer, world } = stage;
    const { claimToken: token } = await provision(coffer);
    const headers = { "idempotency-key": `claim-${token.slice(4, 12)}` };
    const [first, again] = [
      await claim(world.clients.ada, token, headers),
      await claim(world.clients.ada, token, headers),
    ];
    expect([first.status, again.status, again.text]).toEqual([200, 200, first.text]);
    expect(again.headers.get("idempotency-replayed")).toBe("true");
  });
});

test("of many at once one wins", async () => {
  await using coffer = await startAppliance();
  const { clients } = await populate(coffer);
  const drive = await provision(coffer);
  const answers = await Promise.all(
    Array.from({ length: 60 }, (_, n) => claim(n % 2 === 0 ? clients.ada : clients.bob, drive.claimToken)),
  );
  expect(answers.filter(({ status }) => status === 200)).toHaveLength(1);
  expect(answers.filter(({ status }) => status === 409)).toHaveLength(59);
  const winner: { data: { slug: string } } = JSON.parse(
    answers.find(({ status }) => status === 200)?.text ?? "",
  );
  const seen = await Promise.all(
    [clients.ada, clients.bob].map((client) => client.send("GET", `/v0/drives/${drive.id}`)),
  );
  expect(seen.map(({ status }) => status).toSorted((a, b) => a - b)).toEqual([200, 404]);
  expectJson(seen.find(({ status }) => status === 200)?.text ?? "", { data: { slug: winner.data.slug } });
});

describe("a claim that comes too late", () => {
  test("is told so, before the sweep, after it, and after a restart", async () => {
    await using coffer = await startAppliance();
    const { keys } = await populate(coffer);
    const drive = await provision(coffer);
    const late = () => claim(coffer.client(keys.ada), drive.claimToken);
    coffer.clock.advance(30 * DAY_MS - 1);
    const last = await provision(coffer);
    coffer.clock.advance(1);
    expectRefused(await late(), "GONE");
    const { sweep } = coffer.appliance.services;
    await sweep.run();
    expectRefused(await late(), "GONE");
    await sweep.run();
    await coffer.restart();
    expectRefused(await late(), "GONE");
    expect((await claim(coffer.client(keys.ada), last.claimToken)).status).toBe(200);
  });

  test("a claim in its last millisecond is in time, whatever the sweep does", async () => {
    await using coffer = await startAppliance();
    const { clients } = await populate(coffer);
    const drive = await provision(coffer);
    coffer.clock.advance(30 * DAY_MS - 1);
    const claiming = claim(clients.ada, drive.claimToken);
    const [answer] = await Promise.all([claiming, coffer.appliance.services.sweep.run()]);
    expect(answer.status).toBe(200);
    coffer.clock.advance(1);
    await coffer.appliance.services.sweep.run();
    expectJson((await clients.ada.send("GET", `/v0/drives/${drive.id}`)).text, {
      data: { expires_at: null },
    });
  });

  test("one that races with a deletion is wholly before it or wholly after", async () => {
    await using coffer = await startAppliance();
    const { clients } = await populate(coffer);
    for (let round = 0; round < 20; round += 1) {
      const drive = await provision(coffer);
      const remove = () => coffer.client(drive.key).send("DELETE", `/v0/drives/${drive.id}`);
      const take = () => claim(clients.ada, drive.claimToken);
      const racing = round % 2 === 0 ? [take(), remove()] : [remove(), take()].toReversed();
      const [claimed, removed] = await Promise.all(racing);
      // The agent's key may delete the drive before and after; only the claim depends on which came first.
      expect([removed?.status, [200, 404].includes(claimed?.status ?? 0)]).toEqual([200, true]);
      expect(await clients.ada.status("GET", `/v0/drives/${drive.id}`)).toBe(404);
      expectRefused(await take(), "NOT_FOUND");
    }
  });

  test("one that races with the expiry has one outcome", async () => {
    await using coffer = await startAppliance();
    const { clients } = await populate(coffer);
    const drive = await provision(coffer);
    coffer.clock.advance(30 * DAY_MS);
    const [answer] = await Promise.all([
      claim(clients.ada, drive.claimToken),
      coffer.appliance.services.sweep.run(),
    ]);
    expectRefused(answer, "GONE");
    expect(await clients.ada.status("GET", `/v0/drives/${drive.id}`)).toBe(404);
    expect(await coffer.client(drive.key).status("GET", "/v0/drives")).toBe(401);
  });
});

function put(client: Client, drive: string, path: string, bytes: number): Promise<Answer> {
  return client.send("PUT", `/v0/files?drive_id=${drive}&path=${path}`, { body: "x".repeat(bytes) });
}

describe("what a claimed drive holds", () => {
  const limits = { "storage-limits": "free=1000,pro=1000,team=100" };

  test("must fit into the account; a refused claim changes nothing", async () => {
    await using coffer = await startAppliance(limits);
    const { clients, drives } = await populate(coffer);
    // Ada is on team, and holds 12 bytes already.
    const [large, exact] = [await provision(coffer, "Large"), await provision(coffer, "Exact")];
    await put(coffer.client(large.key), large.id, "a", 89);
    await put(coffer.client(exact.key), exact.id, "a", 88);
    expectRefused(await claim(clients.ada, large.claimToken), "QUOTA_EXCEEDED");
    expectJson((await coffer.client(large.key).send("GET", "/v0/drives")).text, {
      data: [{ user_id: null, slug: null, expires_at: expect.any(String) }],
    });
    expect((await claim(clients.ada, exact.claimToken)).status).toBe(200);
    expectRefused(await put(clients.ada, drives.ada, "b", 1), "QUOTA_EXCEEDED");
    expect((await claim(clients.bob, large.claimToken)).status).toBe(200);
  });

  test("counts under the owner's limits from then on, for the agent too", async () => {
    await using coffer = await startAppliance(limits);
    const { clients } = await populate(coffer);
    const drive = await provision(coffer);
    const agent = coffer.client(drive.key);
    expect((await put(agent, drive.id, "a", 10)).status).toBe(201);
    await claim(clients.ada, drive.claimToken);
    expect((await put(agent, drive.id, "b", 78)).status).toBe(201);
    expectRefused(await put(agent, drive.id, "c", 1), "QUOTA_EXCEEDED");
  });

  test("claims at once cannot pass the limit together", async () => {
    await using coffer = await startAppliance(limits);
    const { clients } = await populate(coffer);
    const drives = await Promise.all(Array.from({ length: 8 }, () => provision(coffer)));
    for (const drive of drives) await put(coffer.client(drive.key), drive.id, "a", 40);
    const answers = await Promise.all(drives.map(({ claimToken: token }) => claim(clients.ada, token)));
    expect(answers.map(({ status }) => status).toSorted((a, b) => a - b)).toEqual([
      200, 200, 403, 403, 403, 403, 403, 403,
    ]);
  });

  test("the agent's key counts by the owner's plan", async () => {
    await using coffer = await startAppliance({ "rate-limits": "free=10000,pro=20000,team=30000" });
    const { clients } = await populate(coffer);
    const drive = await provision(coffer);
    const limit = async () =>
      (await coffer.client(drive.key).send("GET", "/v0/drives")).headers.get("x-ratelimit-limit");
    expect(await limit()).toBe("10000");
    await claim(clients.ada, drive.claimToken);
    expect(await limit()).toBe("30000");
  });
});
