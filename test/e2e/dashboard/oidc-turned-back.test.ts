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

let provider: EvilProvider;
let coffer: TestAppliance;
beforeAll(async () => {
  provider = await EvilProvider.start();
  coffer = await start(provider.issuer);
});
afterAll(async () => {
  await coffer[Symbol.asyncDispose]();
  await provider[Symbol.asyncDispose]();
});

function start(issuer: string): Promise<TestAppliance> {
  return startAppliance({
    "oidc-issuer": issuer,
    "oidc-client-id": CLIENT.id,
    "oidc-client-secret": CLIENT.secret,
  });
}

/** Begins a sign-in; what the provider is to send back, with `more` in it. */
async function begin(jar: CookieJar, more: Readonly<Record<string, string>> = {}): Promise<URL> {
  const base = coffer.appliance.baseUrl;
  const begun = await jar.fetch(base + START, { headers: PAGE });
  const asked = new URL(begun.headers.get("location") ?? "").searchParams;
  provider.nonce = asked.get("nonce") ?? "";
  const back = new URL(base + CALLBACK);
  const said = { state: asked.get("state") ?? "", iss: provider.issuer, ...more };
  back.search = new URLSearchParams(said).toString();
  return back;
}

/**
 * The answer must send to `path` with `outcome`, and the log must say why under the request's id. It must take away the
 * cookies of as many sign-ins as `ended` says.
 */
function expectTurnedBack(
  response: Response,
  path: string,
  outcome: string,
  reason: RegExp,
  ended = 1,
): void {
  expect(response.status).toBe(303);
  const request = response.headers.get("x-request-id") ?? "";
  const query = `sign_in=${outcome}&request=${request}`;
  expect(response.headers.get("location")).toBe(path + (path.includes("?") ? "&" : "?") + query);
  expect(response.headers.get("cache-control")).toBe("no-store");
  expect(response.headers.getSetCookie()).toEqual(
    Array.from({ length: ended }, () =>
      expect.stringMatching(/^coffer_sign_in_[\w-]{43}=; Path=\/; Max-Age=0; HttpOnly; SameSite=Lax$/),
    ),
  );
  const told = coffer.lines.filter((line) => line.includes(request));
  expect(told.join("\n")).toMatch(reason);
}

interface Case {
  readonly name: string;
  /** What the provider says beside `state` and `iss`. */
  readonly said?: Readonly<Record<string, string>>;
  readonly given?: (back: URL, jar: CookieJar) => unknown;
  readonly after?: () => unknown;
  /** What a program gets. */
  readonly status: number;
  readonly to: readonly [path: string, outcome: string, reason: RegExp, ended?: number];
}

const sabotage = (statement: string) => changeDatabase(coffer.dataDir, statement);

const CASES: readonly Case[] = [
  {
    name: "the person would not",
    said: { error: "access_denied", error_description: "<script>marked()</script>" },
    status: 403,
    to: [CLAIM, "cancelled", /access_denied/],
  },
  {
    name: "the provider has trouble of its own",
    said: { error: "server_error", error_uri: "https://marked.example" },
    status: 403,
    to: [CLAIM, "failed", /server_error/],
  },
  {
    name: "the provider invents an error",
    said: { error: "//marked.example" },
    status: 403,
    to: [CLAIM, "failed", /did not sign you in/],
  },
  {
    name: "another state",
    said: { code: "code", state: "marked" },
    status: 400,
    to: ["/", "expired", /started in another browser/, 0],
  },
  {
    name: "nothing",
    given: (back) => void (back.search = ""),
    status: 400,
    to: ["/", "expired", /started in another browser/, 0],
  },
  {
    name: "a sign-in that nobody began here",
    said: { code: "code", return_to: "https://marked.example" },
    given: (_, jar) => jar.forget(),
    status: 400,
    to: ["/", "expired", /started in another browser/, 0],
  },
  {
    name: "a sign-in that was used",
    said: { code: "code" },
    given: async (back, jar) => {
      const cookie = jar.header(back);
      await fetch(back, { headers: { cookie }, redirect: "manual" });
    },
    status: 400,
    to: ["/", "expired", /already used/],
  },
  {
    name: "a sign-in that took too long",
    said: { code: "code" },
    given: () => coffer.clock.advance(10 * 60 * 1000),
    status: 400,
    to: ["/", "expired", /took too long/],
  },
  {
    name: "tokens that are none",
    said: { code: "code" },
    given: () => void (provider.misdeeds = { idToken: "a.b.c" }),
    after: () => void (provider.misdeeds = {}),
    status: 401,
    to: [CLAIM, "failed", /response was invalid/],
  },
  {
    name: "an account that is disabled",
    said: { code: "code" },
    given: () => sabotage("UPDATE user SET disabled_at = 1 WHERE username = 'mallory'"),
    after: () => sabotage("UPDATE user SET disabled_at = NULL"),
    status: 403,
    to: [CLAIM, "failed", /This account is disabled/],
  },
  {
    name: "a fault of ours",
    said: { code: "code" },
    given: () =>
      sabotage(
        "CREATE TRIGGER sabotage BEFORE INSERT ON session BEGIN SELECT RAISE(ABORT, 'sabotaged'); END",
      ),
    after: () => sabotage("DROP TRIGGER sabotage"),
    status: 500,
    to: [CLAIM, "failed", /"message":"request failed".*sabotaged/],
  },
];

describe("coming back from the provider without having signed in", () => {
  beforeAll(async () => {
    const jar = new CookieJar();
    const response = await jar.fetch(await begin(jar, { code: "code" }), { headers: PAGE });
    expect([response.status, response.headers.get("location")]).toEqual([303, CLAIM]);
  });

  for (const { name, said, given, after, status, to } of CASES) {
    /** What a new browser that comes back with these headers is answered. */
    const comeBack = async (headers?: Record<string, string>) => {
      const jar = new CookieJar();
      const back = await begin(jar, said);
      try {
        await given?.(back, jar);
        return { jar, response: await jar.fetch(back, headers === undefined ? {} : { headers }) };
      } finally {
        await after?.();
      }
    };
    test(`${name}: a person gets back to the page, a program gets JSON`, async () => {
      for (const headers of [PAGE, { accept: PAGE.accept }, { "sec-fetch-mode": "navigate" }]) {
        const { jar, response } = await comeBack(headers);
        expectTurnedBack(response, ...to);
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

  test("on the provider's own page, by its own link", async () => {
    await using real = await startRealProvider();
    await using own = await start(real.issuer);
    const base = own.appliance.baseUrl;
    real.open(base + CALLBACK);
    const jar = new CookieJar();
    const page = await jar.visit(base + START);
    const cancel = /href="([^"]*\/abort)"/.exec(page.text)?.[1] ?? "";
    const back = await jar.visit(new URL(cancel, page.url), {}, (next) => next.pathname !== CALLBACK);
    expect(back.url.searchParams.get("error")).toBe("access_denied");
    const response = await jar.fetch(back.url, { headers: PAGE });
    expect(response.headers.get("location")).toStartWith(`${CLAIM}&sign_in=cancelled&request=`);
  });
});

test("a sign-in that is begun again where one failed ends without a trace of that", async () => {
  await using real = await startRealProvider();
  await using own = await start(real.issuer);
  const base = own.appliance.baseUrl;
  real.open(base + CALLBACK);
  const jar = new CookieJar();
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
  test("the provider is away: a person gets back to the page, a program gets JSON", async () => {
    await using away = await EvilProvider.start();
    await using own = await start(away.issuer);
    await away[Symbol.asyncDispose]();
    const url = own.appliance.baseUrl + START;
    const response = await fetch(url, { headers: PAGE, redirect: "manual" });
    const request = response.headers.get("x-request-id") ?? "";
    expect([response.status, response.headers.get("location")]).toEqual([
      303,
      `${CLAIM}&sign_in=failed&request=${request}`,
    ]);
    const told = own.lines.filter((line) => line.includes(request)).join("\n");
    expect(told).toContain("the sign-in provider does not answer");
    expect((await fetch(url, { redirect: "manual" })).status).toBe(500);
  });

  test("the provider goes away meanwhile", async () => {
    await using away = await EvilProvider.start();
    await using own = await start(away.issuer);
    const base = own.appliance.baseUrl;
    const jar = new CookieJar();
    const begun = await jar.fetch(base + START, { headers: PAGE });
    const state = new URL(begun.headers.get("location") ?? "").searchParams.get("state") ?? "";
    await away[Symbol.asyncDispose]();
    const said = new URLSearchParams({ code: "code", state, iss: away.issuer }).toString();
    const response = await jar.fetch(`${base}${CALLBACK}?${said}`, { headers: PAGE });
    expect(response.headers.get("location")).toStartWith(`${CLAIM}&sign_in=failed&request=`);
  });

  test("too often", async () => {
    const url = coffer.appliance.baseUrl + START;
    const options = { headers: PAGE, redirect: "manual" } as const;
    const answers = await Promise.all(Array.from({ length: 61 }, () => fetch(url, options)));
    const turned = answers.find((answer) => answer.headers.get("location")?.startsWith(CLAIM));
    expect(turned?.headers.get("location")).toContain("sign_in=failed");
  });
});
