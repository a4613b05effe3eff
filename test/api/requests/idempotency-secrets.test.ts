import { expect, test } from "bun:test";
import { readdir, readFile } from "node:fs/promises";
import { join } from "node:path";
import { startAppliance } from "../../support/server/appliance.ts";
import { provision } from "../../support/server/scenario.ts";

async function everyByteIn(directory: string): Promise<[name: string, bytes: Buffer][]> {
  const entries = await readdir(directory, { recursive: true, withFileTypes: true });
  const files = entries.filter((entry) => entry.isFile()).map((entry) => join(entry.parentPath, entry.name));
  return Promise.all(files.map(async (name): Promise<[string, Buffer]> => [name, await readFile(name)]));
}

test("secrets that were answered under a key are nowhere in the data directory or the log, nor is the key", async () => {
  await using coffer = await startAppliance();
  const own = await provision(coffer);
  const file = await own.client.put(own.id, "a", "x");
  const keys = Array.from({ length: 5 }, () => crypto.randomUUID());
  const requests = [
    () =>
      coffer
        .client()
        .json<{ data: { api_key: string; claim_url: string } }>(201, "POST", "/v0/drives/provision", {
          body: { name: "Sealed" },
          headers: { "idempotency-key": keys[0] ?? "" },
        }),
    () =>
      coffer.client(own.key).json<{ key: string }>(201, "POST", "/v0/keys", {
        body: {},
        headers: { "idempotency-key": keys[1] ?? "" },
      }),
    () =>
      coffer.client(own.key).json<{ token: string }>(200, "POST", `/v0/files/${file.id}/presigned-url`, {
        body: {},
        headers: { "idempotency-key": keys[2] ?? "" },
      }),
    () =>
      coffer.client(own.key).json<{ url: string }>(201, "POST", "/v0/upload-links", {
        body: { drive_id: own.id, path: "b" },
        headers: { "idempotency-key": keys[4] ?? "" },
      }),
  ];
  const answers = await Promise.all(requests.map((send) => send()));
  // What is refused leaves its key nowhere either.
  await own.client.json(400, "POST", "/v0/keys", {
    body: "{",
    headers: { "idempotency-key": keys[3] ?? "" },
  });
  const texts = answers.map((answer) => JSON.stringify(answer));
  const secrets = texts.flatMap((text) => text.match(/cof_\w{30,}|clm_\w+|upl_\w+|"token":"[^"]+/g) ?? []);
  expect(secrets.length).toBeGreaterThanOrEqual(5);
  // Without their starts, which records show.
  const hearts = secrets.map((secret) => secret.slice(-32));

  const look = async () => {
    const places = await everyByteIn(coffer.dataDir);
    expect(places.some(([name]) => name.endsWith("coffer.db"))).toBe(true);
    places.push(["the log", Buffer.from(coffer.lines.join("\n"))]);
    for (const [name, bytes] of places) {
      for (const text of [...hearts, ...keys])
        expect([name, text, bytes.includes(text)]).toEqual([name, text, false]);
    }
  };
  await look();
  // The answers are there nevertheless.
  expect(await Promise.all(requests.map((send) => send()))).toEqual(answers);
  await coffer.restart();
  await look();
  expect(await Promise.all(requests.map((send) => send()))).toEqual(answers);
  expect((await readFile(join(coffer.dataDir, "secret"))).length).toBe(32);
});
