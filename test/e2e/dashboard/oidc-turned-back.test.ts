import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { startAppliance, type TestAppliance } from "../../support/server/appliance.ts";
import { changeDatabase } from "../../support/faults/change-database.ts";
import { CookieJar } from "../../support/server/cookie-jar.ts";
import { EvilProvider } from "../../support/peers/evil-provider.ts";
import { CLIENT, signInThere, startRealProvider } from "../../support/peers/real-provider.ts";

const CLAIM = "/claim/clm_0123?x=1";
const START = `/auth/oidc/start?return_to=${encodeURIComponent(CLAIM)}`;
const CALLBACK = "/auth/oidc/callback";

/** How a browser asks for a page. */
const PAGE = { accept: "text/html,application/xhtml+xml,*/*;q=0.8", "sec-fetch-mode": "navigate" };

const closing = new AsyncDisposableStack();
afterAll(() => closing.disposeAsync());
const provider = closing.use(await EvilProvider.start());
const coffer = closing.use(await start(provider.issuer));

function start(issuer: string): Promise<TestAppliance> {
  return startAppliance({
    "oidc-issuer": issuer,
    "oidc-client-id": CLIENT.id,
    "oidc-client-secret": CLIENT.secret,
  });
}

/** Begins a sign-in; what the provider is to send back, with `said` in it. */
async function begin(jar: CookieJar, said: string): Promise<URL> {
  const base = coffer.appliance.baseUrl;
  const begun = await jar.fetch(base + START, { headers: PAGE });
  const asked = new URL(begun.headers.get("location") ?? "").searchParams;
  provider.nonce = asked.get("nonce") ?? "";
  const query = { state: asked.get("state") ?? "", iss: provider.issuer };
  const more = Object.fromEntries(new URLSearchParams(said));
  return new URL(`${base}${CALLBACK}?${new URLSearchParams({ ...query, ...more }).toString()}`);
}

const NOT_BEGUN = /started in another browser/;
/** What the provider says beside `state` and `iss`, the status that a program gets, what a person is told, and why. */
const CASES: readonly (readonly [name: string, said: string, status: number, told: string, log: RegExp])[] = [
  [
    "the person would not",
    "error=access_denied&error_description=marked()",
    403,
    "cancelled",
    /access_denied/,
  ],
  [
    "the provider has trouble",
    "error=server_error&error_uri=https://marked.example",
    403,
    "failed",
    /server_error/,
  ],
  ["the provider invents an error", "error=//marked.example", 403, "failed", /did not sign you in/],
  ["another state", "code=code&state=marked", 400, "expired", NOT_BEGUN],
  ["nothing", "", 400, "expired", NOT_BEGUN],
  ["a sign-in that nobody began", "code=code&return_to=https://marked.example", 400, "expired", NOT_BEGUN],
  ["a sign-in that was used", "code=code", 400, "expired", /already used/],
  ["a sign-in that took too long", "code=code", 400, "expired", /took too long/],
  ["tokens that are none", "code=code", 401, "failed", /response was invalid/],
  ["an account that is disabled", "code=code", 403, "failed", /This account is disabled/],
  ["a fault of ours", "code=code", 500, "failed", /"message":"request failed".*sabotaged/],
];

const sabotage = (statement: string) => changeDatabase(coffer.dataDir, statement);
const FAULT = "CREATE TRIGGER fault BEFORE INSERT ON session BEGIN SELECT RAISE(ABORT, 'sabotaged'); END";
type Given = (back: URL, jar: CookieJar) => unknown;
/** What else is so in a case, and how that is undone. */
const GIVEN: Readonly<Record<string, readonly [Given, undo?: () => void]>> = {
  nothing: [(back) => void (back.search = "")],
  "a sign-in that nobody began": [(_, jar) => jar.forget()],
  "a sign-in that was used": [
    (back, jar) => fetch(back, { headers: { cookie: jar.header(back) }, redirect: "manual" }),
  ],
  "a sign-in that took too long": [() => coffer.clock.advance(10 * 60 * 1000)],
  "tokens that are none": [
    () => void (provider.misdeeds = { idToken: "a.b.c" }),
    () => void (provider.misdeeds = {}),
  ],
  "an account that is disabled": [
    () => sabotage("UPDATE user SET disabled_at = 1 WHERE username = 'mallory'"),
    () => sabotage("UPDATE user SET disabled_at = NULL"),
  ],
  "a fault of ours": [() => sabotage(FAULT), () => sabotage("DROP TRIGGER fault")],
};

describe("coming back from the provider without having signed in", () => {
  beforeAll(async () => {
    const jar = new CookieJar();
    const response = await jar.fetch(await begin(jar, "code=code"), { headers: PAGE });
    expect([response.status, response.headers.get("location")]).toEqual([303, CLAIM]);
  });

  for (const [name, said, status, told, log] of CASES) {
    const [given, undo] = GIVEN[name] ?? [];
    /** What a new browser that comes back with these headers is answered. */
    const comeBack = async (headers: Record<string, string> = {}) => {
      const jar = new CookieJar();
      const back = await begin(jar, said);
      try {
        await given?.(back, jar);
        return { jar, response: await jar.fetch(back, { headers }) };
      } finally {
        undo?.();
      }
    };
    test(`${name}: a person gets back to the page, a program gets JSON`, async () => {
      for (const headers of [PAGE, { accept: PAGE.accept }, { "sec-fetch-mode": "navigate" }]) {
        const { jar, response } = await comeBack(headers);
        const request = response.headers.get("x-request-id") ?? "";
        const page = told === "expired" ? "/?" : `${CLAIM}&`;
        expect(response.status).toBe(303);
        expect(response.headers.get("location")).toBe(`${page}sign_in=${told}&request=${request}`);
        expect(response.headers.get("cache-control")).toBe("no-store");
        // The cookie of the sign-in, where there was one, is taken away.
        const ended = /^coffer_sign_in_[\w-]{43}=; Path=\/; Max-Age=0; HttpOnly; SameSite=Lax$/;
        expect(response.headers.getSetCookie()).toEqual(
          log === NOT_BEGUN ? [] : [expect.stringMatching(ended)],
        );
        expect(coffer.lines.filter((line) => line.includes(request)).join("\n")).toMatch(log);
        expect(await response.text()).toBe("");
        expect(JSON.stringify([...response.headers])).not.toContain("marked");
        expect(jar.value("coffer_session")).toBeNull();
      }
      const { response } = await comeBack();
      expect(response.status).toBe(status);
      expect(JSON.parse(await response.text())).toMatchObject({ error: { code: expect.any(String) } });
    });
  }

  test("what the provider says beside its error is nowhere in the log", () => {
    expect(coffer.lines.filter((line) => /marked\(\)|https:\/\/marked/.test(line))).toEqual([]);
  });
});

test("on a real provider's page, by its own link; a sign-in begun again ends without a trace of that", async () => {
  await using real = await startRealProvider();
  await using own = await start(real.issuer);
  const base = own.appliance.baseUrl;
  real.open(base + CALLBACK);
  const jar = new CookieJar();
  const page = await jar.visit(base + START);
  const cancel = /href="([^"]*\/abort)"/.exec(page.text)?.[1] ?? "";
  const back = await jar.visit(new URL(cancel, page.url), {}, (next) => next.pathname !== CALLBACK);
  expect(back.url.searchParams.get("error")).toBe("access_denied");
  const turned = await jar.fetch(back.url, { headers: PAGE });
  expect(turned.headers.get("location")).toStartWith(`${CLAIM}&sign_in=cancelled&request=`);
  for (const [from, to] of [
    ["/?sign_in=failed&request=1", "/"],
    ["/search?q=a&sign_in=expired&request=1#x", "/search?q=a#x"],
    ["/search?request=1", "/search?request=1"],
  ] as const) {
    const begun = `${base}/auth/oidc/start?return_to=${encodeURIComponent(from)}`;
    const response = await jar.fetch(await signInThere(jar, begun, "sub-ada"), { headers: PAGE });
    expect(response.headers.get("location")).toBe(to);
  }
});

describe("beginning where it cannot be begun", () => {
  test("the provider is away, or goes away meanwhile: a person gets back to the page, a program gets JSON", async () => {
    const away = await EvilProvider.start();
    await using own = await start(away.issuer);
    const base = own.appliance.baseUrl;
    const jar = new CookieJar();
    const begun = await jar.fetch(base + START, { headers: PAGE });
    const state = new URL(begun.headers.get("location") ?? "").searchParams.get("state") ?? "";
    await away[Symbol.asyncDispose]();
    const said = new URLSearchParams({ code: "code", state, iss: away.issuer }).toString();
    const back = await jar.fetch(`${base}${CALLBACK}?${said}`, { headers: PAGE });
    expect(back.headers.get("location")).toStartWith(`${CLAIM}&sign_in=failed&request=`);

    await using fresh = await start(away.issuer);
    const url = fresh.appliance.baseUrl + START;
    const response = await fetch(url, { headers: PAGE, redirect: "manual" });
    const request = response.headers.get("x-request-id") ?? "";
    expect([response.status, response.headers.get("location")]).toEqual([
      303,
      `${CLAIM}&sign_in=failed&request=${request}`,
    ]);
    const told = fresh.lines.filter((line) => line.includes(request)).join("\n");
    expect(told).toContain("the sign-in provider does not answer");
    expect((await fetch(url, { redirect: "manual" })).status).toBe(500);
  });

  test("too often", async () => {
    const url = coffer.appliance.baseUrl + START;
    const options = { headers: PAGE, redirect: "manual" } as const;
    const answers = await Promise.all(Array.from({ length: 61 }, () => fetch(url, options)));
    const turned = answers.find((answer) => answer.headers.get("location")?.startsWith(CLAIM));
    expect(turned?.headers.get("location")).toContain("sign_in=failed");
  });
});
