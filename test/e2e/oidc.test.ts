import { afterEach, beforeEach, describe, expect, test } from "bun:test";
import { NOWHERE } from "../support/samples/origin.ts";
import { startAppliance, type TestAppliance } from "../support/server/appliance.ts";
import { CookieJar } from "../support/server/cookie-jar.ts";
import { EvilProvider, type Misdeeds } from "../support/peers/evil-provider.ts";
import { freePort, serve } from "../support/server/executable.ts";
import { runHere } from "../support/server/run-here.ts";
import { CLIENT, providerSettings, signInThere, startRealProvider } from "../support/peers/real-provider.ts";

const START = "/auth/oidc/start";
const CALLBACK = "/auth/oidc/callback";

/** What `GET /v0/account` says to this browser; null where nobody is signed in. */
async function account(who = jar, at = base): Promise<Record<string, unknown> | null> {
  const response = await who.fetch(`${at}/v0/account`);
  if (response.status === 401) return null;
  const { data }: { data: Record<string, unknown> } = JSON.parse(await response.text());
  return data;
}

let opened = new AsyncDisposableStack();
afterEach(async () => {
  await opened.disposeAsync();
  opened = new AsyncDisposableStack();
});

/** What each test has of its own: a Coffer beside a provider, and a browser. */
let coffer: TestAppliance;
let base: string;
let jar: CookieJar;
let evil: EvilProvider;

function openUnderPath(): Promise<void> {
  const port = String(freePort());
  return openWithReal({ port, "base-url": `http://127.0.0.1:${port}/coffer` });
}

async function openWithReal(more: Record<string, string> = {}): Promise<void> {
  const provider = opened.use(await startRealProvider());
  await openAt(provider.issuer, more);
  provider.open(base + CALLBACK);
}

async function openAt(issuer: string, more: Record<string, string> = {}): Promise<void> {
  const client = { "oidc-client-id": CLIENT.id, "oidc-client-secret": CLIENT.secret };
  coffer = opened.use(await startAppliance({ "oidc-issuer": issuer, ...client, ...more }));
  base = coffer.appliance.baseUrl;
  jar = new CookieJar();
}

/** Begins a sign-in without a browser. */
function begin(): Promise<Response> {
  return fetch(`${base}${START}`, { redirect: "manual" });
}

/** The way to the provider and through its pages; where it sends back to. */
function arrive(login = "sub-ada", who = jar, start = START): Promise<URL> {
  return signInThere(who, base + start, login);
}

/** The whole way, back to where the sign-in was to end. */
async function signedInAs(login: string): Promise<CookieJar> {
  const who = new CookieJar();
  const response = await who.fetch(await arrive(login, who));
  expect([response.status, await response.text()]).toEqual([303, ""]);
  return who;
}

describe("with a certified provider", () => {
  beforeEach(() => openWithReal());

  test("people sign in on its pages, and keep their accounts by issuer and subject; only whom the configuration lists is an administrator", async () => {
    await openWithReal({ admins: "sub-mail" });
    const ada = await account(await signedInAs("sub-ada"));
    expect(ada).toMatchObject({
      username: "ada",
      plan: "free",
      admin: false,
      email: "ada@example.com",
      display_name: "Ada Lovelace",
    });
    const again = await account(await signedInAs("sub-ada"));
    expect(again).toEqual(ada);
    // The same e-mail and the same wish for a name make another account.
    const other = await account(await signedInAs("sub-other-ada"));
    expect(other).toMatchObject({ username: "ada-2", plan: "free", email: "ada@example.com" });
    expect(other?.["id"]).not.toBe(ada?.["id"]);
    const grace = await signedInAs("sub-mail");
    expect(await account(grace)).toMatchObject({ username: "grace-hopper", admin: true, plan: "team" });
    expect((await grace.fetch(`${base}/v0/users`)).status).toBe(200);
    expect(await account(await signedInAs("sub-nameless"))).toMatchObject({ username: "user", email: null });
    expect(coffer.appliance.services.users.all()).toHaveLength(4);
    // None of the others has become an administrator by coming first.
    expect(coffer.appliance.setupLink).toMatch(/\/auth\/setup\?token=/);
  });

  test("a local account of the same name is nobody's but its own", async () => {
    const local = await coffer.appliance.services.users.createFromShell("ada", "ada's password");
    const signed = await account(await signedInAs("sub-ada"));
    expect(signed).toMatchObject({ username: "ada-2", plan: "free" });
    expect(signed?.["id"]).not.toBe(local.id);
  });

  test("an authorization asks for what it must, with S256 alone, and for the server's own address, whatever the Host", async () => {
    await openWithReal({ "trusted-proxies": "127.0.0.1" });
    const response = await jar.fetch(`${base}${START}`, {
      headers: { host: "evil.example", "x-forwarded-host": "evil.example", "x-forwarded-proto": "https" },
    });
    expect(response.status).toBe(303);
    const { searchParams } = new URL(response.headers.get("location") ?? "");
    expect(Object.fromEntries(searchParams)).toMatchObject({
      client_id: CLIENT.id,
      response_type: "code",
      redirect_uri: base + CALLBACK,
      code_challenge_method: "S256",
      code_challenge: expect.stringMatching(/^[\w-]{43}$/),
      state: expect.stringMatching(/^[\w-]{43}$/),
      nonce: expect.stringMatching(/^[\w-]{43}$/),
    });
    const [cookie = ""] = response.headers.getSetCookie();
    const name = `coffer_sign_in_${searchParams.get("state")}=`;
    expect(cookie).toStartWith(name);
    expect(cookie.slice(name.length)).toMatch(/^[\w-]{43}; Path=\/; Max-Age=600; HttpOnly; SameSite=Lax$/);
  });

  test("the session is a new one, the old one is ended, and the flow's cookie is taken away", async () => {
    jar = await signedInAs("sub-ada");
    const old = `coffer_session=${jar.value("coffer_session")}`;
    const response = await jar.fetch(await arrive());
    expect(await account()).not.toBeNull();
    expect((await fetch(`${base}/v0/account`, { headers: { cookie: old } })).status).toBe(401);
    const cookies = response.headers.getSetCookie();
    expect(cookies).toEqual([
      expect.stringMatching(/^coffer_session=[\w-]{43}; Path=\/; Max-Age=\d+; HttpOnly; SameSite=Lax$/),
      expect.stringMatching(/^coffer_sign_in_[\w-]{43}=; Path=\/; Max-Age=0; /),
    ]);
    expect(response.headers.get("location")).toBe("/");
  });

  test("a used callback signs nobody in, nor does its code in another browser", async () => {
    const back = await arrive();
    const ticket = jar.header(back);
    expect((await jar.fetch(back)).status).toBe(303);
    // The same address once more, also with the cookie that it came with.
    for (const cookie of ["", ticket]) {
      const response = await fetch(back, { redirect: "manual", headers: { cookie } });
      expect([response.status, response.headers.getSetCookie()]).toEqual([400, []]);
    }
    // The used code under another browser's own state.
    const other = new CookieJar();
    const theirs = await arrive("sub-mail", other);
    theirs.searchParams.set("code", back.searchParams.get("code") ?? "");
    expect((await other.fetch(theirs)).status).toBe(401);
    expect(await account(other)).toBeNull();
  });

  test("a code that was never used signs nobody in, in a browser that did not ask for it", async () => {
    // The attacker's own code, as a link for the victim: no flow, then a flow of the victim's own.
    const theirs = await arrive("sub-other-ada", new CookieJar());
    const victim = new CookieJar();
    expect((await victim.fetch(theirs)).status).toBe(400);
    await victim.fetch(`${base}${START}`);
    expect((await victim.fetch(theirs)).status).toBe(400);
    // With the victim's state, PKCE is in the way.
    const own = new URL((await victim.fetch(`${base}${START}`)).headers.get("location") ?? "");
    theirs.searchParams.set("state", own.searchParams.get("state") ?? "");
    expect((await victim.fetch(theirs)).status).toBe(401);
    expect(await account(victim)).toBeNull();
    expect(coffer.appliance.services.users.all()).toEqual([]);
  });

  type Alter = (query: URLSearchParams, callback: URL) => unknown;

  const CALLBACKS: Readonly<Record<string, Alter>> = {
    "two states": (query) => query.append("state", "x"),
    "no code": (query) => query.delete("code"),
    "another code": (query) => query.set("code", "x".repeat(43)),
    "two codes": (query) => query.append("code", "x"),
    "another issuer": (query) => query.set("iss", "https://evil.example"),
    "no issuer, where the provider says that it names itself": (query) => query.delete("iss"),
    "a refusal": (query) => [query.delete("code"), query.set("error", "access_denied")],
  };
  test("a callback with anything else in it signs nobody in, and uses the flow up", async () => {
    for (const [name, alter] of Object.entries(CALLBACKS)) {
      jar = new CookieJar();
      const back = await arrive();
      const altered = new URL(back);
      alter(altered.searchParams, altered);
      const response = await jar.fetch(altered);
      expect([name, response.status]).toEqual([name, name === "a refusal" ? 403 : 401]);
      expect(response.headers.get("x-request-id")).toMatch(/./);
      expect([name, await account()]).toEqual([name, null]);
      expect([name, (await jar.fetch(back)).status]).toEqual([name, 400]);
    }
    expect(coffer.appliance.services.users.all()).toEqual([]);
  });

  const FOREIGN_STATES: Readonly<Record<string, Alter>> = {
    "no state": (query) => query.delete("state"),
    "another state": (query) => query.set("state", "x".repeat(43)),
    "another state before its own": (_, callback) =>
      (callback.search = `?state=x&${callback.search.slice(1)}`),
    "an empty state": (query) => query.set("state", ""),
    "a state that is no name of a cookie": (query) => query.set("state", "a b;\r\n="),
    nothing: (_, callback) => (callback.search = ""),
  };
  test("a callback with a state that is not the browser's signs nobody in, and ends no sign-in", async () => {
    const back = await arrive();
    for (const [name, alter] of Object.entries(FOREIGN_STATES)) {
      const altered = new URL(back);
      alter(altered.searchParams, altered);
      const response = await jar.fetch(altered, { headers: { accept: "text/html" } });
      expect([name, response.status, response.headers.getSetCookie()]).toEqual([name, 303, []]);
      expect([name, response.headers.get("location")]).toEqual([
        name,
        expect.stringContaining("/?sign_in=expired&"),
      ]);
      expect([name, (await jar.fetch(altered)).status, await account()]).toEqual([name, 400, null]);
    }
    expect(coffer.appliance.services.users.all()).toEqual([]);
    expect((await jar.fetch(back)).status).toBe(303);
    expect(await account()).toMatchObject({ username: "ada" });
  });

  test("two tabs that sign in at once both end signed in, whichever is the first", async () => {
    const starts = ["/claim/one", "/claim/two"].map((path) => `${START}?return_to=${path}`);
    for (const order of [
      [0, 1],
      [1, 0],
    ]) {
      jar = new CookieJar();
      const backs: URL[] = [];
      for (const start of starts) backs.push(await arrive("sub-ada", jar, start));
      for (const tab of order) {
        const response = await jar.fetch(backs[tab] ?? "");
        expect([response.status, response.headers.get("location")]).toEqual([
          303,
          ["/claim/one", "/claim/two"][tab] ?? "",
        ]);
        expect(await account()).toMatchObject({ username: "ada" });
      }
      // Neither callback works again, and nothing of the two is left in the browser.
      for (const back of backs) expect((await jar.fetch(back)).status).toBe(400);
      expect(jar.header(new URL(base))).toMatch(/^coffer_session=[\w-]{43}$/);
    }
  });

  test("two tabs that begin before either answer has brought a cookie do not replace each other's sign-in", async () => {
    const begun = await Promise.all([jar.fetch(base + START), jar.fetch(base + START)]);
    for (const response of begun) {
      const back = await signInThere(jar, response.headers.get("location") ?? "", "sub-ada");
      expect((await jar.fetch(back)).status).toBe(303);
      expect(await account()).toMatchObject({ username: "ada" });
    }
  });

  test("one tab's state is no use to another's code", async () => {
    const [one, two] = [await arrive(), await arrive()];
    const mixed = new URL(one);
    mixed.searchParams.set("code", two.searchParams.get("code") ?? "");
    expect((await jar.fetch(mixed)).status).toBe(401);
    expect(await account()).toBeNull();
  });

  test("of more than eight sign-ins in one browser the oldest are ended", async () => {
    const states: string[] = [];
    for (let n = 0; n < 10; n += 1) {
      const { headers } = await jar.fetch(base + START);
      states.push(new URL(headers.get("location") ?? "").searchParams.get("state") ?? "");
    }
    const names = jar
      .header(new URL(base))
      .split("; ")
      .map((cookie) => cookie.split("=", 1)[0]);
    expect(names).toEqual(states.slice(2).map((state) => `coffer_sign_in_${state}`));
  });

  test("a sign-in may take ten minutes", async () => {
    for (const [ms, status] of [
      [10 * 60 * 1000 - 1, 303],
      [10 * 60 * 1000, 400],
    ] as const) {
      jar = new CookieJar();
      const back = await arrive();
      coffer.clock.advance(ms);
      expect([ms, (await jar.fetch(back)).status]).toEqual([ms, status]);
    }
  });

  const RETURNS: [returnTo: string, location: string][] = [
    ["/claim/clm_123?x=1#y", "/claim/clm_123?x=1#y"],
    ["/", "/"],
    ["/a b/\u00e9", "/a%20b/%C3%A9"],
    ["", "/"],
    ["claim", "/"],
    ["https://evil.example/", "/"],
    ["//evil.example", "/"],
    ["///evil.example", "/"],
    ["/\\evil.example", "/"],
    ["\\/evil.example", "/"],
    ["/x\\..\\..\\evil.example", "/"],
    ["/\t/evil.example", "/"],
    ["/\n/evil.example", "/"],
    ["\t//evil.example", "/"],
    [" //evil.example", "/"],
    ["/..//evil.example", "/"],
    ["/./\u0000", "/"],
    ["javascript:alert(1)", "/"],
    ["/x\r\nset-cookie: a=b", "/"],
    ["/%2f/evil.example", "/%2f/evil.example"],
    ["/@evil.example", "/@evil.example"],
    ["/auth/../..//evil.example/..", "/"],
    [`/${"x".repeat(2047)}`, `/${"x".repeat(2047)}`],
    [`/${"x".repeat(2048)}`, "/"],
  ];
  test("ends where it was to end, if that is a path of ours", async () => {
    for (const [returnTo, location] of RETURNS) {
      const start = `${START}?return_to=${encodeURIComponent(returnTo)}`;
      const response = await jar.fetch(await arrive("sub-ada", jar, start));
      expect([returnTo, response.status, response.headers.get("location")]).toEqual([
        returnTo,
        303,
        location,
      ]);
    }
  });
});

test("under a path of its host a sign-in comes back there, and to nothing beside it", async () => {
  await openUnderPath();
  for (const [returnTo, location] of [
    ["/coffer/claim/x?y=1#z", "/coffer/claim/x?y=1#z"],
    ["/claim/x", "/coffer/claim/x"],
    ["/coffer", "/coffer/"],
    ["/other", "/coffer/other"],
    ["/cofferx", "/coffer/cofferx"],
    ["/coffer/../other", "/coffer/other"],
    ["/coffer/%2e%2e//evil.example", "/coffer/"],
    ["/coffer//evil.example", "/coffer//evil.example"],
    ["//evil.example/coffer/", "/coffer/"],
  ] as const) {
    const start = `${START}?return_to=${encodeURIComponent(returnTo)}`;
    const back = await arrive("sub-ada", jar, start);
    expect(back.pathname).toBe(`/coffer${CALLBACK}`);
    const response = await jar.fetch(back);
    expect([returnTo, response.headers.get("location")]).toEqual([returnTo, location]);
    for (const cookie of response.headers.getSetCookie()) expect(cookie).toContain("; Path=/coffer; ");
  }
  expect(await account()).toMatchObject({ username: "ada" });
  const ended = await new CookieJar().fetch(`${base}${CALLBACK}?state=x`, {
    headers: { accept: "text/html" },
  });
  expect(ended.headers.get("location")).toStartWith("/coffer/?sign_in=expired&");
});

/** A sign-in for which the provider's own page is left out; the answer to its callback. */
async function attempt(who = new CookieJar()): Promise<Response> {
  const response = await who.fetch(`${base}${START}`);
  const asked = new URL(response.headers.get("location") ?? "").searchParams;
  evil.nonce = asked.get("nonce") ?? "";
  const back = new URL(base + CALLBACK);
  const said = { code: "code", state: asked.get("state") ?? "", iss: evil.issuer };
  back.search = new URLSearchParams(said).toString();
  return who.fetch(back);
}

describe("with a provider that lies", () => {
  beforeEach(async () => {
    evil = opened.use(await EvilProvider.start());
    await openAt(evil.issuer);
  });

  const LIES: [name: string, misdeeds: Misdeeds][] = [
    ["no ID token", { idToken: null }],
    ["an ID token that is none", { idToken: "a.b.c" }],
    ["another nonce", { claims: { nonce: "another" } }],
    ["no nonce", { claims: { nonce: undefined } }],
    ["another audience", { claims: { aud: "another client" } }],
    ["another party authorised", { claims: { aud: [CLIENT.id, "x"], azp: "x" } }],
    ["no audience", { claims: { aud: undefined } }],
    ["another issuer", { claims: { iss: "https://evil.example" } }],
    ["no subject", { claims: { sub: undefined } }],
    ["an expired token", { claims: { exp: 1000 } }],
    ["a token without end", { claims: { exp: undefined } }],
    ["a token of the future", { claims: { nbf: 9_999_999_999 } }],
    ["alg none", { sign: "none" }],
    ["alg none with a signature", { header: { alg: "none" } }],
    ["alg None", { sign: "none", header: { alg: "None" } }],
    ["HMAC with the client's secret", { sign: "clientSecret" }],
    ["a key that is not published", { sign: "unpublished" }],
    ["a signature that is none", { sign: "broken" }],
    ["a critical extension", { header: { crit: ["x"], x: 1 } }],
    ["what is known about somebody else", { userInfo: { sub: "somebody else" } }],
    ["a subject that is no text", { claims: { sub: "\ud800" }, userInfo: { sub: "\ud800" } }],
    ["a token without JSON around it", { tokenAnswer: "LeakedAccessToken" }],
    ["a token in half of it", { tokenAnswer: '{"access_token": LeakedAccessToken}' }],
    ["an ID token that is no JSON", { idToken: `${btoa("LeakedAccessToken")}.e30.x` }],
    ["an answer without end", { tokenAnswer: `{"x": "${"x".repeat(1024 * 1024)}"}` }],
  ];

  test("nobody is signed in by it, but by the truth", async () => {
    for (const [name, misdeeds] of LIES) {
      evil.misdeeds = misdeeds;
      jar = new CookieJar();
      const response = await attempt(jar);
      expect([name, response.status]).toEqual([name, 401]);
      const { error }: { error: { code: string } } = JSON.parse(await response.text());
      expect([name, error.code]).toEqual([name, "UNAUTHORIZED"]);
      expect([name, jar.value("coffer_session")]).toEqual([name, null]);
    }
    expect(coffer.appliance.services.users.all()).toEqual([]);
    evil.misdeeds = {};
    expect((await attempt(jar)).status).toBe(303);
    expect(await account()).toMatchObject({ username: "mallory" });
    for (const trade of evil.trades) expect(trade.get("code_verifier")).toMatch(/^[\w-]{43}$/);
    // Neither what was sent nor what came back is in the log.
    const log = coffer.lines.join("\n");
    expect(log).toContain("sign-in refused");
    for (const secret of [
      CLIENT.secret,
      "an access token",
      "LeakedAccessToken",
      "code_verifier",
      ...evil.trades.map((trade) => trade.get("code_verifier") ?? ""),
    ])
      expect(log).not.toContain(secret);
  });

  test("the same subject of another issuer is somebody else", async () => {
    await using another = await EvilProvider.start();
    expect((await attempt()).status).toBe(303);
    const { users, signIn } = coffer.appliance.services;
    const identity = { subject: "mallory", names: [], email: null, displayName: null };
    const browser = { origin: NOWHERE, previous: null };
    const mallory = users.all()[0];
    const same = await signIn.withIdentity({ ...identity, issuer: evil.issuer }, browser);
    const other = await signIn.withIdentity({ ...identity, issuer: another.issuer }, browser);
    expect(users.all()).toHaveLength(2);
    expect([same.caller.userPk === mallory?.pk, other.caller.userPk === mallory?.pk]).toEqual([true, false]);
  });

  test("names that nobody could have are not taken over", async () => {
    evil.misdeeds = {
      userInfo: {
        sub: "mallory",
        preferred_username: ["x"],
        nickname: "\u0000",
        name: "\ud800",
        email: "x".repeat(10_000),
      },
    };
    expect((await attempt()).status).toBe(303);
    expect(coffer.appliance.services.users.all()).toMatchObject([
      { username: "user", email: null, displayName: null },
    ]);
  });

  test.each([
    ["says it is somebody else", { issuer: "https://evil.example" }, "the sign-in provider does not answer"],
    [
      "goes on about itself for more than 1 MiB",
      { more: "x".repeat(1024 * 1024) },
      "the response has more than 1048576 bytes",
    ],
  ])("one that %s is not used; once it says the truth, it is", async (_, lie, said) => {
    evil.misdeeds = { metadata: lie };
    const refused = await begin();
    expect([refused.status, refused.headers.getSetCookie()]).toEqual([500, []]);
    expect(coffer.lines.some((line) => line.includes(said))).toBe(true);
    evil.misdeeds = {};
    expect((await begin()).status).toBe(303);
  });

  test("one client begins no more than sixty sign-ins in ten minutes", async () => {
    const answers = await Promise.all(Array.from({ length: 61 }, () => begin()));
    expect(answers.filter(({ status }) => status === 303)).toHaveLength(60);
    const refused = answers.find(({ status }) => status === 429);
    expect(refused?.headers.get("retry-after")).toBe("600");
    coffer.clock.advance(600_000);
    expect((await begin()).status).toBe(303);
  });
});

test("the server starts while the provider is away, and uses it once it is there", async () => {
  await using provider = await startRealProvider();
  await openAt(provider.issuer);
  expect([(await begin()).status, (await begin()).status]).toEqual([500, 500]);
  provider.open(base + CALLBACK);
  expect((await begin()).status).toBe(303);
});

test("the executable signs people in, on the configured address alone", async () => {
  await using provider = await startRealProvider();
  await using server = await serve({ env: providerSettings(provider) });
  const configured = `http://localhost:${server.port}`;
  provider.open(configured + CALLBACK);
  jar = new CookieJar();
  const back = await signInThere(jar, `${server.url}${START}?return_to=/claim/x`, "sub-ada");
  // Asked at 127.0.0.1, it sends to the configured name.
  expect(back.origin).toBe(configured);
  const response = await jar.fetch(server.url + back.pathname + back.search);
  expect([response.status, response.headers.get("location")]).toEqual([303, "/claim/x"]);
  expect(await account(jar, server.url)).toMatchObject({ username: "ada", plan: "free" });
  const { stdout } = await runHere(["user", "list"], server.dataDir);
  expect(stdout).toMatch(/^ada +free +\S+ +ada@example\.com$/m);
  // Until there is an administrator, and the provider's first is none.
  expect(await server.stderr.until(/\/auth\/setup\?token=/)).not.toBeNull();
  for (const secret of [
    jar.value("coffer_session") ?? "?",
    back.searchParams.get("code") ?? "?",
    CLIENT.secret,
  ]) {
    expect(server.stdout.text).not.toContain(secret);
  }
});
