import { describe, expect, test } from "bun:test";
import { readdir, readFile } from "node:fs/promises";
import { join } from "node:path";
import { startAppliance } from "../../support/server/appliance.ts";
import type { RequestOptions } from "../../support/server/client.ts";
import { HELLO, provision } from "../../support/server/scenario.ts";
import { populate } from "../../support/server/world.ts";

/** Every file of a directory, whole. */
async function everyByteIn(directory: string): Promise<[name: string, bytes: Buffer][]> {
  const entries = await readdir(directory, { recursive: true, withFileTypes: true });
  const files = entries.filter((entry) => entry.isFile()).map((entry) => join(entry.parentPath, entry.name));
  return Promise.all(files.map(async (name): Promise<[string, Buffer]> => [name, await readFile(name)]));
}

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
    const provisioned = await coffer
      .client()
      .post<{ data: { api_key: string; claim_url: string } }>("/v0/drives/provision", { name: "Secret" });
    const token = provisioned.data.claim_url.split("/").at(-1) ?? "";
    expect(token).toStartWith("clm_");
    secrets.push(provisioned.data.api_key, token);
    const made = await clients.ada.makeKey();
    secrets.push(made.key);

    const share = await clients.ada.post<{ token: string }>("/v0/links", {
      drive_id: drives.ada,
      path: "/",
      password: "the link's password",
    });
    secrets.push(share.token, "the link's password");
    const wrong = { body: { password: "the link's password, wrong" } };
    await coffer.client().send("POST", `/v0/shared/${share.token}/unlock`, wrong);
    const unlocked = await coffer
      .client()
      .send("POST", `/v0/shared/${share.token}/unlock`, { body: { password: "the link's password" } });
    expect(unlocked.status).toBe(200);
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

    const look = async () => {
      const places = await everyByteIn(coffer.dataDir);
      expect(places.some(([name]) => name.endsWith("coffer.db"))).toBe(true);
      places.push(["the log", Buffer.from(coffer.lines.join("\n"))]);
      for (const [name, bytes] of places) {
        for (const secret of secrets) {
          // Without its start, which records show.
          const heart = secret.replace(/^(cof_sk_live_|cof_|clm_)[0-9a-f]{8}/, "");
          expect([name, secret, bytes.includes(heart)]).toEqual([name, secret, false]);
        }
      }
    };
    await look();
    await coffer.restart();
    await look();
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
});
