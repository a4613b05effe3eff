import { describe, expect, test } from "bun:test";
import { startWithAda } from "../../support/server/accounts.ts";
import { dataOf, expectRefused } from "../../support/server/answers.ts";
import { startAppliance, type TestAppliance } from "../../support/server/appliance.ts";
import { changeDatabase } from "../../support/faults/change-database.ts";
import type { Client } from "../../support/server/client.ts";
import { expectCommonRules, expectJson } from "../../support/server/scenario.ts";
import {
  areSignedIn,
  beginSession,
  browserWith,
  isSignedIn,
  type SignedInBrowser,
  signIn,
  signInAll,
} from "../../support/server/sign-in.ts";
import { startWorld } from "../../support/server/world.ts";
import { holdUpload } from "../../support/server/held-request.ts";

const HOUR_MS = 60 * 60 * 1000;
const DAY_MS = 24 * HOUR_MS;

/** Changes what no route changes yet. */
function disable(coffer: TestAppliance, username: string): void {
  changeDatabase(coffer.dataDir, `UPDATE user SET disabled_at = 1 WHERE username = '${username}'`);
}

describe("a session at /v0", () => {
  test("does what an account key does", async () => {
    await using coffer = await startWithAda();
    const ada = await signIn(coffer, "ada");
    const made = await ada.send("POST", "/v0/drives", { body: { name: "Notes" } });
    expect(dataOf(made, 201)).toMatchObject({ name: "Notes" });
    const { id } = JSON.parse(made.text).data;
    expect(await ada.status("PUT", `/v0/files?drive_id=${id}&path=a.txt`, { body: "hello" })).toBe(201);
    const { key } = await ada.makeKey();
    const drives = await coffer.client(key).get<unknown>("/v0/drives");
    expectJson((await ada.send("GET", "/v0/drives")).text, drives);
    expect(await ada.status("DELETE", `/v0/drives/${id}`)).toBe(200);
  });

  test("is no key, and a key is no session", async () => {
    await using coffer = await startWithAda();
    const ada = await signIn(coffer, "ada");
    const { secret } = await coffer.appliance.services.apiKeys.createFor("ada", "", "read-write");
    expect(await coffer.client(ada.token).status("GET", "/v0/drives")).toBe(401);
    expect(await browserWith(coffer, secret).status("GET", "/v0/drives")).toBe(401);
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
  test.each(NONE)("%s is 401", async (_, cookie) => {
    await using coffer = await startAppliance();
    expectRefused(await coffer.client().send("GET", "/v0/drives", { headers: { cookie } }), "UNAUTHORIZED");
  });

  test("is found among other cookies", async () => {
    await using coffer = await startWithAda();
    const ada = await signIn(coffer, "ada");
    const headers = { cookie: `theme=dark; x_coffer_session=no;${ada.cookie};other="a=b"` };
    expect(await coffer.client().status("GET", "/v0/drives", { headers })).toBe(200);
  });

  test("a key wins over it, also one that is none", async () => {
    await using coffer = await startWorld();
    const { keys, drives } = coffer;
    const ada = await signIn(coffer, "ada");
    const as = (authorization: string) => ada.send("GET", "/v0/drives", { headers: { authorization } });
    expect(dataOf(await as(`Bearer ${keys.agent}`))).toMatchObject([{ id: drives.agent }]);
    expectRefused(await as(`Bearer ${keys.liar}`), "UNAUTHORIZED");
    // What a reverse proxy in front may ask for is no key.
    expect(dataOf(await as(`Basic ${btoa("x:y")}`))).toMatchObject([{ id: drives.ada }]);
    // Programs send no Origin, and a key needs none.
    const made = { body: { name: "x" }, headers: { cookie: ada.cookie } };
    expect(await coffer.client(keys.ada).status("POST", "/v0/drives", made)).toBe(201);
  });

  test("the log has no key for it", async () => {
    await using coffer = await startWithAda();
    const ada = await signIn(coffer, "ada");
    const { headers } = await ada.send("GET", "/v0/drives");
    const line = coffer.lines.find((text) => text.includes(headers.get("x-request-id") ?? "none"));
    expect(JSON.parse(line ?? "")).toMatchObject({ route: "/v0/drives", status: 200, key_id: null });
  });

  test("all of an account's count together, apart from its keys", async () => {
    await using coffer = await startWithAda({ "rate-limits": "free=5,pro=5,team=3" });
    const { secret } = await coffer.appliance.services.apiKeys.createFor("ada", "", "read-write");
    const [one, two] = await signInAll(coffer, "ada", "ada");
    const statuses: (number | string | null)[] = [];
    for (const browser of [one, two, one, two]) {
      const { status, headers } = await browser.send("GET", "/v0/drives");
      statuses.push(status, headers.get("x-ratelimit-remaining"));
    }
    expect(statuses).toEqual([200, "2", 200, "1", 200, "0", 429, "0"]);
    expect(await coffer.client(secret).status("GET", "/v0/drives")).toBe(200);
  });
});

describe("unsafe methods with a session", () => {
  type Sent = [name: string, headers: (url: string) => Record<string, string>, status: number];
  const UNCONFIGURED: Sent[] = [
    ["our origin", (url) => ({ origin: url }), 201],
    ["our origin behind TLS", (url) => ({ origin: url.replace("http:", "https:") }), 201],
    [
      "our origin, where a proxy names the port that goes without saying",
      () => ({ origin: "https://drive.example", host: "drive.example:443" }),
      201,
    ],
    [
      "the same name at another port",
      () => ({ origin: "http://drive.example", host: "drive.example:443" }),
      403,
    ],
    ["a Host that is none", () => ({ origin: "http://a b", host: "a b" }), 403],
    ["no Origin, and the browser says same-origin", () => ({ "sec-fetch-site": "same-origin" }), 201],
    ["nothing", () => ({}), 403],
    ["another site", () => ({ origin: "https://evil.example" }), 403],
    ["an opaque origin", () => ({ origin: "null" }), 403],
    ["an empty origin", () => ({ origin: "" }), 403],
    ["another port", () => ({ origin: "http://127.0.0.1:1" }), 403],
    ["our origin as the start of another", (url) => ({ origin: `${url}.evil.example` }), 403],
    ["our origin as its user", (url) => ({ origin: `${url}@evil.example` }), 403],
    ["two origins", (url) => ({ origin: `${url} https://evil.example` }), 403],
    [
      "another site, whatever else is said",
      () => ({ origin: "https://evil.example", "sec-fetch-site": "same-origin" }),
      403,
    ],
    ["same-site", () => ({ "sec-fetch-site": "same-site" }), 403],
    ["cross-site", () => ({ "sec-fetch-site": "cross-site" }), 403],
    ["typed in", () => ({ "sec-fetch-site": "none" }), 403],
    ["a referrer", (url) => ({ referer: `${url}/` }), 403],
  ];
  const CONFIGURED: Sent[] = [
    ["the configured origin", () => ({ origin: "https://drive.example" }), 201],
    ["the address it was sent to", (url) => ({ origin: url }), 403],
    ["the configured one without TLS", () => ({ origin: "http://drive.example" }), 403],
    ["another port", () => ({ origin: "https://drive.example:444" }), 403],
    ["another host", () => ({ origin: "https://x.drive.example" }), 403],
  ];
  const TABLES: [name: string, settings: Record<string, string>, cases: Sent[]][] = [
    ["without a base URL", {}, UNCONFIGURED],
    ["with a base URL", { "base-url": "https://drive.example" }, CONFIGURED],
  ];
  for (const [table, settings, cases] of TABLES) {
    test(table, async () => {
      await using coffer = await startWithAda(settings);
      const { cookie } = await signIn(coffer, "ada");
      for (const [name, headers, status] of cases) {
        const sent = { body: { name: "Notes" }, headers: { cookie, ...headers(coffer.appliance.url) } };
        const answer = await coffer.client().send("POST", "/v0/drives", sent);
        expect([name, answer.status]).toEqual([name, status]);
        expectCommonRules("POST", answer);
        // Reading is free, but not for a page of another origin.
        const read = await coffer.client().send("GET", "/v0/drives", { headers: sent.headers });
        const isForeign = status === 403 && "origin" in sent.headers;
        expect([name, read.status]).toEqual([name, isForeign ? 401 : 200]);
      }
      for (const method of ["PUT", "PATCH", "DELETE", "OPTIONS"]) {
        const answer = await coffer.client().send(method, "/v0/drives/x", { headers: { cookie } });
        expect([method, answer.status]).toEqual([method, 403]);
      }
    });
  }
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

  test("outlives a restart", async () => {
    await using coffer = await startWithAda();
    const { token } = await signIn(coffer, "ada");
    await coffer.restart();
    expect(await browserWith(coffer, token).status("GET", "/v0/drives")).toBe(200);
  });

  test("ends when the password is set anew", async () => {
    await using coffer = await startWorld();
    const [ada, bob] = await signInAll(coffer, "ada", "bob");
    await coffer.appliance.services.users.resetPassword("ada", "another password");
    expect(await areSignedIn(ada, bob)).toEqual([false, true]);
    expect(await coffer.client(coffer.keys.ada).status("GET", "/v0/drives")).toBe(200);
    await signIn(coffer, "ada", "another password");
    expect(signIn(coffer, "ada")).rejects.toThrow("401");
  });

  test("a plan that is changed counts at once", async () => {
    await using coffer = await startWithAda({ "rate-limits": "free=7,pro=70,team=700" });
    const ada = await signIn(coffer, "ada");
    const limit = async () => (await ada.send("GET", "/v0/drives")).headers.get("x-ratelimit-limit");
    expect(await limit()).toBe("700");
    await coffer.appliance.services.users.setPlan("ada", "pro");
    expect(await limit()).toBe("70");
  });
});

test("nothing of a disabled user works: sessions, keys, keys of their drives, signing in", async () => {
  await using coffer = await startWorld();
  const { ada, adaReader, adaDrive, bob, agent } = coffer.clients;
  const signedIn = await signInAll(coffer, "ada", "bob");
  disable(coffer, "ada");
  const clients = [ada, adaReader, adaDrive, bob, agent];
  const statuses = await Promise.all(clients.map((client) => client.status("GET", "/v0/drives")));
  expect(statuses).toEqual([401, 401, 401, 200, 200]);
  expect(await areSignedIn(...signedIn)).toEqual([false, true]);
  expect(signIn(coffer, "ada")).rejects.toThrow("401");
});

test("an upload whose caller is disabled, or its key revoked, on its way ends with nothing", async () => {
  await using coffer = await startWorld();
  const { clients, drives, keyIds } = coffer;
  const session = beginSession(coffer, "ada").browser;
  const uploads: [Client, drive: string][] = [
    ...[clients.ada, clients.adaDrive, session].map((ada): [Client, string] => [ada, drives.ada]),
    [clients.bob, drives.bob],
    [clients.agent, drives.agent],
  ];
  const begun = await Promise.all(
    uploads.map(([client, drive]) => holdUpload(client, `/v0/files?drive_id=${drive}&path=held`)),
  );
  disable(coffer, "ada");
  await clients.bob.delete(`/v0/keys/${keyIds.bob}`);
  const answers = await Promise.all(begun.map(({ complete }) => complete()));
  expect(answers.map(({ status }) => status)).toEqual([401, 401, 401, 401, 201]);
});

interface ListedSession {
  readonly id: string;
  readonly current: boolean;
  readonly user_agent: string;
}

async function sessionsOf(browser: SignedInBrowser): Promise<ListedSession[]> {
  return (await browser.get<{ data: ListedSession[] }>("/v0/sessions")).data;
}

describe("a user's sessions", () => {
  test("are listed with the one that asks, and end one by one", async () => {
    await using coffer = await startWorld();
    const [one, two, bob] = await signInAll(coffer, "ada", "ada", "bob");
    expect(await sessionsOf(two)).toEqual([
      expect.objectContaining({ current: false }),
      expect.objectContaining({ current: true, user_agent: expect.stringContaining("Bun") }),
    ]);
    // Whatever cookie it comes with, a key is no session.
    const withCookie = { headers: { cookie: two.cookie } };
    expect(dataOf(await coffer.clients.ada.send("GET", "/v0/sessions", withCookie))).toMatchObject([
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
    expect(await areSignedIn(one, two, bob)).toEqual([false, true, true]);
  });

  test("all end at once, the one that asks included; keys and others go on", async () => {
    await using coffer = await startWorld();
    const [one, two, bob] = await signInAll(coffer, "ada", "ada", "bob");
    expect(dataOf(await one.send("DELETE", "/v0/sessions"))).toEqual({ deleted_count: 2 });
    expect(await areSignedIn(one, two, bob)).toEqual([false, false, true]);
    await coffer.clients.ada.get("/v0/account");
  });

  test("do not end for another site's page", async () => {
    await using coffer = await startWorld();
    const ada = await signIn(coffer, "ada");
    const foreign = { headers: { origin: "https://evil.example" } };
    expectRefused(await ada.send("DELETE", "/v0/sessions", foreign), "FORBIDDEN");
    expect(await isSignedIn(ada)).toBe(true);
  });
});
