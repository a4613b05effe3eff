import { expect, test } from "bun:test";
import { startAppliance } from "../../support/server/appliance.ts";
import { expectNowhere } from "../../support/server/nowhere.ts";
import { sessionIn, signIn } from "../../support/server/sign-in.ts";
import { provision } from "../../support/server/scenario.ts";

test("tokens of sessions, setup links and claims, and passwords, are neither in the data directory nor in the log", async () => {
  await using coffer = await startAppliance({ signups: "open" });
  const anyone = coffer.client();
  const setup = new URL(coffer.appliance.setupLink ?? "").searchParams.get("token") ?? "";
  const first = { username: "ada", password: "the password of Ada" };
  const setUp = await anyone.send("POST", "/auth/setup", { body: { token: setup, ...first } });
  const second = { username: "bob", password: "the password of Bob" };
  const signedUp = await anyone.send("POST", "/auth/signup", { body: second });
  const ada = await signIn(coffer, "ada", first.password);
  const [used, unused] = [await provision(coffer), await provision(coffer)].map((made) => made.claimToken);
  expect(await ada.status("POST", "/v0/drives/claim", { body: { token: used ?? "" } })).toBe(200);
  const reset = "the password after";
  await coffer.appliance.services.users.resetPassword("bob", reset);
  const passwords = [first.password, second.password, reset];
  const tokens = [setup, sessionIn(setUp), sessionIn(signedUp), ada.token, used, unused];
  const secrets = [...tokens, ...passwords].map((secret) => secret ?? "");
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
    const headers = { "user-agent": "x", authorization: `Bearer ${secret}x` };
    await anyone.send("GET", "/v0/drives", { headers });
  }
  await expectNowhere(coffer, secrets);
  await ada.send("POST", "/auth/logout");
  await coffer.restart();
  await expectNowhere(coffer, secrets);
});
