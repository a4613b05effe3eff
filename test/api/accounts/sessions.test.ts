import { describe, expect, test } from "bun:test";
import { startWithAda } from "../../support/server/accounts.ts";
import { dataOf, expectRefused } from "../../support/server/answers.ts";
import { changeDatabase } from "../../support/faults/change-database.ts";
import type { Client } from "../../support/server/client.ts";
import { expectCommonRules, fill } from "../../support/server/scenario.ts";
import { areSignedIn, browserWith, isSignedIn, signIn, signInAll } from "../../support/server/sign-in.ts";
import { testWith } from "../../support/server/test-with.ts";
import { startWorld } from "../../support/server/world.ts";
import { holdUpload } from "../../support/server/held-request.ts";

const HOUR_MS = 60 * 60 * 1000;
const DAY_MS = 24 * HOUR_MS;

/** A world where Ada and Bob are signed in. */
const it = testWith(async () => {
  const coffer = await startWorld();
  const [ada, bob] = await signInAll(coffer, "ada", "bob");
  return Object.assign(coffer, { ada, bob });
});

describe("a session at /v0", () => {
  it("does what an account key does, and none itself; it outlives a restart", async (coffer) => {
    const { ada, clients, keys } = coffer;
    const made = await ada.makeDrive("Of a session");
    await ada.put(made.id, "a.txt", "hello");
    const drives = await ada.get<unknown>("/v0/drives");
    expect(drives).toEqual(await clients.ada.get<unknown>("/v0/drives"));
    expect(drives).toEqual(await coffer.client((await ada.makeKey()).key).get<unknown>("/v0/drives"));
    await ada.delete(`/v0/drives/${made.id}`);
    expect(await coffer.client(ada.token).status("GET", "/v0/drives")).toBe(401);
    expect(await isSignedIn(browserWith(coffer, keys.ada ?? ""))).toBe(false);
    await coffer.restart();
    expect(await isSignedIn(ada)).toBe(true);
  });

  const NONE: [name: string, cookie: string][] = [
    ["nothing", ""],
    ["no value", "coffer_session="],
    ["unknown", `coffer_session=${"a".repeat(43)}`],
    ["no cookie at all", "coffer_session"],
    ["nonsense", "coffer_session=%00%ff\u00e9; ;;=;"],
    ["SQL", "coffer_session=' OR 1=1 --"],
    ["without end", `coffer_session=${"a".repeat(5000)}`],
  ];
  it("is found among other cookies, and in none that is like it", async (coffer) => {
    const statusOf = (cookie: string) => coffer.client().status("GET", "/v0/drives", { headers: { cookie } });
    const among = `theme=dark; x_coffer_session=no;${coffer.ada.cookie};other="a=b"`;
    expect(await statusOf(among)).toBe(200);
    for (const [name, cookie] of NONE) expect([name, await statusOf(cookie)]).toEqual([name, 401]);
  });

  it("gives way to a key, also to one that is none, and has none in the log", async (coffer) => {
    const { keys, drives, ada } = coffer;
    const as = (authorization: string) => ada.send("GET", "/v0/drives", { headers: { authorization } });
    expect(dataOf(await as(`Bearer ${keys.agent}`))).toMatchObject([{ id: drives.agent }]);
    expectRefused(await as(`Bearer ${keys.liar}`), "UNAUTHORIZED");
    // What a reverse proxy in front may ask for is no key.
    const basic = await as(`Basic ${btoa("x:y")}`);
    expect(dataOf(basic)).toMatchObject([{ id: drives.ada }]);
    const line = coffer.lines.find((text) => text.includes(basic.headers.get("x-request-id") ?? "none"));
    expect(JSON.parse(line ?? "")).toMatchObject({ route: "/v0/drives", status: 200, key_id: null });
    // Programs send no Origin, and a key needs none.
    const made = { body: { name: "x" }, headers: { cookie: ada.cookie } };
    expect(await coffer.client(keys.ada).status("POST", "/v0/drives", made)).toBe(201);
  });
});

describe("unsafe methods with a session", () => {
  const DRIVE = "https://drive.example";
  const EVIL = "https://evil.example";
  /** What a page sends by what it is, of those that may write and of those that may not; `{url}` is the server's. */
  type Pages = Readonly<Record<"may" | "mayNot", Readonly<Record<string, Record<string, string>>>>>;
  const UNCONFIGURED: Pages = {
    may: {
      "our origin": { origin: "{url}" },
      "our origin behind TLS": { origin: "https://{host}" },
      "our origin, where a proxy names the port that need not be": {
        origin: DRIVE,
        host: "drive.example:443",
      },
      "no Origin, and the browser says same-origin": { "sec-fetch-site": "same-origin" },
    },
    mayNot: {
      "the same name at another port": { origin: "http://drive.example", host: "drive.example:443" },
      "a Host that is none": { origin: "http://a b", host: "a b" },
      nothing: {},
      "another site": { origin: EVIL },
      "an opaque origin": { origin: "null" },
      "an empty origin": { origin: "" },
      "another port": { origin: "http://127.0.0.1:1" },
      "our origin as the start of another": { origin: "{url}.evil.example" },
      "our origin as its user": { origin: "{url}@evil.example" },
      "two origins": { origin: `{url} ${EVIL}` },
      "another site, whatever else is said": { origin: EVIL, "sec-fetch-site": "same-origin" },
      "same-site": { "sec-fetch-site": "same-site" },
      "cross-site": { "sec-fetch-site": "cross-site" },
      "typed in": { "sec-fetch-site": "none" },
      "a referrer": { referer: "{url}/" },
    },
  };
  const CONFIGURED: Pages = {
    may: { "the configured origin": { origin: DRIVE } },
    mayNot: {
      "the address it was sent to": { origin: "{url}" },
      "the configured one without TLS": { origin: "http://drive.example" },
      "another port": { origin: `${DRIVE}:444` },
      "another host": { origin: "https://x.drive.example" },
    },
  };
  test.each([
    ["without a base URL", {}, UNCONFIGURED],
    ["with a base URL", { "base-url": DRIVE }, CONFIGURED],
  ])("%s", async (_, settings, { may, mayNot }) => {
    await using coffer = await startWithAda(settings);
    const { cookie } = await signIn(coffer, "ada");
    const { url } = coffer.appliance;
    for (const [name, page] of Object.entries({ ...may, ...mayNot })) {
      const headers: Record<string, string> = { cookie };
      for (const [header, value] of Object.entries(page))
        headers[header] = fill(value, { url, host: new URL(url).host });
      const answer = await coffer.client().send("POST", "/v0/drives", { body: { name: "Notes" }, headers });
      expect([name, answer.status]).toEqual([name, name in may ? 201 : 403]);
      expectCommonRules("POST", answer);
      // Reading is free, but not for a page of another origin.
      const isForeign = name in mayNot && "origin" in headers;
      const read = await coffer.client().status("GET", "/v0/drives", { headers });
      expect([name, read]).toEqual([name, isForeign ? 401 : 200]);
    }
    for (const method of ["PUT", "PATCH", "DELETE", "OPTIONS"])
      expect([method, await coffer.client().status(method, "/v0/drives/x", { headers: { cookie } })]).toEqual(
        [method, 403],
      );
  });
});

describe("a session's life", () => {
  test("is 30 days after its last use, which is noted once an hour", async () => {
    await using coffer = await startWithAda({ "sweep-interval": "10ms" });
    const ada = await signIn(coffer, "ada");
    const idle = await signIn(coffer, "ada");
    const { sessions } = coffer.appliance.services;
    const use = async () => {
      const { status } = await ada.send("GET", "/v0/drives");
      await sessions.flushUse();
      return status;
    };
    const caller = sessions.authenticate(ada.token);
    if (caller === null) throw new Error("not signed in");
    const lastUsed = () => sessions.list(caller)[0]?.lastUsedAt;
    const start = coffer.clock.now();
    coffer.clock.advance(HOUR_MS - 1);
    expect([await use(), lastUsed()]).toEqual([200, start]);
    coffer.clock.advance(1);
    expect([await use(), lastUsed()]).toEqual([200, start + HOUR_MS]);
    coffer.clock.advance(30 * DAY_MS - HOUR_MS - 1);
    expect(await idle.status("GET", "/v0/account")).toBe(200);
    await sessions.flushUse();
    coffer.clock.advance(1);
    expect(await use()).toBe(200);
    coffer.clock.advance(30 * DAY_MS - 1);
    expect(await areSignedIn(ada, idle)).toEqual([true, false]);
    await sessions.flushUse();
    await sessions.removeExpired();
    expect(sessions.list(caller)).toHaveLength(1);
    coffer.clock.advance(30 * DAY_MS);
    expect(await use()).toBe(401);
  });

  it("ends when the password is set anew", async (coffer) => {
    const { ada, bob } = coffer;
    await coffer.appliance.services.users.resetPassword("ada", "another password");
    expect(await areSignedIn(ada, bob)).toEqual([false, true]);
    expect(await coffer.client(coffer.keys.ada).status("GET", "/v0/drives")).toBe(200);
    await signIn(coffer, "ada", "another password");
    expect(signIn(coffer, "ada")).rejects.toThrow("401");
  });
});

it("an upload whose caller is disabled, or its key revoked, on its way ends with nothing", async (coffer) => {
  const { clients, drives, keyIds } = coffer;
  const session = coffer.ada;
  const uploads: [Client, drive: string][] = [
    ...[clients.ada, clients.adaDrive, session].map((ada): [Client, string] => [ada, drives.ada]),
    [clients.bob, drives.bob],
    [clients.agent, drives.agent],
  ];
  const begun = await Promise.all(
    uploads.map(([client, drive]) => holdUpload(client, `/v0/files?drive_id=${drive}&path=held`)),
  );
  changeDatabase(coffer.dataDir, "UPDATE user SET disabled_at = 1 WHERE username = 'ada'");
  await clients.bob.delete(`/v0/keys/${keyIds.bob}`);
  const answers = await Promise.all(begun.map(({ complete }) => complete()));
  expect(answers.map(({ status }) => status)).toEqual([401, 401, 401, 401, 201]);
});

async function sessionsOf(browser: Client): Promise<{ id: string }[]> {
  return (await browser.get<{ data: { id: string }[] }>("/v0/sessions")).data;
}

it("a user's sessions are listed with the one that asks, and end one by one, or all at once", async (coffer) => {
  const { ada: one, bob } = coffer;
  const [two, three] = await signInAll(coffer, "ada", "ada");
  const others = [{ current: false }, { current: false }, { current: false }];
  const mine = { current: true, user_agent: expect.stringContaining("Bun") };
  expect(await sessionsOf(two)).toMatchObject(others.with(1, mine));
  // Whatever cookie it comes with, a key is no session.
  const withCookie = { headers: { cookie: two.cookie } };
  expect(dataOf(await coffer.clients.ada.send("GET", "/v0/sessions", withCookie))).toMatchObject(others);
  const foreign = { headers: { origin: "https://evil.example" } };
  expectRefused(await two.send("DELETE", "/v0/sessions", foreign), "FORBIDDEN");
  const id = (await sessionsOf(two))[0]?.id;
  expectRefused(await bob.send("DELETE", `/v0/sessions/${id}`), "NOT_FOUND");
  expectRefused(await two.send("DELETE", "/v0/sessions/x"), "NOT_FOUND");
  expect(dataOf(await two.send("DELETE", `/v0/sessions/${id}`))).toEqual({ id, deleted: true });
  expectRefused(await two.send("DELETE", `/v0/sessions/${id}`), "NOT_FOUND");
  expect(await areSignedIn(one, two, three, bob)).toEqual([false, true, true, true]);
  // The one that asks included; keys and others go on.
  expect(dataOf(await two.send("DELETE", "/v0/sessions"))).toEqual({ deleted_count: 2 });
  expect(await areSignedIn(two, three, bob)).toEqual([false, false, true]);
  await coffer.clients.ada.get("/v0/account");
});
