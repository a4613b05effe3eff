import { describe, expect, spyOn, test } from "bun:test";
import type { Identity } from "../../../src/domain/accounts/user.ts";
import { NOWHERE } from "../../support/samples/origin.ts";
import { PASSWORD_COST } from "../../../src/services/accounts/passwords.ts";
import { addAccount, startWithAda } from "../../support/server/accounts.ts";
import { startAppliance, type TestAppliance } from "../../support/server/appliance.ts";
import { changeDatabase } from "../../support/faults/change-database.ts";
import type { Answer, Json } from "../../support/server/client.ts";
import { expectNowhere } from "../../support/server/nowhere.ts";
import { eventually } from "../../support/server/scenario.ts";
import { type Code, STATUS_OF } from "../../support/server/steps.ts";
import { sessionIn, signIn } from "../../support/server/sign-in.ts";
import { tally } from "../../support/server/answers.ts";
import { testWith } from "../../support/server/test-with.ts";

const QUARTER_MS = 15 * 60 * 1000;

/** The answer must be this refusal, and begin no session; with so many seconds to wait, if they are given. */
function expectRefused(answer: Answer, code: Code, seconds?: number): void {
  const error = { code, message: expect.any(String), request_id: answer.headers.get("x-request-id") };
  expect([answer.status, JSON.parse(answer.text)]).toMatchObject([STATUS_OF[code], { error }]);
  expect(error.request_id).toMatch(/./);
  expect(sessionIn(answer)).toBeNull();
  if (seconds !== undefined) expect(answer.headers.get("retry-after")).toBe(String(seconds));
}

function post(coffer: TestAppliance, path: string, body: Json, headers: Record<string, string> = {}) {
  return coffer.client().send("POST", path, { body, headers });
}

function login(coffer: TestAppliance, password: string, as = "ada", headers: Record<string, string> = {}) {
  return post(coffer, "/auth/login", { username: as, password }, headers);
}

/** What signs Ada in from an address, or somebody else. */
function loginFrom(coffer: TestAppliance) {
  return (address: string, password: string, as?: string) =>
    login(coffer, password, as, { "x-forwarded-for": address });
}

const FIRST = { username: "ada", password: "ada's password" };
/** Sets up the first account, Ada's. */
function setUp(coffer: TestAppliance, token: string, more: Partial<typeof FIRST> = {}) {
  return post(coffer, "/auth/setup", { token, ...FIRST, ...more });
}

function signUp(coffer: TestAppliance, username: string, password = "long enough") {
  return post(coffer, "/auth/signup", { username, password });
}

const PROVIDER = {
  "oidc-issuer": "https://provider.example",
  "oidc-client-id": "coffer",
  "oidc-client-secret": "a secret",
};
const NOBODY = { origin: NOWHERE, previous: null };

function identity(subject: string, name: string): Identity {
  return { issuer: PROVIDER["oidc-issuer"], subject, names: [name], email: null, displayName: null };
}

/** Signs somebody in as a provider does. */
async function letIn(coffer: TestAppliance, subject: string, name: string): Promise<void> {
  await coffer.appliance.services.signIn.withIdentity(identity(subject, name), NOBODY);
}

function setupToken({ appliance }: TestAppliance): string {
  const { setupLink, baseUrl } = appliance;
  if (setupLink === null) throw new Error("there is no setup link");
  expect(setupLink).toStartWith(`${baseUrl}/auth/setup?token=`);
  return new URL(setupLink).searchParams.get("token") ?? "";
}

async function isValid(coffer: TestAppliance, token: string): Promise<boolean> {
  const path = `/auth/setup/check?token=${encodeURIComponent(token)}`;
  return (await coffer.client().get<{ valid: boolean }>(path)).valid;
}

/** Whose account an answer tells of. */
function accountIn({ text }: Answer): unknown {
  return JSON.parse(text).data;
}

const openEmpty = testWith(startAppliance);
const withProvider = testWith(() => startAppliance(PROVIDER));
const withAda = testWith(startWithAda);
const behindProxy = testWith(() => startWithAda({ "trusted-proxies": "127.0.0.1" }));

describe("the setup link", () => {
  openEmpty("makes an administrator's account, on the plan team, and signs in, once", async (coffer) => {
    const token = setupToken(coffer);
    for (const other of ["", "x", "0".repeat(43)]) {
      expect(await isValid(coffer, other)).toBe(false);
      expectRefused(await setUp(coffer, other), "NOT_FOUND");
    }
    expect(await coffer.client().get<unknown>("/auth/setup/check")).toEqual({ valid: false });
    for (const bad of [{ username: "A b" }, { password: "short" }])
      expectRefused(await setUp(coffer, token, bad), "VALIDATION_ERROR");
    expect(await isValid(coffer, token)).toBe(true);
    const answer = await setUp(coffer, token);
    expect(answer.status).toBe(200);
    expect(accountIn(answer)).toMatchObject({ username: "ada", plan: "team", admin: true, drive_count: 0 });
    const cookie = `coffer_session=${sessionIn(answer)}`;
    await coffer.client().json(200, "GET", "/v0/account", { headers: { cookie } });

    expect(await isValid(coffer, token)).toBe(false);
    expectRefused(await setUp(coffer, token, { username: "bob" }), "GONE");
    // Nor where there is no administrator again.
    changeDatabase(coffer.dataDir, "UPDATE user SET disabled_at = 1");
    expect(await isValid(coffer, token)).toBe(false);
    expectRefused(await setUp(coffer, token, { username: "bob" }), "NOT_FOUND");
    await expectNowhere(coffer, [token, sessionIn(answer) ?? "", FIRST.password]);
  });

  openEmpty("many at once make one account", async (coffer) => {
    const token = setupToken(coffer);
    const answers = await Promise.all(
      Array.from({ length: 5 }, (_, n) => setUp(coffer, token, { username: `user-${n}` })),
    );
    expect(tally(answers)).toEqual({ 200: 1, 410: 4 });
    expect(coffer.appliance.services.users.all()).toHaveLength(1);
  });

  test("beside other ways to an account, one account is the first", async () => {
    for (const reversed of [false, true]) {
      await using coffer = await startAppliance({ signups: "open" });
      const { users } = coffer.appliance.services;
      const token = setupToken(coffer);
      const ways = [
        () => setUp(coffer, token),
        () => users.createFromShell("bob", "bob's password"),
        () => signUp(coffer, "eve"),
      ];
      await Promise.all((reversed ? ways.toReversed() : ways).map((way) => way()));
      expect(users.all().filter(({ plan }) => plan === "team")).toHaveLength(1);
    }
  });

  withProvider("is good beside a provider until there is an administrator", async (coffer) => {
    const token = setupToken(coffer);
    await letIn(coffer, "1", "grace");
    expect(await isValid(coffer, token)).toBe(true);
    await coffer.restart();
    const ada = { username: "ada", admin: true, plan: "team" };
    expect(accountIn(await setUp(coffer, setupToken(coffer)))).toMatchObject(ada);
    expect(accountIn(await login(coffer, "ada's password"))).toMatchObject(ada);
    await coffer.restart();
    expect(coffer.appliance.setupLink).toBeNull();
  });

  openEmpty("is a new one at each start, until there is an administrator", async (coffer) => {
    const token = setupToken(coffer);
    await coffer.restart();
    const second = setupToken(coffer);
    expect([await isValid(coffer, token), await isValid(coffer, second)]).toEqual([false, true]);
    await coffer.appliance.services.users.createFromShell("ada", "ada's password");
    expect(await isValid(coffer, second)).toBe(false);
    expectRefused(await setUp(coffer, second), "GONE");
    await coffer.restart();
    expect(coffer.appliance.setupLink).toBeNull();
  });
});

/** What the accounts are, by username. */
function standings({ appliance }: TestAppliance): Record<string, unknown> {
  return Object.fromEntries(
    appliance.services.users.all().map(({ username, plan, admin }) => [username, { plan, admin }]),
  );
}

describe("administrators", () => {
  const team = { plan: "team", admin: "setup" };
  const listed = { plan: "team", admin: "listed" };
  const ordinary = { plan: "free", admin: null };

  withProvider("nobody is one for being the first that a provider lets in", async (coffer) => {
    const { users } = coffer.appliance.services;
    await letIn(coffer, "1", "mallory");
    expect(standings(coffer)).toEqual({ mallory: ordinary });
    // Nor by signing in once more, nor as the one with the lowest number once somebody is.
    await letIn(coffer, "1", "mallory");
    // The log says once what made the account: the subject that would have to be listed.
    expect(coffer.lines.filter((line) => line.includes('"subject":"1"'))).toHaveLength(1);
    await users.createFromShell("ada", "ada's password");
    await users.createFromShell("bob", "bob's password");
    expect(standings(coffer)).toEqual({ mallory: ordinary, ada: team, bob: ordinary });
    const ada = await signIn(coffer, "ada");
    expect(await ada.status("GET", "/v0/users")).toBe(200);
    await ada.send("POST", "/v0/users", { body: { username: "eve", password: "eve's password" } });
    expect(standings(coffer)).toMatchObject({ eve: ordinary });
  });

  test("whom the configuration lists is one, from the first sign-in on", async () => {
    await using coffer = await startAppliance({ ...PROVIDER, admins: "7, 1" });
    const { signIn: signIns } = coffer.appliance.services;
    await letIn(coffer, "2", "bob");
    await letIn(coffer, "1", "grace");
    // The same subject of another provider, and an account of that name, are others.
    await signIns.withIdentity({ ...identity("1", "eve"), issuer: "https://other.example" }, NOBODY);
    await letIn(coffer, "3", "7");
    expect(standings(coffer)).toEqual({ bob: ordinary, grace: listed, eve: ordinary, user: ordinary });
    await coffer.restart();
    expect(coffer.appliance.setupLink).toBeNull();
  });

  test("a start makes administrators of those who are listed now, and of nobody who was", async () => {
    await using coffer = await startAppliance({ ...PROVIDER, admins: "1" });
    const { users } = coffer.appliance.services;
    await users.createFromShell("ada", "ada's password");
    await letIn(coffer, "1", "grace");
    await letIn(coffer, "2", "bob");
    expect(standings(coffer)).toEqual({ ada: team, grace: listed, bob: ordinary });
    // The issuer is the same with the slash at its end and without.
    await coffer.restart({ admins: "2", "oidc-issuer": "https://provider.example/" });
    expect(standings(coffer)).toEqual({ ada: team, grace: { plan: "team", admin: null }, bob: listed });
    await coffer.restart({ admins: "9" });
    expect(standings(coffer)).toMatchObject({ ada: team, grace: { admin: null }, bob: { admin: null } });
  });
});

describe("signing in with a password", () => {
  withAda("answers with the account and begins a session", async (coffer) => {
    const answer = await login(coffer, "ada's password");
    expect(answer.status).toBe(200);
    const account = await coffer.client().json<unknown>(200, "GET", "/v0/account", {
      headers: { cookie: `coffer_session=${sessionIn(answer)}` },
    });
    expect(JSON.parse(answer.text)).toEqual(account);
    expect(answer.headers.get("cache-control")).toBe("no-store");
    expect(answer.headers.get("x-request-id")).toMatch(/./);
    const [cookie = ""] = answer.headers.getSetCookie();
    const attributes = [/; HttpOnly/, /; SameSite=Lax/, /; Path=\//, /; Max-Age=\d+/];
    for (const part of [/^coffer_session=[\w-]{43}; /, ...attributes]) expect(cookie).toMatch(part);
    expect(cookie).not.toMatch(/Secure|Domain/);
    // Over https alone where the base URL says so.
    await coffer.restart({ "base-url": "https://drive.example" });
    const [secure] = (await login(coffer, "ada's password")).headers.getSetCookie();
    expect(secure).toContain("; Secure");
  });

  withAda("every time makes a session of its own, never the one sent in", async (coffer) => {
    const one = await signIn(coffer, "ada");
    const chosen = "a".repeat(43);
    const tokens = [one.token, (await signIn(coffer, "ada")).token];
    for (const sent of [chosen, one.token]) {
      const cookie = `coffer_session=${sent}`;
      tokens.push(sessionIn(await login(coffer, "ada's password", "ada", { cookie })) ?? "");
    }
    expect(new Set([chosen, ...tokens]).size).toBe(5);
    const known = async (token: string) =>
      await coffer.client().status("GET", "/v0/drives", { headers: { cookie: `coffer_session=${token}` } });
    // The one that the browser had has ended.
    expect(await Promise.all([chosen, ...tokens].map(known))).toEqual([401, 401, 200, 200, 200]);
  });

  test("a wrong password, an unknown user and one without a password are the same work", async () => {
    await using coffer = await startAppliance({}, { passwordCost: PASSWORD_COST });
    const { users } = coffer.appliance.services;
    await users.createFromShell("ada", "ada's password");
    await letIn(coffer, "1", "grace");
    const checks = spyOn(Bun.password, "verify");
    try {
      for (const username of ["ada", "nobody", "grace"]) await login(coffer, "wrong password", username);
      const costs = checks.mock.calls.map(
        ([, hash]) => /^\$[^$]+\$[^$]+\$[^$]+/.exec(typeof hash === "string" ? hash : "")?.[0],
      );
      expect(costs).toEqual(Array.from({ length: 3 }, () => "$argon2id$v=19$m=65536,t=2,p=1"));
    } finally {
      checks.mockRestore();
    }
  });

  /** Nothing, what is no JSON, and what is no password or username. */
  const MALFORMED: Json[] = [
    "",
    "username=ada",
    { username: "ada" },
    { username: "ada", password: 1 },
    { username: ["ada"], password: "x" },
    { username: "ada", password: "x".repeat(1025) },
  ];
  withAda(
    "is refused if it is wrong, malformed, sent elsewhere, or by another site's page",
    async (coffer) => {
      const wrong: [string, as?: string][] = [["wrong password"], [""], ["ada's password", "nobody"]];
      const answers = await Promise.all(wrong.map((sent) => login(coffer, ...sent)));
      for (const answer of answers) expectRefused(answer, "UNAUTHORIZED");
      // An unknown user is not told from a wrong password.
      expect(new Set(answers.map(({ text }): unknown => JSON.parse(text).error.message)).size).toBe(1);
      for (const body of MALFORMED)
        expectRefused(await post(coffer, "/auth/login", body), "VALIDATION_ERROR");
      const answer = await coffer.client().send("GET", "/auth/login");
      expectRefused(answer, "METHOD_NOT_ALLOWED");
      expect(answer.headers.get("allow")).toBe("POST");
      for (const path of ["/auth", "/auth/oidc/start", "/auth/oidc/callback"])
        expectRefused(await coffer.client().send("GET", path), "NOT_FOUND");
      const origins = ["https://evil.example", "null"].map((origin) => ({ origin }));
      const sites = ["cross-site", "same-site"].map((site) => ({ "sec-fetch-site": site }));
      const foreign: Record<string, string>[] = [...origins, ...sites];
      for (const headers of foreign)
        expectRefused(await login(coffer, "ada's password", "ada", headers), "FORBIDDEN");
      const { url: origin } = coffer.appliance;
      expect((await login(coffer, "ada's password", "ada", { origin })).status).toBe(200);
    },
  );

  withAda("a password that was changed while it was verified signs nobody in", async (coffer) => {
    const { users } = coffer.appliance.services;
    // One hash at a time: the sign-in is verified first, and the change written before its session begins.
    const [answer] = await Promise.all([
      login(coffer, "ada's password"),
      users.resetPassword("ada", "another password"),
    ]);
    const token = sessionIn(answer);
    if (token !== null) {
      const headers = { cookie: `coffer_session=${token}` };
      await coffer.client().json(401, "GET", "/v0/drives", { headers });
    }
    expect((await login(coffer, "another password")).status).toBe(200);
  });
});

describe("guessing passwords", () => {
  withAda("ten wrong ones for an account, then none for a quarter of an hour", async (coffer) => {
    for (const username of ["ada", "nobody"]) {
      const guesses = Array.from({ length: 30 }, () => login(coffer, "wrong", username));
      expect(tally(await Promise.all(guesses))).toEqual({ 401: 10, 429: 20 });
      const answer = await login(coffer, username === "ada" ? "ada's password" : "wrong", username);
      expectRefused(answer, "RATE_LIMITED", 900);
    }
    expectRefused(await login(coffer, "ada's password", "ADA"), "RATE_LIMITED");
    coffer.clock.advance(QUARTER_MS);
    // Right ones do not count.
    for (let n = 0; n < 12; n += 1) expect((await login(coffer, "ada's password")).status).toBe(200);
  });

  behindProxy("one who guesses keeps nobody out; many slow strangers by half a minute", async (coffer) => {
    const from = loginFrom(coffer);
    for (let n = 0; n < 11; n += 1) await from("192.0.2.2", "wrong");
    expect((await from("192.0.2.3", "ada's password")).status).toBe(200);
    for (let n = 0; n < 40; n += 1)
      expectRefused(await from(`198.51.100.${n % 10}`, "wrong"), "UNAUTHORIZED");
    const stranger = await from("192.0.2.4", "ada's password");
    expectRefused(stranger, "RATE_LIMITED", 30);
    expect((await from("192.0.2.3", "ada's password")).status).toBe(200);
    coffer.clock.advance(30_000);
    expectRefused(await from("198.51.100.99", "wrong"), "UNAUTHORIZED");
    expect((await from("192.0.2.4", "ada's password")).headers.get("retry-after")).toBe("30");
    coffer.clock.advance(30_000);
    expect((await from("192.0.2.4", "ada's password")).status).toBe(200);
  });

  behindProxy("fifty from one address, whatever the accounts; another address may go on", async (coffer) => {
    for (let n = 0; n < 45; n += 1) addAccount(coffer, `user-${n}`);
    const from = loginFrom(coffer);
    const answers = Array.from({ length: 51 }, (_, n) => from("192.0.2.1", "wrong", `user-${n}`));
    expect(tally(await Promise.all(answers))).toEqual({ 401: 50, 429: 1 });
    expect((await from("192.0.2.2", "wrong", "user-51")).status).toBe(401);
  });
});

test("a flood of sign-ins is not borne with for longer than its connections would live", async () => {
  await using coffer = await startAppliance({ "trusted-proxies": "127.0.0.1" });
  const verify = spyOn(Bun.password, "verify");
  // As long as a hash takes to be made, so that the others wait.
  const made = Promise.withResolvers<boolean>();
  verify.mockReturnValue(made.promise);
  const answers: Promise<Answer>[] = [];
  try {
    const refused: Answer[] = [];
    for (let n = 0; n < 80; n += 1) {
      const answer = loginFrom(coffer)(`192.0.2.${n}`, "wrong", `user-${n}`);
      answers.push(answer);
      void answer.then((each) => refused.push(each));
    }
    await eventually(() => refused.length === 80 - 64);
    for (const answer of refused) expectRefused(answer, "RATE_LIMITED", 1);
  } finally {
    made.resolve(false);
    await Promise.all(answers);
    verify.mockRestore();
  }
  expect(tally(await Promise.all(answers))).toEqual({ 401: 64, 429: 16 });
  // It leaves nothing behind.
  addAccount(coffer, "ada");
  await signIn(coffer, "ada");
});

/** A server with its first account, on which people may register. */
const openToAll = testWith(async () => {
  const coffer = await startAppliance({ signups: "open" });
  addAccount(coffer, "operator");
  return coffer;
});

describe("registering", () => {
  openEmpty("is closed by default", async (coffer) => {
    expectRefused(await signUp(coffer, "ada"), "FORBIDDEN");
    expect(coffer.appliance.services.users.all()).toEqual([]);
  });

  test("never makes an administrator", async () => {
    await using coffer = await startAppliance({ signups: "open" });
    expectRefused(await signUp(coffer, "mallory"), "FORBIDDEN");
    expect(coffer.appliance.services.users.all()).toEqual([]);
    expect(accountIn(await setUp(coffer, setupToken(coffer)))).toMatchObject({ admin: true });
    expect(accountIn(await signUp(coffer, "mallory"))).toMatchObject({ admin: false, plan: "free" });
  });

  openToAll("where it is open, makes an account and signs in", async (coffer) => {
    for (const username of ["ada", "bob"])
      expect(accountIn(await signUp(coffer, username))).toMatchObject({
        username,
        plan: "free",
        admin: false,
      });
    expectRefused(await signUp(coffer, "ada"), "CONFLICT");
    await signIn(coffer, "bob", "long enough");
    expectRefused(await signUp(coffer, "al"), "VALIDATION_ERROR");
    expectRefused(await signUp(coffer, "carl", "short"), "VALIDATION_ERROR");
    await expectNowhere(coffer, ["long enough"]);
  });

  openToAll(
    "many at once under one name make one account, and twenty an hour are let try",
    async (coffer) => {
      const answers = await Promise.all(Array.from({ length: 5 }, () => signUp(coffer, "ada")));
      expect(tally(answers)).toEqual({ 200: 1, 409: 4 });
      for (let n = 5; n < 20; n += 1) expectRefused(await signUp(coffer, "ada", "short"), "VALIDATION_ERROR");
      expectRefused(await signUp(coffer, "ada", "short"), "RATE_LIMITED", 3600);
    },
  );
});

withAda("signing in ends with signing out, which says so to the browser", async (coffer) => {
  const ada = await signIn(coffer, "ada");
  const other = await signIn(coffer, "ada");
  const answer = await ada.send("POST", "/auth/logout");
  expect(answer.status).toBe(200);
  expect(answer.headers.getSetCookie()).toEqual([
    expect.stringMatching(/^coffer_session=; Path=\/; Max-Age=0;/),
  ]);
  expect(await ada.status("GET", "/v0/drives")).toBe(401);
  expect(await other.status("GET", "/v0/drives")).toBe(200);
  expect(await ada.status("POST", "/auth/logout")).toBe(200);
  expect(await coffer.client().status("POST", "/auth/logout")).toBe(200);
  const foreign = { headers: { origin: "https://evil.example" } };
  expectRefused(await other.send("POST", "/auth/logout", foreign), "FORBIDDEN");
  expect(await other.status("GET", "/v0/drives")).toBe(200);
});

const oidc = { ...PROVIDER, "oidc-issuer": "https://login.example:8443/realm" };
const OPTIONS: [name: string, settings: Record<string, string>, options: Record<string, Json>][] = [
  ["passwords alone", {}, { provider: null, signups: false }],
  ["registering", { signups: "open" }, { provider: null, signups: true }],
  ["a provider", oidc, { provider: { name: "login.example:8443" }, signups: false }],
];
test.each(OPTIONS)(
  "GET /auth/options tells of %s, and whether there is an account",
  async (_, settings, options) => {
    await using coffer = await startAppliance(settings);
    const get = () => coffer.client().get<unknown>("/auth/options");
    expect(await get()).toEqual({ ...options, setup: true, signups: false });
    addAccount(coffer, "ada");
    expect(await get()).toEqual({ setup: false, ...options });
  },
);
