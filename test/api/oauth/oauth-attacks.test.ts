import { beforeEach, describe, expect, test } from "bun:test";
import { REGISTERED_CLIENTS } from "../../../src/domain/oauth/oauth-client.ts";
import { REPEAT_LIFETIME_MS } from "../../../src/domain/oauth/oauth-token.ts";
import { startAppliance } from "../../support/server/appliance.ts";
import { changeDatabase, rowsIn } from "../../support/faults/change-database.ts";
import { addAccount } from "../../support/server/accounts.ts";
import type { Json } from "../../support/server/client.ts";
import {
  locationOf,
  newVerifier,
  oauthErrorIn,
  OAuthTestClient,
  REDIRECT_URI,
  tokensIn,
} from "../../support/peers/oauth.ts";
import { openStageNow } from "../../support/server/scenario.ts";
import { beginSession } from "../../support/server/sign-in.ts";
import { startTlsServer } from "../../support/peers/tls-server.ts";

const stage = await openStageNow();

const app = await OAuthTestClient.register(stage.coffer);
const ada = beginSession(stage.coffer, "ada").browser;

// Only so many may come from one address in a time.
beforeEach(() => stage.coffer.clock.advance(60 * 60 * 1000));

async function isIn(token: string, coffer = stage.coffer): Promise<boolean> {
  return (await coffer.client(token).status("GET", "/v0/drives")) === 200;
}

describe("a code", () => {
  test("that is used again ends what it gave", async () => {
    const code = await app.code(ada);
    const tokens = tokensIn(await app.exchange(code));
    expect(await isIn(tokens.access_token)).toBe(true);
    expect(oauthErrorIn(await app.exchange(code))).toEqual([400, "invalid_grant"]);
    expect(await isIn(tokens.access_token)).toBe(false);
    expect(oauthErrorIn(await app.refresh(tokens.refresh_token))).toEqual([400, "invalid_grant"]);
  });

  test("that is used twice at once gives nobody anything that stays", async () => {
    const code = await app.code(ada);
    const answers = await Promise.all([app.exchange(code), app.exchange(code)]);
    expect(answers.map(({ status }) => `${status}`).toSorted()).toEqual(["200", "400"]);
    for (const answer of answers.filter(({ status }) => status === 200))
      expect(await isIn(tokensIn(answer).access_token)).toBe(false);
  });

  const stolen: readonly (readonly [string, () => Promise<Record<string, string | undefined>>])[] = [
    ["without its verifier", async () => ({ code_verifier: undefined })],
    ["with another verifier", async () => ({ code_verifier: newVerifier().verifier })],
    ["with its challenge for a verifier", async () => ({ code_verifier: app.pkce.challenge })],
    ["by another client", async () => ({ client_id: (await OAuthTestClient.register(stage.coffer)).id })],
    ["by nobody", async () => ({ client_id: undefined })],
    ["for another redirect URI", async () => ({ redirect_uri: `${REDIRECT_URI}/` })],
    ["for a foreign resource", async () => ({ resource: "https://other.example/mcp" })],
    ["at another address of this server", async () => ({ host: "elsewhere.example" })],
  ];
  test.each(stolen)("is worth nothing %s", async (_, changesOf) => {
    const answer = await app.exchange(await app.code(ada), await changesOf());
    expect(answer.status).toBe(400);
  });
});

describe("a request", () => {
  const refused: readonly (readonly [string, Record<string, string | undefined>, string])[] = [
    ["without PKCE", { code_challenge: undefined, code_challenge_method: undefined }, "invalid_request"],
    ["with plain PKCE", { code_challenge_method: "plain" }, "invalid_request"],
    ["without a method, which means plain", { code_challenge_method: undefined }, "invalid_request"],
    ["with a malformed challenge", { code_challenge: "short" }, "invalid_request"],
    ["for a token at once", { response_type: "token" }, "unsupported_response_type"],
    ["for a foreign resource", { resource: "https://other.example/mcp" }, "invalid_target"],
    ["for a resource that begins like ours", { resource: "http://127.0.0.1/mcp" }, "invalid_target"],
    ["for scopes that there are not", { scope: "admin" }, "invalid_scope"],
  ];
  test.each(refused)("%s goes back with an error, its state and our name", async (_, changes, error) => {
    const { status, headers } = await app.ask(changes);
    const back = locationOf(headers);
    expect([status, back.origin + back.pathname]).toEqual([303, REDIRECT_URI]);
    expect(Object.fromEntries(back.searchParams)).toMatchObject({
      error,
      state: "a state",
      iss: stage.coffer.appliance.url,
    });
    expect(back.searchParams.has("code")).toBe(false);
  });

  test("that says something twice goes back", async () => {
    const query = `${app.parameters().toString()}&code_challenge=${newVerifier().challenge}`;
    const { headers } = await stage.coffer.client().send("GET", `/oauth/authorize?${query}`);
    expect(locationOf(headers).searchParams.get("error")).toBe("invalid_request");
  });

  const mixedUp = [
    "https://app.example/callback/",
    "https://app.example/callback?more=1",
    "https://app.example/callback/../evil",
    "https://app.example/callbackevil",
    "https://app.example:444/callback",
    "https://app.example.evil.example/callback",
    "https://app.example@evil.example/callback",
    "https://evil.example/https://app.example/callback",
    "http://app.example/callback",
    "HTTPS://app.example/callback",
    "https://APP.example/callback",
    "https://app.example/callback#",
    "https://app.example\\@evil.example/callback",
    "javascript:alert(1)",
  ];
  const clients = [
    "client_unknown",
    "http://app.example/client.json",
    "https://app.example",
    "https://[::1]/c",
  ];
  test.each([
    ...mixedUp.map((redirect_uri) => [{ redirect_uri }, "redirect"] as const),
    ...clients.map((client_id) => [{ client_id }, "client"] as const),
    [{ redirect_uri: "" }, "request"],
    [{ client_id: "" }, "request"],
  ])("with %j is shown to the person, and sent nowhere", async (changes, problem) => {
    const program = await app.ask(changes);
    expect([program.status, program.headers.get("location")]).toEqual([400, null]);
    const { status, headers } = await app.ask(changes, { accept: "text/html" });
    const page = locationOf(headers);
    expect([status, page.origin, page.pathname]).toEqual([303, stage.coffer.appliance.url, "/oauth/consent"]);
    expect(page.searchParams.get("problem")).toBe(problem);
  });

  test("to the same computer may name any port there, and no other host", async () => {
    const native = await OAuthTestClient.register(stage.coffer, {
      redirect_uris: ["http://127.0.0.1/callback", "http://localhost:1234/callback"],
    });
    const statusOf = async (uri: string) => (await native.ask({ redirect_uri: uri })).status;
    expect(await statusOf("http://127.0.0.1:50123/callback")).toBe(303);
    expect(await statusOf("http://localhost:1/callback")).toBe(303);
    for (const uri of [
      "http://[::1]:50123/callback",
      "http://127.0.0.1:50123/other",
      "http://127.0.0.1.evil.example:50123/callback",
      "http://127.0.0.1:50123@evil.example/callback",
      "https://127.0.0.1:50123/callback",
    ])
      expect([uri, await statusOf(uri)]).toEqual([uri, 400]);
  });
});

/** A server that has the document of a client. */
function startSite() {
  return startTlsServer(({ url }) =>
    Response.json({ client_id: url, client_name: "Site", redirect_uris: [REDIRECT_URI] }),
  );
}

describe("a client whose id is the address of a document", () => {
  test("is let in as what the document says, and shown with its host", async () => {
    await using site = await startSite();
    const publicNetwork = { isAllowed: () => true, ca: site.ca };
    await using coffer = await startAppliance({}, { publicNetwork });
    addAccount(coffer, "ada");
    const { browser } = beginSession(coffer, "ada");
    const client = new OAuthTestClient(coffer, site.url("/client.json").href);
    const asked = await browser.send("GET", `/v0/oauth/requests/${await client.begin()}`);
    const { host } = site.url("/");
    expect(JSON.parse(asked.text)).toMatchObject({ data: { client_name: "Site", client_host: host } });
    const tokens = await client.signIn(browser);
    expect(await isIn(tokens.access_token, coffer)).toBe(true);
    expect(site.asked).toEqual(["/client.json"]);
  });

  test("is refused if that is not on the public internet, and nobody is connected to", async () => {
    await using site = await startSite();
    const inside = site.url("/client.json");
    for (const href of [inside.href, `https://127.0.0.1:${inside.port}/client.json`]) {
      const { status, text } = await app.ask({ client_id: href });
      expect([status, text]).toEqual([400, expect.stringContaining("could not be fetched")]);
    }
    expect(site.asked).toEqual([]);
  });
});

describe("a person's consent", () => {
  test("is not given by another site's page, nor by a request that does not say where it is from", async () => {
    const path = `/v0/oauth/requests/${await app.begin()}`;
    const decide = (from: Record<string, string>) =>
      stage.coffer
        .client()
        .status("POST", path, { body: { allow: true }, headers: { cookie: ada.cookie, ...from } });
    for (const from of [{ origin: "https://evil.example" }, { "sec-fetch-site": "cross-site" }, {}])
      expect(await decide(from)).toBe(403);
    expect(await decide({ origin: stage.coffer.appliance.url })).toBe(200);
  });

  test("counts once, also if it is given twice at once", async () => {
    const ticket = await app.begin();
    const send = () => ada.send("POST", `/v0/oauth/requests/${ticket}`, { body: { allow: true } });
    const answers = await Promise.all([send(), send(), send()]);
    expect(answers.map(({ status }) => `${status}`).toSorted()).toEqual(["200", "404", "404"]);
  });

  test("cannot be for a foreign drive, or for more than was asked", async () => {
    const ticket = await app.begin({ scope: "read" });
    const send = (body: Record<string, string | boolean>) =>
      ada.send("POST", `/v0/oauth/requests/${ticket}`, { body: { allow: true, ...body } });
    expect((await send({ drive_id: stage.world.drives.bob })).status).toBe(404);
    expect((await send({ scope: "read-write" })).status).toBe(400);
    expect((await send({})).status).toBe(200);
  });

  test("ends with the session in which it was given, unless the client is in by then", async () => {
    const { id, browser } = beginSession(stage.coffer, "ada");
    const tokens = await app.signIn(browser);
    const code = await app.code(browser);
    expect(await ada.status("DELETE", `/v0/sessions/${id}`)).toBe(200);
    expect(oauthErrorIn(await app.exchange(code))).toEqual([400, "invalid_grant"]);
    expect(await isIn(tokens.access_token)).toBe(true);
  });

  test("ends with the person's account", async () => {
    addAccount(stage.coffer, "eve");
    const { browser } = beginSession(stage.coffer, "eve");
    const tokens = await app.signIn(browser);
    const code = await app.code(browser);
    changeDatabase(stage.coffer.dataDir, "UPDATE user SET disabled_at = 1 WHERE username = 'eve'");
    expect(await isIn(tokens.access_token)).toBe(false);
    expect(oauthErrorIn(await app.refresh(tokens.refresh_token))).toEqual([400, "invalid_grant"]);
    expect(oauthErrorIn(await app.exchange(code))).toEqual([400, "invalid_grant"]);
  });
});

describe("a refresh token", () => {
  test("whose answer was lost has the same once more, and works on", async () => {
    const first = await app.signIn(ada);
    const answer = await app.refresh(first.refresh_token);
    const lost = tokensIn(answer);
    stage.coffer.clock.advance(REPEAT_LIFETIME_MS - 1);
    const again = await app.refresh(first.refresh_token);
    expect([again.status, again.text]).toEqual([200, answer.text]);
    expect(await isIn(lost.access_token)).toBe(true);
    const next = tokensIn(await app.refresh(lost.refresh_token));
    expect(new Set([first, lost, next].map(({ refresh_token: token }) => token)).size).toBe(3);
    expect([await isIn(lost.access_token), await isIn(next.access_token)]).toEqual([false, true]);
  });

  test("that is sent twice at once has one answer", async () => {
    const { refresh_token: token } = await app.signIn(ada);
    const answers = await Promise.all([app.refresh(token), app.refresh(token)]);
    const [one, other] = answers.map(tokensIn);
    expect(one).toEqual(other);
    expect(await isIn(one?.access_token ?? "")).toBe(true);
  });

  const reused: readonly (readonly [string, (first: string, second: string) => Promise<unknown>])[] = [
    ["after a while", async () => stage.coffer.clock.advance(REPEAT_LIFETIME_MS)],
    ["a third time", (first) => app.refresh(first)],
    ["after the next one", (_, second) => app.refresh(second)],
    [
      "a third time, after others had failed",
      async (first) => {
        const other = await OAuthTestClient.register(stage.coffer);
        expect(oauthErrorIn(await other.refresh(first))).toEqual([400, "invalid_grant"]);
        expect(oauthErrorIn(await app.refresh(first, { resource: "https://other.example/mcp" }))[0]).toBe(
          400,
        );
        tokensIn(await app.refresh(first));
      },
    ],
  ];
  test.each(reused)("that is used again %s ends the whole grant", async (_, between) => {
    const first = await app.signIn(ada);
    const second = tokensIn(await app.refresh(first.refresh_token));
    await between(first.refresh_token, second.refresh_token);
    expect(oauthErrorIn(await app.refresh(first.refresh_token))).toEqual([400, "invalid_grant"]);
    expect(await isIn(second.access_token)).toBe(false);
    expect(oauthErrorIn(await app.refresh(second.refresh_token))).toEqual([400, "invalid_grant"]);
  });

  test("that was used is of no use to whoever has the database alone", async () => {
    const first = await app.signIn(ada);
    const second = tokensIn(await app.refresh(first.refresh_token));
    const grants = rowsIn(stage.coffer.dataDir, "SELECT *, hex(used_salt) FROM oauth_grant");
    const stored = JSON.stringify(grants);
    expect(stored).toContain(Bun.SHA256.hash(first.refresh_token, "hex"));
    for (const token of [first.refresh_token, second.refresh_token, second.access_token])
      expect(stored.toLowerCase()).not.toContain(token.slice(-48));
  });

  test("is worth nothing to another client, for a foreign resource or for more than was granted", async () => {
    const other = await OAuthTestClient.register(stage.coffer);
    const { access_token: access, refresh_token: token } = await app.signIn(ada, { scope: "read-only" });
    expect(oauthErrorIn(await other.refresh(token))).toEqual([400, "invalid_grant"]);
    expect(oauthErrorIn(await other.post("/oauth/revoke", { token, client_id: other.id }))).toEqual([
      400,
      "invalid_client",
    ]);
    expect(await isIn(access)).toBe(true);
    const foreign = { resource: "https://other.example/mcp" };
    expect(oauthErrorIn(await app.refresh(token, foreign))).toEqual([400, "invalid_target"]);
    expect(oauthErrorIn(await app.refresh(token, { scope: "write" }))).toEqual([400, "invalid_scope"]);
    expect(tokensIn(await app.refresh(token, { scope: "read" })).scope).toBe("read");
  });

  test("is not an access token, an access token does not refresh, and a key is no token of a client", async () => {
    const tokens = await app.signIn(ada);
    expect(await isIn(tokens.refresh_token)).toBe(false);
    expect(oauthErrorIn(await app.refresh(tokens.access_token))).toEqual([400, "invalid_grant"]);
    const key = stage.world.keys.ada ?? "";
    expect((await app.post("/oauth/revoke", { token: key, client_id: app.id })).status).toBe(200);
    expect(await isIn(key)).toBe(true);
  });
});

describe("registration", () => {
  test("refuses what is not right", async () => {
    const redirects = [
      [],
      Array(11).fill(REDIRECT_URI),
      [`https://app.example/${"x".repeat(500)}`],
      ...["javascript:alert(1)", "data:text/html,x", "ms-msdt:/id", "http://app.example/"].map((uri) => [
        uri,
      ]),
      ["http://localhost.evil.example/"],
      ["https://app.example/#a"],
      ["https://claude.ai@evil.example/"],
      // Schemes that are no domain names in reverse (RFC 8252, section 7.1).
      ...["ms-msdt.x", "search-ms.x", "x-apple.y", "com", "com.", ".com.x", "com..x"].map((scheme) => [
        `${scheme}:/id`,
      ]),
      ...["com.-x", "com.x-", "c0m.x", "a.b"].map((scheme) => [`${scheme}:/id`]),
    ];
    const redirect_uris = [REDIRECT_URI];
    const bad: readonly (readonly [Json, string])[] = [
      ...["", "{", "[]"].map((body) => [body, "invalid_client_metadata"] as const),
      [{ redirect_uris, client_name: 7 }, "invalid_client_metadata"],
      [{ redirect_uris, grant_types: ["implicit"] }, "invalid_client_metadata"],
      [{}, "invalid_redirect_uri"],
      ...redirects.map((uris) => [{ redirect_uris: uris }, "invalid_redirect_uri"] as const),
    ];
    await using coffer = await startAppliance();
    for (const [body, error] of bad) {
      // Another hour each time, as only so many may come from one address.
      coffer.clock.advance(60 * 60 * 1000);
      const answer = await coffer.client().send("POST", "/oauth/register", { body });
      expect([body, ...oauthErrorIn(answer)]).toEqual([body, 400, error]);
    }
  });

  test("takes what clients send besides, gives no secret, and allows apps' own schemes", async () => {
    await using coffer = await startAppliance();
    const redirect_uris = [
      "cursor://anysphere.cursor-mcp/oauth/callback",
      "com.example.app:/callback",
      "com.googleusercontent.apps.123-abc:/callback",
      "xn--p1ai.example:/callback",
    ];
    const body = {
      redirect_uris,
      client_name: `\u202E\u0000${"x".repeat(100)}`,
      token_endpoint_auth_method: "client_secret_post",
      grant_types: ["authorization_code", "refresh_token"],
      response_types: ["code"],
      logo_uri: "https://app.example/logo.png",
      scope: "read write",
    };
    const made = await coffer.client().post<object>("/oauth/register", body);
    expect(made).toMatchObject({
      redirect_uris,
      client_name: "x".repeat(64),
      token_endpoint_auth_method: "none",
    });
    expect(Object.keys(made)).not.toContain("client_secret");
  });

  test("is limited for each address, and takes no more room than there is", async () => {
    await using coffer = await startAppliance();
    const body = { redirect_uris: [REDIRECT_URI] };
    const send = () => coffer.client().send("POST", "/oauth/register", { body });
    for (let n = 0; n < 20; n += 1) expect((await send()).status).toBe(201);
    const refused = await send();
    expect(oauthErrorIn(refused)).toEqual([429, "temporarily_unavailable"]);
    expect(Number(refused.headers.get("retry-after"))).toBeGreaterThan(0);
    coffer.clock.advance(60 * 60 * 1000);
    changeDatabase(
      coffer.dataDir,
      `WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < ${REGISTERED_CLIENTS})
       INSERT INTO oauth_client (id, name, redirect_uris, used, expires_at) SELECT 'c' || i, '', '[]', 0, 9e15 FROM n`,
    );
    expect((await send()).status).toBe(201);
    expect(rowsIn(coffer.dataDir, "SELECT 1 FROM oauth_client")).toHaveLength(REGISTERED_CLIENTS);
    changeDatabase(coffer.dataDir, "UPDATE oauth_client SET used = 1");
    expect(oauthErrorIn(await send())).toEqual([503, "temporarily_unavailable"]);
  });
});

test("what is no form, or too long, is refused as OAuth refuses", async () => {
  const client = stage.coffer.client();
  const json = await client.send("POST", "/oauth/token", { body: { grant_type: "authorization_code" } });
  expect(oauthErrorIn(json)).toEqual([400, "invalid_request"]);
  const headers = { "content-type": "application/x-www-form-urlencoded" };
  const long = await client.send("POST", "/oauth/token", { body: "x".repeat(100_000), headers });
  expect(oauthErrorIn(long)).toEqual([413, "invalid_request"]);
  const other = await app.post("/oauth/token", { grant_type: "password", client_id: app.id });
  expect(oauthErrorIn(other)).toEqual([400, "unsupported_grant_type"]);
});
