import { describe, expect, test } from "bun:test";
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { startAppliance } from "../../support/server/appliance.ts";
import type { Client, Json } from "../../support/server/client.ts";
import { expectNowhere } from "../../support/server/nowhere.ts";
import { provision } from "../../support/server/scenario.ts";

describe("secrets", () => {
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
