import { describe, expect, test } from "bun:test";
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { startAppliance } from "../../support/server/appliance.ts";
import type { Client, Json, RequestOptions } from "../../support/server/client.ts";
import { expectNowhere } from "../../support/server/nowhere.ts";
import { HELLO, provision } from "../../support/server/scenario.ts";
import { populate } from "../../support/server/world.ts";

describe("secrets", () => {
  test("are neither in the log nor in the data directory", async () => {
    await using coffer = await startAppliance();
    const world = await populate(coffer);
    const { clients, drives } = world;
    const { liar: _, ...keys } = world.keys;
    const secrets = [
      ...Object.values(keys).filter((key) => key !== undefined),
      "ada's password",
      "bob's password",
    ];
    const { key, claimToken } = await provision(coffer);
    expect(claimToken).toStartWith("clm_");
    secrets.push(key, claimToken);
    const made = await clients.ada.makeKey();
    secrets.push(made.key);

    const password = "the link's password";
    const shown = { drive_id: drives.ada, path: "/", password };
    const share = await clients.ada.post<{ token: string }>("/v0/links", shown);
    secrets.push(share.token, password);
    const unlock = (body: Json) => coffer.client().send("POST", `/v0/shared/${share.token}/unlock`, { body });
    await unlock({ password: `${password}, wrong` });
    expect((await unlock({ password })).status).toBe(200);
    await coffer.client().send("GET", `/s/${share.token}`, { headers: { accept: "text/html" } });

    // Where secrets end up by mistake: in queries, paths, headers, bodies that are refused.
    const slips: [method: string, path: string, options?: RequestOptions][] = secrets.flatMap((secret) => [
      ["GET", `/v0/drives?api_key=${encodeURIComponent(secret)}`],
      ["GET", `/v0/files/${encodeURIComponent(secret)}`],
      ["GET", `/v0/${encodeURIComponent(secret)}`],
      ["GET", `/claim/${encodeURIComponent(secret)}`],
      ["GET", `/v0/shared/${encodeURIComponent(secret)}x`],
      ["GET", "/v0/drives", { headers: { authorization: `Basic ${btoa(`x:${secret}`)}` } }],
      ["GET", "/v0/drives", { headers: { authorization: secret } }],
      ["POST", "/v0/folders", { body: `{"token":"${secret}"` }],
      ["POST", "/v0/drives/claim", { body: { token: secret } }],
      ["DELETE", `/v0/keys/${encodeURIComponent(secret)}`],
    ]);
    for (const [method, path, options] of slips) await clients.ada.send(method, path, options);
    await clients.ada.delete(`/v0/keys/${made.id}`);
    await clients.agent.post("/v0/files", { drive_id: drives.agent, filename: "f", content: HELLO });
    await coffer.client(made.key).send("GET", "/v0/drives");

    // Without their starts, which records show.
    const hearts = secrets.map((secret) => secret.replace(/^(cof_sk_live_|cof_|clm_)[0-9a-f]{8}/, ""));
    await expectNowhere(coffer, hearts);
    await coffer.restart();
    await expectNowhere(coffer, hearts);
  });

  test("are not in any answer but the one that makes them", async () => {
    await using coffer = await startAppliance();
    const own = await provision(coffer);
    const made = await own.client.makeKey({ name: "x" });
    const steps: [method: string, path: string][] = [
      ["GET", "/v0/keys"],
      ["GET", "/v0/drives"],
      ["GET", `/v0/drives/${own.id}`],
      ["GET", `/v0/files/${own.key}`],
      ["GET", `/v0/nothing?key=${own.key}`],
      ["DELETE", `/v0/keys/${made.id}`],
    ];
    for (const [method, path] of steps) {
      const { text } = await own.client.send(method, path);
      expect(text).not.toContain(own.key);
      expect(text).not.toContain(made.key);
    }
  });

  test("that were answered under an Idempotency-Key are nowhere in the data directory or the log, nor is that", async () => {
    await using coffer = await startAppliance();
    const own = await provision(coffer);
    const file = await own.client.put(own.id, "a", "x");
    const keys = Array.from({ length: 5 }, () => crypto.randomUUID());
    const send = (n: number, status: number, client: Client, path: string, body: Json) =>
      client.json(status, "POST", path, { body, headers: { "idempotency-key": keys[n] ?? "" } });
    const sendAll = () =>
      Promise.all([
        send(0, 201, coffer.client(), "/v0/drives/provision", { name: "Sealed" }),
        send(1, 201, coffer.client(own.key), "/v0/keys", {}),
        send(2, 200, coffer.client(own.key), `/v0/files/${file.id}/presigned-url`, {}),
        send(4, 201, coffer.client(own.key), "/v0/upload-links", { drive_id: own.id, path: "b" }),
      ]);
    const answers = await sendAll();
    // What is refused leaves its key nowhere either.
    await send(3, 400, own.client, "/v0/keys", "{");
    const texts = answers.map((answer) => JSON.stringify(answer));
    const secrets = texts.flatMap((text) => text.match(/cof_\w{30,}|clm_\w+|upl_\w+|"token":"[^"]+/g) ?? []);
    expect(secrets.length).toBeGreaterThanOrEqual(5);
    // Without their starts, which records show.
    const hearts = secrets.map((secret) => secret.slice(-32));

    await expectNowhere(coffer, [...hearts, ...keys]);
    // The answers are there nevertheless.
    expect(await sendAll()).toEqual(answers);
    await coffer.restart();
    await expectNowhere(coffer, [...hearts, ...keys]);
    expect(await sendAll()).toEqual(answers);
    expect((await readFile(join(coffer.dataDir, "secret"))).length).toBe(32);
  });
});
