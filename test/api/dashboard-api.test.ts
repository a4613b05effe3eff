import { describe, expect, test } from "bun:test";
import { addAccount } from "../support/accounts.ts";
import { startAppliance, type TestAppliance } from "../support/appliance.ts";
import type { Answer, Json } from "../support/client.ts";
import { expectCommonRules, expectJson, openStage, refused, type Code } from "../support/scenario.ts";
import { type SignedInBrowser, signIn } from "../support/sign-in.ts";
import { populate } from "../support/world.ts";

const DAY_MS = 24 * 60 * 60 * 1000;

function expectRefused(answer: Answer, code: Code, field?: string): void {
  const { status, json } = refused(code, field);
  expect([answer.status, answer.status === status ? "" : answer.text]).toEqual([status, ""]);
  expectCommonRules("POST", answer);
  expectJson(answer.text, json);
}

/** An answer's `data`, of a request that succeeded with `status`. */
function dataOf(answer: Answer, status = 200): unknown {
  expect([answer.status, answer.status === status ? "" : answer.text]).toEqual([status, ""]);
  expectCommonRules("GET", answer);
  const { data }: { data: unknown } = JSON.parse(answer.text);
  return data;
}

describe("GET /v0/drives/claim/{token}", () => {
  const stage = openStage();

  async function unclaimed() {
    const { coffer } = stage;
    const { data } = await coffer.client().json<{
      data: { drive_id: string; api_key: string; claim_url: string; expires_at: string };
    }>(201, "POST", "/v0/drives/provision", { body: { name: "Research" } });
    const token = data.claim_url.split("/").at(-1) ?? "";
    const path = `/v0/drives/claim/${token}`;
    return { ...data, token, preview: () => coffer.client().send("GET", path) };
  }

  test("shows anybody who has the token what it is for, and no more", async () => {
    const drive = await unclaimed();
    const agent = stage.coffer.client(drive.api_key);
    await agent.json(201, "PUT", `/v0/files?drive_id=${drive.drive_id}&path=a.txt`, { body: "hello" });
    expect(dataOf(await drive.preview())).toEqual({
      name: "Research",
      file_count: 1,
      total_size: 5,
      expires_at: drive.expires_at,
      created_at: expect.any(String),
    });
    // A drive's key is no hindrance, and looking uses nothing up.
    expect((await agent.send("GET", `/v0/drives/claim/${drive.token}`)).status).toBe(200);
    const claimed = { body: { token: drive.token } };
    expect((await stage.world.clients.ada.send("POST", "/v0/drives/claim", claimed)).status).toBe(200);
  });

  test("a used token is 409, an unknown one and that of a deleted drive 404", async () => {
    const used = await unclaimed();
    await stage.world.clients.ada.json(200, "POST", "/v0/drives/claim", { body: { token: used.token } });
    expectRefused(await used.preview(), "CONFLICT");
    const deleted = await unclaimed();
    await stage.coffer.client(deleted.api_key).json(200, "DELETE", `/v0/drives/${deleted.drive_id}`);
    expectRefused(await deleted.preview(), "NOT_FOUND");
    for (const token of ["clm_none", "%00", "' OR 1=1 --"]) {
      const path = `/v0/drives/claim/${encodeURIComponent(token)}`;
      expectRefused(await stage.coffer.client().send("GET", path), "NOT_FOUND");
    }
  });

  test("an expired token is 410, also after the sweep; the log has no token", async () => {
    const drive = await unclaimed();
    stage.coffer.clock.advance(30 * DAY_MS - 1);
    expect((await drive.preview()).status).toBe(200);
    stage.coffer.clock.advance(1);
    expectRefused(await drive.preview(), "GONE");
    await stage.coffer.appliance.services.sweep.run();
    expectRefused(await drive.preview(), "GONE");
    expect(stage.coffer.lines.join("\n")).not.toContain(drive.token);
  });
});

describe("GET /auth/options", () => {
  const oidc = {
    "oidc-issuer": "https://login.example:8443/realm",
    "oidc-client-id": "coffer",
    "oidc-client-secret": "x",
  };
  const CASES: [name: string, settings: Record<string, string>, options: Record<string, Json>][] = [
    ["passwords alone", {}, { provider: null, signups: false }],
    ["registering", { signups: "open" }, { provider: null, signups: true }],
    ["a provider", oidc, { provider: { name: "login.example:8443" }, signups: false }],
  ];
  test.each(CASES)("tells of %s, and whether there is an account", async (_, settings, options) => {
    await using coffer = await startAppliance(settings);
    const get = () => coffer.client().json<unknown>(200, "GET", "/auth/options");
    expect(await get()).toEqual({ ...options, setup: true, signups: false });
    addAccount(coffer, "ada");
    expect(await get()).toEqual({ setup: false, ...options });
  });
});

async function withUsers(): Promise<{ coffer: TestAppliance; world: Awaited<ReturnType<typeof populate>> }> {
  const coffer = await startAppliance();
  return { coffer, world: await populate(coffer) };
}

interface ListedSession {
  readonly id: string;
  readonly current: boolean;
  readonly user_agent: string;
}

async function sessionsOf(browser: SignedInBrowser): Promise<ListedSession[]> {
  const answer = await browser.send("GET", "/v0/sessions");
  const { data }: { data: ListedSession[] } = JSON.parse(answer.text);
  return data;
}

async function isSignedIn(browser: SignedInBrowser): Promise<boolean> {
  return (await browser.send("GET", "/v0/account")).status === 200;
}

describe("sessions", () => {
  test("are listed with the one that asks, and end one by one", async () => {
    const { coffer, world } = await withUsers();
    await using _ = coffer;
    const [one, two, bob] = [
      await signIn(coffer, "ada"),
      await signIn(coffer, "ada"),
      await signIn(coffer, "bob"),
    ];
    expect(await sessionsOf(two)).toEqual([
      expect.objectContaining({ current: false }),
      expect.objectContaining({ current: true, user_agent: expect.stringContaining("Bun") }),
    ]);
    // Whatever cookie it comes with, a key is no session.
    const withCookie = { headers: { cookie: two.cookie } };
    expect(dataOf(await world.clients.ada.send("GET", "/v0/sessions", withCookie))).toMatchObject([
      { current: false },
      { current: false },
    ]);
    const [first] = await sessionsOf(two);
    expectRefused(await bob.send("DELETE", `/v0/sessions/${first?.id}`), "NOT_FOUND");
    expectRefused(await two.send("DELETE", "/v0/sessions/x"), "NOT_FOUND");
    expect(dataOf(await two.send("DELETE", `/v0/sessions/${first?.id}`))).toEqual({
      id: first?.id,
      deleted: true,
    });
    expectRefused(await two.send("DELETE", `/v0/sessions/${first?.id}`), "NOT_FOUND");
    expect([await isSignedIn(one), await isSignedIn(two), await isSignedIn(bob)]).toEqual([
      false,
      true,
      true,
    ]);
  });

  test("all end at once, the one that asks included; keys and others go on", async () => {
    const { coffer, world } = await withUsers();
    await using _ = coffer;
    const [one, two, bob] = [
      await signIn(coffer, "ada"),
      await signIn(coffer, "ada"),
      await signIn(coffer, "bob"),
    ];
    expect(dataOf(await one.send("DELETE", "/v0/sessions"))).toEqual({ deleted_count: 2 });
    expect([await isSignedIn(one), await isSignedIn(two), await isSignedIn(bob)]).toEqual([
      false,
      false,
      true,
    ]);
    await world.clients.ada.json(200, "GET", "/v0/account");
  });

  test("do not end for another site's page", async () => {
    const { coffer } = await withUsers();
    await using _ = coffer;
    const ada = await signIn(coffer, "ada");
    const foreign = { headers: { origin: "https://evil.example" } };
    expectRefused(await ada.send("DELETE", "/v0/sessions", foreign), "FORBIDDEN");
    expect(await isSignedIn(ada)).toBe(true);
  });
});

function change(browser: SignedInBrowser, current: string, password: string): Promise<Answer> {
  return browser.send("POST", "/v0/account/password", { body: { current, password } });
}

describe("POST /v0/account/password", () => {
  test("changes it, and signs out everywhere else", async () => {
    const { coffer, world } = await withUsers();
    await using _ = coffer;
    const [here, there, bob] = [
      await signIn(coffer, "ada"),
      await signIn(coffer, "ada"),
      await signIn(coffer, "bob"),
    ];
    expect(dataOf(await change(here, "ada's password", "a new password"))).toEqual({ changed: true });
    expect([await isSignedIn(here), await isSignedIn(there), await isSignedIn(bob)]).toEqual([
      true,
      false,
      true,
    ]);
    expect(signIn(coffer, "ada")).rejects.toThrow("401");
    await signIn(coffer, "ada", "a new password");
    await world.clients.ada.json(200, "GET", "/v0/account");
  });

  test("not for a wrong one, a short one, or many at once", async () => {
    const { coffer } = await withUsers();
    await using _ = coffer;
    const ada = await signIn(coffer, "ada");
    expectRefused(await change(ada, "wrong", "a new password"), "VALIDATION_ERROR", "current");
    expectRefused(await change(ada, "ada's password", "short"), "VALIDATION_ERROR", "password");
    const answers = await Promise.all(
      ["first password", "second password"].map((next) => change(ada, "ada's password", next)),
    );
    expect(answers.map(({ status }) => status).toSorted((a, b) => a - b)).toEqual([200, 400]);
  });

  test("the right one with another that cannot be taken is no wrong one", async () => {
    const { coffer } = await withUsers();
    await using _ = coffer;
    const ada = await signIn(coffer, "ada");
    for (let n = 0; n < 11; n += 1) {
      expectRefused(await change(ada, "ada's password", "short"), "VALIDATION_ERROR", "password");
    }
    expect((await change(ada, "ada's password", "a new password")).status).toBe(200);
  });

  test("ten wrong ones, then none for a quarter of an hour", async () => {
    const { coffer } = await withUsers();
    await using _ = coffer;
    const ada = await signIn(coffer, "ada");
    const wrong = await Promise.all(Array.from({ length: 11 }, () => change(ada, "wrong", "a new password")));
    expect(wrong.map(({ status }) => status).toSorted((a, b) => a - b)).toEqual([
      ...Array.from({ length: 10 }, () => 400),
      429,
    ]);
    expectRefused(await change(ada, "ada's password", "a new password"), "RATE_LIMITED");
    coffer.clock.advance(15 * 60 * 1000);
    expect((await change(ada, "ada's password", "a new password")).status).toBe(200);
  });
});

describe("users", () => {
  interface Shown {
    readonly id: string;
    readonly username: string;
  }
  async function userId(admin: SignedInBrowser, username: string): Promise<string> {
    const { text } = await admin.send("GET", "/v0/users");
    const { data }: { data: Shown[] } = JSON.parse(text);
    return data.find((user) => user.username === username)?.id ?? "";
  }

  test("are shown to an administrator, who knows that they are one", async () => {
    const { coffer } = await withUsers();
    await using _ = coffer;
    const [ada, bob] = [await signIn(coffer, "ada"), await signIn(coffer, "bob")];
    expect(dataOf(await ada.send("GET", "/v0/account"))).toMatchObject({ admin: true, has_password: true });
    expect(dataOf(await bob.send("GET", "/v0/account"))).toMatchObject({ admin: false });
    const common = { disabled: false, has_password: true, drive_count: 1, total_size: 12 };
    expect(dataOf(await ada.send("GET", "/v0/users"))).toMatchObject([
      { username: "ada", plan: "team", admin: true, ...common },
      { username: "bob", plan: "free", admin: false, ...common },
    ]);
    const requests: [method: string, path: string, body: Json | undefined][] = [
      ["GET", "/v0/users", undefined],
      ["POST", "/v0/users", { username: "eve", password: "eve's password" }],
      ["PATCH", `/v0/users/${await userId(ada, "bob")}`, { plan: "team" }],
      ["PATCH", `/v0/users/${await userId(ada, "ada")}`, { disabled: true }],
    ];
    for (const [method, path, body] of requests) {
      expectRefused(await bob.send(method, path, body === undefined ? {} : { body }), "FORBIDDEN");
    }
    expect(dataOf(await ada.send("GET", "/v0/users"))).toHaveLength(2);
  });

  test("are made with a password, on the plan free", async () => {
    const { coffer } = await withUsers();
    await using _ = coffer;
    const ada = await signIn(coffer, "ada");
    const make = (username: string, password: string) =>
      ada.send("POST", "/v0/users", { body: { username, password } });
    expect(dataOf(await make("eve", "eve's password"), 201)).toMatchObject({
      username: "eve",
      plan: "free",
      admin: false,
      disabled: false,
      drive_count: 0,
      total_size: 0,
    });
    await signIn(coffer, "eve");
    expectRefused(await make("eve", "eve's password"), "CONFLICT");
    expectRefused(await make("E v e", "eve's password"), "VALIDATION_ERROR", "username");
    expectRefused(await make("mallory", "short"), "VALIDATION_ERROR", "password");
  });

  test("change their plan at once", async () => {
    const { coffer } = await withUsers();
    await using _ = coffer;
    const [ada, bob] = [await signIn(coffer, "ada"), await signIn(coffer, "bob")];
    const path = `/v0/users/${await userId(ada, "bob")}`;
    expect(dataOf(await ada.send("PATCH", path, { body: { plan: "pro" } }))).toMatchObject({ plan: "pro" });
    expect(dataOf(await bob.send("GET", "/v0/account"))).toMatchObject({ plan: "pro" });
    expectRefused(await ada.send("PATCH", path, { body: { plan: "gold" } }), "VALIDATION_ERROR", "plan");
    expect(dataOf(await ada.send("PATCH", path, { body: {} }))).toMatchObject({ plan: "pro" });
  });

  test("who are disabled reach nothing at once; enabled, their keys work again and they sign in anew", async () => {
    const { coffer, world } = await withUsers();
    await using _ = coffer;
    const [ada, bob] = [await signIn(coffer, "ada"), await signIn(coffer, "bob")];
    const path = `/v0/users/${await userId(ada, "bob")}`;
    const disable = (disabled: boolean) => ada.send("PATCH", path, { body: { disabled } });
    expect(dataOf(await disable(true))).toMatchObject({ disabled: true, drive_count: 1 });
    expect(dataOf(await disable(true))).toMatchObject({ disabled: true });
    expect(await isSignedIn(bob)).toBe(false);
    await world.clients.bob.json(401, "GET", "/v0/drives");
    expect(signIn(coffer, "bob")).rejects.toThrow("401");
    expect(dataOf(await disable(false))).toMatchObject({ disabled: false });
    await world.clients.bob.json(200, "GET", "/v0/drives");
    expect(await isSignedIn(bob)).toBe(false);
    expect(await isSignedIn(await signIn(coffer, "bob"))).toBe(true);
  });

  test("an administrator is disabled by nobody, and who is not there is not found", async () => {
    const { coffer } = await withUsers();
    await using _ = coffer;
    const ada = await signIn(coffer, "ada");
    const path = `/v0/users/${await userId(ada, "ada")}`;
    // Nothing of a refused change stays.
    const body = { plan: "free", disabled: true };
    expectRefused(await ada.send("PATCH", path, { body }), "FORBIDDEN");
    expect(dataOf(await ada.send("GET", "/v0/account"))).toMatchObject({ plan: "team" });
    for (const id of ["x", crypto.randomUUID()]) {
      expectRefused(await ada.send("PATCH", `/v0/users/${id}`, { body: { plan: "pro" } }), "NOT_FOUND");
    }
  });
});
