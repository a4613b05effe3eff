import { describe, expect, test } from "bun:test";
import { dataOf, expectRefused, tally } from "../../support/server/answers.ts";
import type { Answer, Client } from "../../support/server/client.ts";
import { expectJson, openStage, provision, type UnclaimedDrive } from "../../support/server/scenario.ts";
import { signIn } from "../../support/server/sign-in.ts";
import { startWorld } from "../../support/server/world.ts";

const DAY_MS = 24 * 60 * 60 * 1000;
const CLAIM = "/v0/drives/claim";

function claim(client: Client, token: string, headers: Record<string, string> = {}): Promise<Answer> {
  return client.send("POST", CLAIM, { body: { token }, headers });
}

const stage = openStage();

describe("claiming a drive", () => {
  test("with an account key makes it the account's for good", async () => {
    await using coffer = await startWorld();
    const drive = await provision(coffer, "Research Notes");
    const agent = coffer.client(drive.key);
    await agent.put(drive.id, "a.txt", "hello");
    coffer.clock.advance(1000);
    const answer = await claim(coffer.clients.ada, drive.claimToken);
    const { data: account } = await coffer.clients.ada.get<{ data: { id: string } }>("/v0/account");
    expect(dataOf(answer)).toMatchObject({
      id: drive.id,
      user_id: account.id,
      name: "Research Notes",
      slug: "ada/research-notes",
      file_count: 1,
      total_size: 5,
      expires_at: null,
      updated_at: coffer.clock.iso(),
    });
    expectJson((await coffer.clients.ada.send("GET", "/v0/drives?slug=ada/research-notes")).text, {
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
    expectRefused(await bob.send("POST", CLAIM, foreign), "FORBIDDEN");
    expect(await bob.status("POST", CLAIM, request)).toBe(200);
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
      expectRefused(await ada.send("POST", CLAIM, { body }), "VALIDATION_ERROR");
  });

  test("a token that never was is unknown", async () => {
    const { coffer, world } = stage;
    const { claimToken: token, key } = await provision(coffer);
    const wrong = ["", "clm_", `clm_${"0".repeat(48)}`, "' OR 1=1 --", "x".repeat(10_000)];
    const alike = [token.slice(0, -1), `${token}0`, token.toUpperCase(), Bun.SHA256.hash(token, "hex")];
    for (const other of [...wrong, ...alike, key])
      expectRefused(await claim(world.clients.ada, other), "NOT_FOUND");
  });

  test("a used token stays used, for the winner as well, and when 30 days are over", async () => {
    await using coffer = await startWorld();
    const { claimToken: token } = await provision(coffer);
    expect((await claim(coffer.clients.ada, token)).status).toBe(200);
    for (const client of [coffer.clients.ada, coffer.clients.bob])
      expectRefused(await claim(client, token), "CONFLICT");
    coffer.clock.advance(31 * DAY_MS);
    expectRefused(await claim(coffer.clients.bob, token), "CONFLICT");
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
  await using coffer = await startWorld();
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

describe("a claim that comes too late", () => {
  test("is told so, before the sweep, after it, and after a restart", async () => {
    await using coffer = await startWorld();
    const drive = await provision(coffer);
    const ada = () => coffer.client(coffer.keys.ada);
    const late = () => claim(ada(), drive.claimToken);
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
    expect((await claim(ada(), last.claimToken)).status).toBe(200);
  });

  test("a claim in its last millisecond is in time, whatever the sweep does", async () => {
    await using coffer = await startWorld();
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

  test("one that races with a deletion is wholly before it or wholly after", async () => {
    await using coffer = await startWorld();
    const { ada } = coffer.clients;
    for (let round = 0; round < 20; round += 1) {
      const drive = await provision(coffer);
      const remove = () => coffer.client(drive.key).send("DELETE", `/v0/drives/${drive.id}`);
      const take = () => claim(ada, drive.claimToken);
      const racing = round % 2 === 0 ? [take(), remove()] : [remove(), take()].toReversed();
      const [claimed, removed] = await Promise.all(racing);
      // The agent's key may delete the drive before and after; only the claim depends on which came first.
      expect([removed?.status, [200, 404].includes(claimed?.status ?? 0)]).toEqual([200, true]);
      expect(await ada.status("GET", `/v0/drives/${drive.id}`)).toBe(404);
      expectRefused(await take(), "NOT_FOUND");
    }
  });

  test("one that races with the expiry has one outcome", async () => {
    await using coffer = await startWorld();
    const { ada } = coffer.clients;
    const drive = await provision(coffer);
    coffer.clock.advance(30 * DAY_MS);
    const { sweep } = coffer.appliance.services;
    const [answer] = await Promise.all([claim(ada, drive.claimToken), sweep.run()]);
    expectRefused(answer, "GONE");
    expect(await ada.status("GET", `/v0/drives/${drive.id}`)).toBe(404);
    expect(await coffer.client(drive.key).status("GET", "/v0/drives")).toBe(401);
  });
});

/** Uploads some bytes; the status. */
function put(client: Client, drive: string, path: string, bytes: number): Promise<number> {
  return client.status("PUT", `/v0/files?drive_id=${drive}&path=${path}`, { body: "x".repeat(bytes) });
}

describe("what a claimed drive holds", () => {
  const limits = { "storage-limits": "free=1000,pro=1000,team=100" };

  test("must fit into the account; a refused claim changes nothing", async () => {
    await using coffer = await startWorld(limits);
    const { clients, drives } = coffer;
    // Ada is on team, and holds 12 bytes already.
    const [large, exact] = [await provision(coffer, "Large"), await provision(coffer, "Exact")];
    await put(large.client, large.id, "a", 89);
    await put(exact.client, exact.id, "a", 88);
    expectRefused(await claim(clients.ada, large.claimToken), "QUOTA_EXCEEDED");
    const unclaimed = { user_id: null, slug: null, expires_at: expect.any(String) };
    expect(await large.client.get("/v0/drives")).toMatchObject({ data: [unclaimed] });
    expect((await claim(clients.ada, exact.claimToken)).status).toBe(200);
    expect(await put(clients.ada, drives.ada, "b", 1)).toBe(403);
    expect((await claim(clients.bob, large.claimToken)).status).toBe(200);
  });

  test("counts under the owner's limits from then on, for the agent too", async () => {
    await using coffer = await startWorld(limits);
    const { id, client: agent, claimToken } = await provision(coffer);
    expect(await put(agent, id, "a", 10)).toBe(201);
    await claim(coffer.clients.ada, claimToken);
    expect(await put(agent, id, "b", 78)).toBe(201);
    expect(await put(agent, id, "c", 1)).toBe(403);
  });

  test("claims at once cannot pass the limit together", async () => {
    await using coffer = await startWorld(limits);
    const drives = await Promise.all(Array.from({ length: 8 }, () => provision(coffer)));
    for (const { client, id } of drives) await put(client, id, "a", 40);
    const answers = drives.map(({ claimToken: token }) => claim(coffer.clients.ada, token));
    expect(tally(await Promise.all(answers))).toEqual({ 200: 2, 403: 6 });
  });

  test("the agent's key counts by the owner's plan", async () => {
    await using coffer = await startWorld({ "rate-limits": "free=10000,pro=20000,team=30000" });
    const drive = await provision(coffer);
    const limit = async () => (await drive.client.send("GET", "/v0/drives")).headers.get("x-ratelimit-limit");
    expect(await limit()).toBe("10000");
    await claim(coffer.clients.ada, drive.claimToken);
    expect(await limit()).toBe("30000");
  });
});

/** Where a claim can be looked at. */
const at = (token: string) => `${CLAIM}/${encodeURIComponent(token)}`;
const preview = ({ claimToken: token }: UnclaimedDrive) => stage.coffer.client().send("GET", at(token));

describe("GET /v0/drives/claim/{token}", () => {
  test("shows anybody who has the token what it is for, and no more", async () => {
    const drive = await provision(stage.coffer, "Research");
    await drive.client.put(drive.id, "a.txt", "hello");
    expect(dataOf(await preview(drive))).toEqual({
      name: "Research",
      file_count: 1,
      total_size: 5,
      expires_at: stage.coffer.clock.iso(30 * DAY_MS),
      created_at: expect.any(String),
    });
    // A drive's key is no hindrance, and looking uses nothing up.
    expect(await drive.client.status("GET", at(drive.claimToken))).toBe(200);
    expect((await claim(stage.world.clients.ada, drive.claimToken)).status).toBe(200);
  });

  test("a used token is 409, an unknown one and that of a deleted drive 404", async () => {
    const [used, deleted] = [await stage.ownDrive(), await stage.ownDrive()];
    await claim(stage.world.clients.ada, used.claimToken);
    expectRefused(await preview(used), "CONFLICT");
    await deleted.client.delete(`/v0/drives/${deleted.id}`);
    expectRefused(await preview(deleted), "NOT_FOUND");
    for (const token of ["clm_none", "%00", "' OR 1=1 --"])
      expectRefused(await stage.coffer.client().send("GET", at(token)), "NOT_FOUND");
  });

  test("an expired token is 410, also after the sweep; the log has no token", async () => {
    const drive = await stage.ownDrive();
    stage.coffer.clock.advance(30 * DAY_MS - 1);
    expect((await preview(drive)).status).toBe(200);
    stage.coffer.clock.advance(1);
    expectRefused(await preview(drive), "GONE");
    await stage.coffer.appliance.services.sweep.run();
    expectRefused(await preview(drive), "GONE");
    expect(stage.coffer.lines.join("\n")).not.toContain(drive.claimToken);
  });
});
