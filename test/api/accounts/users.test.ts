import { describe, expect, test } from "bun:test";
import { networkAddresses } from "../../../src/network/local-address.ts";
import { changeDatabase, rowsIn } from "../../support/faults/change-database.ts";
import { dataOf, expectRefused, tally } from "../../support/server/answers.ts";
import type { Json, Answer } from "../../support/server/client.ts";
import type { SignedInBrowser } from "../../support/server/sign-in.ts";
import { isSignedIn, signIn, signInAll, areSignedIn } from "../../support/server/sign-in.ts";
import { testWith } from "../../support/server/test-with.ts";
import { startWorld } from "../../support/server/world.ts";

/** A world where Ada, its administrator, and Bob are signed in. */
const it = testWith(async () => {
  const coffer = await startWorld({ "rate-limits": "free=70,pro=700,team=7000" });
  const [ada, bob] = await signInAll(coffer, "ada", "bob");
  return Object.assign(coffer, { ada, bob });
});

/** Where a user is changed. */
async function pathOf(admin: SignedInBrowser, username: string): Promise<string> {
  const { data } = await admin.get<{ data: { id: string; username: string }[] }>("/v0/users");
  return `/v0/users/${data.find((user) => user.username === username)?.id}`;
}

test("where other machines reach the server is told to an administrator alone, unless it has a name", async () => {
  await using coffer = await startWorld({ host: "0.0.0.0" });
  const [ada, bob] = await signInAll(coffer, "ada", "bob");
  const { port } = new URL(coffer.appliance.url);
  expect(dataOf(await ada.send("GET", "/v0/addresses"))).toEqual(
    networkAddresses({ scheme: "http", host: "0.0.0.0", port: Number(port) }),
  );
  expectRefused(await bob.send("GET", "/v0/addresses"), "FORBIDDEN");
  expectRefused(await coffer.clients.ada.send("GET", "/v0/addresses"), "FORBIDDEN");
  const named = "http://drive.example";
  await coffer.restart({ "base-url": named });
  const headers = { origin: named };
  expect(dataOf(await ada.send("GET", "/v0/addresses", { headers }))).toEqual([]);
});

describe("users", () => {
  it("are shown to an administrator, who knows that they are one", async ({ ada, bob }) => {
    expect(dataOf(await ada.send("GET", "/v0/account"))).toMatchObject({ admin: true, has_password: true });
    expect(dataOf(await bob.send("GET", "/v0/account"))).toMatchObject({ admin: false });
    const common = { disabled: false, has_password: true, drive_count: 1, total_size: 12 };
    // What is shared with them is not theirs.
    const none = { drive_count: 0, total_size: 0 };
    expect(dataOf(await ada.send("GET", "/v0/users"))).toMatchObject([
      { username: "ada", plan: "team", admin: true, ...common },
      { username: "bob", plan: "free", admin: false, ...common },
      { username: "carol", ...none },
      { username: "dan", ...none },
    ]);
    const requests: [method: string, path: string, options?: { body: Json }][] = [
      ["GET", "/v0/users"],
      ["POST", "/v0/users", { body: { username: "eve", password: "eve's password" } }],
      ["PATCH", await pathOf(ada, "bob"), { body: { plan: "team" } }],
      ["PATCH", await pathOf(ada, "ada"), { body: { disabled: true } }],
    ];
    for (const request of requests) expectRefused(await bob.send(...request), "FORBIDDEN");
    // Nobody disables an administrator, and nothing of a refused change stays.
    const body = { plan: "free", disabled: true };
    expectRefused(await ada.send("PATCH", await pathOf(ada, "ada"), { body }), "FORBIDDEN");
    expect(dataOf(await ada.send("GET", "/v0/account"))).toMatchObject({ plan: "team" });
    expect(dataOf(await ada.send("GET", "/v0/users"))).toHaveLength(4);
  });

  it("are made with a password, on the plan free", async (coffer) => {
    const make = (username: string, password: string) =>
      coffer.ada.send("POST", "/v0/users", { body: { username, password } });
    const eve = { username: "eve", plan: "free", admin: false, disabled: false };
    const none = { drive_count: 0, total_size: 0 };
    expect(dataOf(await make("eve", "eve's password"), 201)).toMatchObject({ ...eve, ...none });
    await signIn(coffer, "eve");
    expectRefused(await make("eve", "eve's password"), "CONFLICT");
    expectRefused(await make("E v e", "eve's password"), "VALIDATION_ERROR", "username");
    expectRefused(await make("mallory", "short"), "VALIDATION_ERROR", "password");
  });

  it("change their plan at once", async ({ ada, bob, clients }) => {
    const path = await pathOf(ada, "bob");
    expect(dataOf(await ada.send("PATCH", path, { body: { plan: "pro" } }))).toMatchObject({ plan: "pro" });
    const account = await bob.send("GET", "/v0/account");
    expect(dataOf(account)).toMatchObject({ plan: "pro" });
    expect((await clients.bob.send("GET", "/v0/drives")).headers.get("x-ratelimit-limit")).toBe("700");
    expectRefused(await ada.send("PATCH", path, { body: { plan: "gold" } }), "VALIDATION_ERROR", "plan");
    expect(dataOf(await ada.send("PATCH", path, { body: {} }))).toMatchObject({ plan: "pro" });
    for (const id of ["x", crypto.randomUUID()])
      expectRefused(await ada.send("PATCH", `/v0/users/${id}`, { body: { plan: "pro" } }), "NOT_FOUND");
  });

  it("who are disabled reach nothing at once; enabled, their keys work again and they sign in anew", async (coffer) => {
    const { ada, bob, clients, drives } = coffer;
    const path = await pathOf(ada, "bob");
    const limits = [{ scope: "read-only" }, { drive_id: drives.bob }];
    const limited = await Promise.all(limits.map((body) => clients.bob.makeKey(body)));
    const keys = [clients.bob, ...limited.map(({ key }) => coffer.client(key)), clients.ada, clients.agent];
    const disable = (disabled: boolean) => ada.send("PATCH", path, { body: { disabled } });
    expect(dataOf(await disable(true))).toMatchObject({ disabled: true, drive_count: 1 });
    expect(dataOf(await disable(true))).toMatchObject({ disabled: true });
    expect(await areSignedIn(ada, bob)).toEqual([true, false]);
    const statuses = await Promise.all(keys.map((key) => key.status("GET", "/v0/drives")));
    expect(statuses).toEqual([401, 401, 401, 200, 200]);
    expect(signIn(coffer, "bob")).rejects.toThrow("401");
    expect(dataOf(await disable(false))).toMatchObject({ disabled: false });
    await clients.bob.get("/v0/drives");
    expect(await isSignedIn(bob)).toBe(false);
    expect(await isSignedIn(await signIn(coffer, "bob"))).toBe(true);
  });
});

function appoint(by: SignedInBrowser, path: string, admin: boolean): Promise<Answer> {
  return by.send("PATCH", path, { body: { admin } });
}

describe("an administrator", () => {
  it("makes others administrators, and takes that away, but not from the last", async ({ ada, bob }) => {
    const [adaPath, bobPath] = [await pathOf(ada, "ada"), await pathOf(ada, "bob")];
    expectRefused(await appoint(bob, bobPath, true), "FORBIDDEN");
    expectRefused(await appoint(ada, adaPath, false), "FORBIDDEN");
    expect(dataOf(await appoint(ada, bobPath, true))).toMatchObject({ admin: true });
    expect(dataOf(await appoint(bob, adaPath, false))).toMatchObject({ admin: false });
    expectRefused(await appoint(ada, bobPath, false), "FORBIDDEN");
    expectRefused(await appoint(bob, bobPath, false), "FORBIDDEN");
    // Who is shut out could not take care of the server.
    await bob.patch(adaPath, { disabled: true });
    expectRefused(await appoint(bob, adaPath, true), "FORBIDDEN");
  });

  it("resets a password, which ends the user's sessions and keys", async (coffer) => {
    const { ada, bob, clients, drives } = coffer;
    const limited = await clients.bob.makeKey({ drive_id: drives.bob });
    const body = { password: "a temporary one" };
    expectRefused(await bob.send("PATCH", await pathOf(ada, "bob"), { body }), "FORBIDDEN");
    // One's own takes the one before.
    expectRefused(await ada.send("PATCH", await pathOf(ada, "ada"), { body }), "FORBIDDEN");
    expect(dataOf(await ada.send("PATCH", await pathOf(ada, "bob"), { body }))).toMatchObject({
      username: "bob",
    });
    expect(await areSignedIn(ada, bob)).toEqual([true, false]);
    for (const key of [clients.bob, coffer.client(limited.key)])
      expect(await key.status("GET", "/v0/drives")).toBe(401);
    expect(signIn(coffer, "bob")).rejects.toThrow("401");
    await signIn(coffer, "bob", "a temporary one");
    await clients.ada.get("/v0/drives");
  });

  it("gives nobody a password who signs in at a provider", async (coffer) => {
    changeDatabase(coffer.dataDir, "UPDATE user SET password_hash = NULL WHERE username = 'bob'");
    const body = { password: "a temporary one" };
    expectRefused(await coffer.ada.send("PATCH", await pathOf(coffer.ada, "bob"), { body }), "FORBIDDEN");
    await coffer.clients.bob.get("/v0/drives");
  });
});

describe("deleting a user", () => {
  const all = { drives: "delete" };

  it("is for administrators, with a session, and not of one", async ({ ada, bob, clients }) => {
    const path = await pathOf(ada, "bob");
    expectRefused(await bob.send("DELETE", path, { body: all }), "FORBIDDEN");
    expectRefused(await clients.ada.send("DELETE", path, { body: all }), "FORBIDDEN");
    expectRefused(await ada.send("DELETE", await pathOf(ada, "ada"), { body: all }), "FORBIDDEN");
    expectRefused(await ada.send("DELETE", path, { body: {} }), "VALIDATION_ERROR", "drives");
    for (const to of ["bob", "nobody", "", undefined]) {
      const body = to === undefined ? { drives: "give" } : { drives: "give", to };
      expectRefused(await ada.send("DELETE", path, { body }), "VALIDATION_ERROR", "to");
    }
    expect(await areSignedIn(ada, bob)).toEqual([true, true]);
  });

  it("ends all of theirs, and keeps their name", async (coffer) => {
    const { ada, bob, clients, drives } = coffer;
    const { url } = await clients.bob.post<{ url: string }>("/v0/links", { drive_id: drives.bob, path: "/" });
    const path = await pathOf(ada, "bob");
    expect(await ada.delete<Json>(path, all)).toMatchObject({ deleted: true });
    expect(await areSignedIn(ada, bob)).toEqual([true, false]);
    expect(await clients.bob.status("GET", "/v0/drives")).toBe(401);
    expect(signIn(coffer, "bob")).rejects.toThrow("401");
    const shared = new URL(url).pathname.replace("/s/", "/v0/shared/");
    expect(await coffer.client().status("GET", shared)).toBe(404);
    expect(await ada.status("DELETE", path, { body: all })).toBe(404);
    expect(await ada.status("PATCH", path, { body: { disabled: false } })).toBe(404);
    const body = { username: "bob", password: "another bob" };
    expectRefused(await ada.send("POST", "/v0/users", { body }), "CONFLICT");
    const row = "SELECT email, password_hash FROM user WHERE username = 'bob'";
    expect(rowsIn(coffer.dataDir, row)).toEqual([[null, null]]);
    const left = "SELECT 1 FROM drive WHERE id = ? AND deleted_at IS NULL";
    expect(rowsIn(coffer.dataDir, left, drives.bob)).toEqual([]);
  });

  it("gives their drives to somebody, without what they left there", async (coffer) => {
    const { ada, clients, drives } = coffer;
    const session = await signIn(coffer, "bob");
    const at = `/v0/drives/${drives.bob}`;
    await session.post(`${at}/members`, { username: "ada", role: "reader" });
    await session.post(`${at}/members`, { username: "dan", role: "reader" });
    const link = await session.post<{ token: string }>("/v0/links", { drive_id: drives.bob, path: "/" });
    const hook = { url: "https://hooks.example.test/x", events: ["file.created"], drive_id: drives.bob };
    await session.post("/v0/webhooks", hook);
    const { key } = await session.makeKey({ drive_id: drives.bob });
    await ada.delete(await pathOf(ada, "bob"), { drives: "give", to: "ada" });
    expect(await clients.ada.get<Json>(at)).toMatchObject({ data: { role: "owner", slug: "ada/notes-2" } });
    expect(await coffer.client(key).status("GET", "/v0/drives")).toBe(401);
    expect(await coffer.client().status("GET", `/v0/shared/${link.token}`)).toBe(404);
    expect((await ada.get<{ data: Json[] }>(`/v0/webhooks?drive_id=${drives.bob}`)).data).toEqual([]);
    const members = await ada.get<{ data: { username: string }[] }>(`${at}/members`);
    expect(members.data.map(({ username }) => username)).toEqual(["dan"]);
    expect(await clients.dan.status("GET", at)).toBe(200);
  });

  it("takes them out of the drives of others", async (coffer) => {
    const { ada, drives } = coffer;
    await ada.delete(await pathOf(ada, "dan"), all);
    const members = await ada.get<{ data: { username: string }[] }>(`/v0/drives/${drives.ada}/members`);
    expect(members.data.map(({ username }) => username)).not.toContain("dan");
    expect(await coffer.clients.dan.status("GET", "/v0/drives")).toBe(401);
  });
});

function change(browser: SignedInBrowser, current: string, password: string): Promise<Answer> {
  return browser.send("POST", "/v0/account/password", { body: { current, password } });
}

describe("PATCH /v0/account", () => {
  it("keeps the language that a person chose, until they choose none", async ({ ada, clients }) => {
    for (const language of ["zh-Hans", null]) {
      const account = dataOf(await ada.send("PATCH", "/v0/account", { body: { language } }));
      expect(account).toMatchObject({ username: "ada", language });
      expect(await clients.ada.get<unknown>("/v0/account")).toEqual({ data: account });
    }
  });

  it("not one that the dashboard does not speak", async ({ ada }) => {
    for (const body of [{}, { language: "pl" }, { language: "de-AT" }, { language: 1 }])
      expectRefused(await ada.send("PATCH", "/v0/account", { body }), "VALIDATION_ERROR", "language");
  });
});

describe("POST /v0/account/password", () => {
  it("changes it, and signs out everywhere else", async (coffer) => {
    const { ada: here, bob } = coffer;
    const there = await signIn(coffer, "ada");
    expect(dataOf(await change(here, "ada's password", "a new password"))).toEqual({ changed: true });
    expect(await areSignedIn(here, there, bob)).toEqual([true, false, true]);
    expect(signIn(coffer, "ada")).rejects.toThrow("401");
    await signIn(coffer, "ada", "a new password");
    await coffer.clients.ada.get("/v0/account");
  });

  it("not for a wrong one, a short one, which is no wrong guess, or many at once", async ({ ada }) => {
    expectRefused(await change(ada, "wrong", "a new password"), "VALIDATION_ERROR", "current");
    for (let n = 0; n < 11; n += 1)
      expectRefused(await change(ada, "ada's password", "short"), "VALIDATION_ERROR", "password");
    const answers = await Promise.all(
      ["first password", "second password"].map((next) => change(ada, "ada's password", next)),
    );
    expect(tally(answers)).toEqual({ 200: 1, 400: 1 });
  });

  it("ten wrong ones, then none for a quarter of an hour", async ({ ada, clock }) => {
    const wrong = await Promise.all(Array.from({ length: 11 }, () => change(ada, "wrong", "a new password")));
    expect(tally(wrong)).toEqual({ 400: 10, 429: 1 });
    expectRefused(await change(ada, "ada's password", "a new password"), "RATE_LIMITED");
    clock.advance(15 * 60 * 1000);
    expect((await change(ada, "ada's password", "a new password")).status).toBe(200);
  });
});
