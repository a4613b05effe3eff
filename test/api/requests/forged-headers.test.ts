import { describe, expect, test } from "bun:test";
import { RawClient } from "../../http/raw-client.ts";
import { startWithAda } from "../../support/server/accounts.ts";
import { startAppliance, type TestAppliance } from "../../support/server/appliance.ts";
import { expectCommonRules, openStage, provision } from "../../support/server/scenario.ts";
import { signIn } from "../../support/server/sign-in.ts";

interface Received {
  readonly status: number;
  readonly headers: ReadonlyMap<string, string>;
  readonly body: unknown;
}

/** Sends a request with exactly these lines in its head, which may repeat headers or leave out the Host. */
async function ask(
  { appliance }: TestAppliance,
  [method, target, version = "1.1"]: readonly [method: string, target: string, version?: string],
  lines: readonly string[],
  body: object = {},
): Promise<Received> {
  const client = await RawClient.to(Number(new URL(appliance.url).port));
  const text = JSON.stringify(body);
  const head = [
    `${method} ${target} HTTP/${version}`,
    ...lines,
    "Connection: close",
    `Content-Length: ${text.length}`,
  ];
  await client.write(Buffer.from(`${head.join("\r\n")}\r\n\r\n${text}`, "latin1"));
  const answer = await client.response();
  client.close();
  return answer;
}

const HOST = "Host: 127.0.0.1:2633";

/** Names under which proxies send the client's address. */
const ADDRESS_HEADERS = [
  "X-Forwarded-For",
  "X-Forwarded_For",
  "Forwarded",
  "X-Real-IP",
  "X-Client-IP",
  "True-Client-IP",
  "CF-Connecting-IP",
  "X-Original-Forwarded-For",
  "X-ProxyUser-Ip",
];

const address = (n: number) => `198.51.100.${n}`;

/** How many of the requests that nobody may send are left, after each of these. */
async function remaining(coffer: TestAppliance, heads: readonly (readonly string[])[]): Promise<number[]> {
  const left: number[] = [];
  for (const lines of heads) {
    const { headers } = await ask(coffer, ["GET", "/v0/drives"], [HOST, ...lines]);
    left.push(Number(headers.get("x-ratelimit-remaining")));
  }
  return left;
}

function countdown(count: number): number[] {
  return Array.from({ length: count }, (_, n) => 99 - n);
}

describe("nobody makes themselves another client by what they send", () => {
  const limits = { "rate-limits": "free=100" };

  test("without a proxy no header counts", async () => {
    await using coffer = await startAppliance(limits);
    const heads = ADDRESS_HEADERS.flatMap((name, n) => [
      [`${name}: ${address(n)}`],
      [`${name}: for=${address(n)}`],
      [`${name}: ${address(n)}`, `${name}: ${address(n + 100)}`],
    ]);
    expect(await remaining(coffer, heads)).toEqual(countdown(heads.length));
  });

  test("behind a proxy only what it added counts, and no other header", async () => {
    await using coffer = await startAppliance({ ...limits, "trusted-proxies": "127.0.0.1, 10.0.0.0/8" });
    const real = "192.0.2.1";
    const heads = [
      [real],
      ...Array.from({ length: 5 }, (_, n) => [`${address(n)}, ${real}`]),
      [address(9), real],
      [`${address(10)}, ${real}, 10.0.0.1`],
      [`10.0.0.7, ${real}`],
      [`127.0.0.1, ${real}`],
      [`::1, ${real}`],
      [`nonsense, ${real}`],
      [`, ,, ${real}`],
      [`${address(11)};${real}, ${real}`],
      [`\t${real}\t`],
      [`::ffff:${real}`],
      ["::ffff:c000:201"],
    ].map((values) => values.map((value) => `X-Forwarded-For: ${value}`));
    const others = ADDRESS_HEADERS.filter((name) => name !== "X-Forwarded-For").map((name, n) => [
      `${name}: ${address(n)}`,
      `X-Forwarded-For: ${real}`,
    ]);
    const all = [...heads, ...others];
    expect(await remaining(coffer, all)).toEqual(countdown(all.length));
  });

  test("wrong passwords are counted by the same address", async () => {
    await using coffer = await startAppliance();
    const statuses: number[] = [];
    for (let n = 0; n <= 50; n++) {
      const login = { username: `nobody-${n}`, password: "wrong" };
      const lines = [HOST, ...ADDRESS_HEADERS.map((name) => `${name}: ${address(n)}`)];
      statuses.push((await ask(coffer, ["POST", "/auth/login"], lines, login)).status);
    }
    expect(statuses).toEqual([...Array<number>(50).fill(401), 429]);
  });
});

describe("a page is of our origin by nothing but the Host that its browser sent", () => {
  const evil = "http://evil.example";
  const own = "http://drive.example";
  const FOREIGN: readonly (readonly [name: string, lines: readonly string[]])[] = [
    ["X-Forwarded-Host", ["Host: drive.example", `Origin: ${evil}`, "X-Forwarded-Host: evil.example"]],
    ["Forwarded", ["Host: drive.example", `Origin: ${evil}`, "Forwarded: host=evil.example"]],
    [
      "X-Host",
      ["Host: drive.example", `Origin: ${evil}`, "X-Host: evil.example", "X-Original-Host: evil.example"],
    ],
    ["two Hosts", ["Host: drive.example", "Host: evil.example", `Origin: ${evil}`]],
    ["two Hosts, the other way round", ["Host: evil.example", "Host: drive.example", `Origin: ${evil}`]],
    ["a user in the Host", ["Host: drive.example@evil.example", `Origin: ${own}`]],
    ["a user in the origin", ["Host: drive.example", `Origin: ${own}@evil.example`]],
    ["a dot behind the Host", ["Host: drive.example.", `Origin: ${own}`]],
    ["a port of the Host", ["Host: drive.example:81", `Origin: ${own}`]],
    ["two origins", ["Host: drive.example", `Origin: ${own}`, `Origin: ${evil}`]],
    ["two origins, the other way round", ["Host: drive.example", `Origin: ${evil}`, `Origin: ${own}`]],
    ["an IPv6 address and an IPv4 address", ["Host: [::1]", "Origin: http://127.0.0.1"]],
  ];

  test.each([{}, { "trusted-proxies": "127.0.0.1" }])("with %j", async (settings) => {
    await using coffer = await startWithAda(settings);
    const { cookie } = await signIn(coffer, "ada");
    const login = { username: "ada", password: "ada's password" };
    for (const [name, lines] of FOREIGN) {
      const withSession = [...lines, `Cookie: ${cookie}`];
      const made = await ask(coffer, ["POST", "/v0/drives"], withSession, { name: "planted" });
      const signedIn = await ask(coffer, ["POST", "/auth/login"], lines, login);
      expect([name, made.status, signedIn.status]).toEqual([name, 403, 403]);
    }
  });

  test("an absolute target, which names the host in the place of the Host header", async () => {
    await using coffer = await startWithAda();
    const { cookie } = await signIn(coffer, "ada");
    const lines = ["Host: drive.example", `Origin: ${evil}`, `Cookie: ${cookie}`];
    const made = await ask(coffer, ["POST", `${evil}/v0/drives`], lines, { name: "planted" });
    expect(made.status).toBe(403);
  });
});

const PROVISION = "/v0/drives/provision";
const ODD: readonly (readonly [name: string, lines: readonly string[], target?: string, version?: string])[] =
  [
    ["two Hosts", ["Host: a.example", "Host: b.example"]],
    ["a Host that is a list", ["Host: a.example, b.example"]],
    ["a Host with a user", ["Host: user@a.example"]],
    ["a Host with a path", ["Host: a.example/x"]],
    ["a Host with a space", ["Host: a b"]],
    ["a Host beyond ASCII", ["Host: \u00e9.example"]],
    ["a Host with a port that is none", ["Host: a.example:99999"]],
    ["an empty Host", ["Host: "]],
    ["HTTP/1.0 without a Host", [], PROVISION, "1.0"],
    ["an absolute target and an odd Host", ["Host: a b"], `http://evil.example${PROVISION}`],
  ];

test.each(ODD)(
  "%s gets links to localhost, and no error",
  async (_, lines, target = PROVISION, version = "1.1") => {
    await using coffer = await startAppliance();
    const { port } = new URL(coffer.appliance.url);
    const made = await ask(coffer, ["POST", target, version], lines, { name: "x" });
    expect([made.status, made.body]).toMatchObject([
      201,
      { data: { claim_url: expect.stringMatching(new RegExp(`^http://localhost:${port}/claim/clm_`)) } },
    ]);
  },
);

test("with a configured address no Host, target or proxy changes a link or a cookie", async () => {
  const configured = "https://drive.test";
  await using coffer = await startWithAda({ "base-url": configured, "trusted-proxies": "127.0.0.1" });
  const heads = [
    ["Host: evil.example"],
    ["Host: a.example", "Host: b.example"],
    ["Host: evil.example", "X-Forwarded-Host: evil.example", "X-Forwarded-Proto: http"],
    ["Host: x", "X-Forwarded-Proto: http", "X-Forwarded-Proto: https"],
    ["Host: user@evil.example:99999"],
    ["Host: [::1"],
    ["Host: "],
  ];
  for (const lines of heads) {
    for (const target of ["/v0/drives/provision", "http://evil.example/v0/drives/provision"]) {
      const { status, body } = await ask(coffer, ["POST", target], lines, { name: "x" });
      expect([lines, status, body]).toMatchObject([
        lines,
        201,
        { data: { claim_url: expect.stringMatching(/^https:\/\/drive\.test\/claim\/clm_[0-9a-f]+$/) } },
      ]);
    }
    const login = { username: "ada", password: "ada's password" };
    const { headers } = await ask(coffer, ["POST", "/auth/login"], lines, login);
    expect([lines, headers.get("set-cookie")]).toEqual([lines, expect.stringMatching(/; Secure/)]);
    expect(headers.get("set-cookie")).not.toContain("Domain");
  }
});

describe("the Authorization header", () => {
  const stage = openStage();
  const REFUSED: readonly (readonly [name: string, lines: (key: string) => readonly string[]])[] = [
    ["a key cut short", (key) => [`Authorization: Bearer ${key.slice(0, -1)}`]],
    ["a key with more", (key) => [`Authorization: Bearer ${key}0`]],
    ["the key's start", (key) => [`Authorization: Bearer ${key.slice(0, 12)}`]],
    ["upper case", (key) => [`Authorization: Bearer ${key.toUpperCase()}`]],
    ["the key's hash", (key) => [`Authorization: Bearer ${Bun.SHA256.hash(key, "hex")}`]],
    ["SQL", () => ["Authorization: Bearer ' OR 1=1 --"]],
    ["twice, the second one wrong", (key) => [`Authorization: Bearer ${key}`, "Authorization: Bearer none"]],
    ["twice, the first one wrong", (key) => ["Authorization: Bearer none", `Authorization: Bearer ${key}`]],
    ["twice the same", (key) => [`Authorization: Bearer ${key}`, `Authorization: Bearer ${key}`]],
    ["without a key", () => ["Authorization: Bearer"]],
    ["with spaces alone", () => ["Authorization: Bearer     "]],
    ["with a space that does not break", (key) => [`Authorization: Bearer\u00a0${key}`]],
    ["in quotation marks", (key) => [`Authorization: Bearer "${key}"`]],
    ["with a parameter", (key) => [`Authorization: Bearer ${key};x=y`]],
    ["of another scheme", (key) => [`Authorization: Token ${key}`]],
    ["of the scheme's start", (key) => [`Authorization: Bear ${key}`]],
    ["of two schemes", (key) => [`Authorization: Basic Bearer ${key}`]],
    ["very long", (key) => [`Authorization: Bearer ${key}${"0".repeat(8000)}`]],
    ["for a proxy", (key) => [`Proxy-Authorization: Bearer ${key}`]],
    ["with an underscore in a like name", (key) => [`X_Authorization: Bearer ${key}`, `X-Api-Key: ${key}`]],
    ["as a cookie", (key) => [`Cookie: coffer_session=${key}; authorization=Bearer ${key}`]],
  ];
  test.each(REFUSED)("%s: 401", async (_, lines) => {
    const { key } = await provision(stage.coffer);
    const answer = await ask(stage.coffer, ["GET", "/v0/drives"], [HOST, ...lines(key)]);
    expect(answer).toMatchObject({ status: 401, body: { error: { code: "UNAUTHORIZED" } } });
    expect(answer.headers.get("www-authenticate")).toBe("Bearer");
    const { status, headers, body } = answer;
    expectCommonRules("GET", { status, headers: new Headers([...headers]), text: JSON.stringify(body) });
  });

  test("a key in the query, a form or the body lets nobody in", async () => {
    const { key, id } = await provision(stage.coffer);
    for (const name of ["api_key", "access_token", "key", "token", "authorization"]) {
      const body = { [name]: key, drive_id: id, path: "planted/" };
      const target = `/v0/folders?${name}=${key}&drive_id=${id}`;
      for (const type of ["application/json", "application/x-www-form-urlencoded"]) {
        const answer = await ask(stage.coffer, ["POST", target], [HOST, `Content-Type: ${type}`], body);
        expect([name, answer.status]).toEqual([name, 401]);
      }
    }
  });
});
