import { expect, test } from "bun:test";
import { readdir, readFile } from "node:fs/promises";
import { join } from "node:path";
import { startAppliance } from "../../support/server/appliance.ts";
import { sessionIn, signIn } from "../../support/server/sign-in.ts";

async function everyByteIn(directory: string): Promise<[name: string, bytes: Buffer][]> {
  const entries = await readdir(directory, { recursive: true, withFileTypes: true });
  const files = entries.filter((entry) => entry.isFile()).map((entry) => join(entry.parentPath, entry.name));
  return Promise.all(files.map(async (name): Promise<[string, Buffer]> => [name, await readFile(name)]));
}

test("tokens of sessions, setup links and claims, and passwords, are neither in the data directory nor in the log", async () => {
  await using coffer = await startAppliance({ signups: "open" });
  const anyone = coffer.client();
  const setup = new URL(coffer.appliance.setupLink ?? "").searchParams.get("token") ?? "";
  const first = { username: "ada", password: "the password of Ada" };
  const setUp = await anyone.send("POST", "/auth/setup", { body: { token: setup, ...first } });
  const second = { username: "bob", password: "the password of Bob" };
  const signedUp = await anyone.send("POST", "/auth/signup", { body: second });
  const ada = await signIn(coffer, "ada", first.password);
  const provision = () => anyone.post<{ data: { claim_url: string } }>("/v0/drives/provision", { name: "x" });
  const [used, unused] = [await provision(), await provision()].map(
    ({ data }) => data.claim_url.split("/").at(-1) ?? "",
  );
  expect(await ada.status("POST", "/v0/drives/claim", { body: { token: used ?? "" } })).toBe(200);
  const reset = "the password after";
  await coffer.appliance.services.users.resetPassword("bob", reset);
  const secrets = [
    setup,
    sessionIn(setUp),
    sessionIn(signedUp),
    ada.token,
    used,
    unused,
    first.password,
    second.password,
    reset,
  ].map((secret) => secret ?? "");
  for (const secret of secrets) expect(secret).toMatch(/.{16}/);

  // Where they end up by mistake, and what is refused.
  for (const secret of secrets) {
    await anyone.send("GET", `/auth/setup/check?token=${encodeURIComponent(secret)}`);
    await anyone.send("GET", `/${encodeURIComponent(secret)}`);
    await anyone.send("POST", "/auth/setup", { body: { token: secret, ...first } });
    await anyone.send("POST", "/auth/login", { body: { username: secret.slice(0, 60), password: secret } });
    await anyone.send("POST", "/auth/login", { body: `{"password":"${secret}"` });
    await anyone.send("POST", "/auth/signup", { body: { username: "ada", password: secret } });
    await ada.send("POST", "/v0/drives/claim", { body: { token: secret } });
    await anyone.send("GET", "/v0/drives", { headers: { cookie: `coffer_session=${secret}x` } });
    await anyone.send("GET", "/v0/drives", {
      headers: { "user-agent": "x", authorization: `Bearer ${secret}x` },
    });
  }
  const look = async () => {
    const places = await everyByteIn(coffer.dataDir);
    expect(places.some(([name]) => name.endsWith("coffer.db"))).toBe(true);
    places.push(["the log", Buffer.from(coffer.lines.join("\n"))]);
    for (const [name, bytes] of places) {
      for (const secret of secrets)
        expect([name, secret, bytes.includes(secret)]).toEqual([name, secret, false]);
    }
  };
  await look();
  await ada.send("POST", "/auth/logout");
  await coffer.restart();
  await look();
});
