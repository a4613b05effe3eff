import { beforeEach, describe, expect, test } from "bun:test";
import type { KeyRecord } from "../../../src/http/records/record-schemas.ts";
import { startWithAda } from "../../support/server/accounts.ts";
import { startAppliance } from "../../support/server/appliance.ts";
import type { Client } from "../../support/server/client.ts";
import { locationOf, OAuthTestClient, REDIRECT_URI, tokensIn } from "../../support/peers/oauth.ts";
import { openStageNow } from "../../support/server/scenario.ts";
import { beginSession } from "../../support/server/sign-in.ts";

const stage = await openStageNow();

const HOUR_MS = 60 * 60 * 1000;
const DAY_MS = 24 * HOUR_MS;

const app = await OAuthTestClient.register(stage.coffer);
const ada = beginSession(stage.coffer, "ada").browser;

// Only so many may come from one address in a time.
beforeEach(() => stage.coffer.clock.advance(60 * 60 * 1000));

/** The keys that were given to a client. */
async function keysOf(client: OAuthTestClient): Promise<KeyRecord[]> {
  const keys = await stage.world.clients.ada.get<KeyRecord[]>("/v0/keys");
  return keys.filter(({ client_id }) => client_id === client.id);
}

const SERVER = "/.well-known/oauth-authorization-server";
const RESOURCE = "/.well-known/oauth-protected-resource";

describe("the way in", () => {
  test("is found from the MCP endpoint on, and every document names this server as it was asked", async () => {
    const { url } = stage.coffer.appliance;
    const get = (path: string) => stage.coffer.client().get<Record<string, unknown>>(path);
    expect(await get(`${RESOURCE}/mcp`)).toMatchObject({
      resource: `${url}/mcp`,
      authorization_servers: [url],
      scopes_supported: ["read", "write"],
    });
    expect(await get(RESOURCE)).toMatchObject({ resource: url });
    expect(await get(SERVER)).toMatchObject({
      issuer: url,
      authorization_endpoint: `${url}/oauth/authorize`,
      token_endpoint: `${url}/oauth/token`,
      registration_endpoint: `${url}/oauth/register`,
      revocation_endpoint: `${url}/oauth/revoke`,
      code_challenge_methods_supported: ["S256"],
      token_endpoint_auth_methods_supported: ["none"],
      authorization_response_iss_parameter_supported: true,
      client_id_metadata_document_supported: true,
    });
    expect(await stage.coffer.client().status("GET", "/.well-known/openid-configuration")).toBe(404);
  });

  test.each([`${RESOURCE}/mcp`, RESOURCE, SERVER])(
    "is not offered to a valid key, as a client may drop it then: %s",
    async (path) => {
      const { agent, liar } = stage.world.clients;
      expect([await agent.status("GET", path), await liar.status("GET", path)]).toEqual([404, 200]);
    },
  );

  test("is not offered where there is nobody to let anyone in", async () => {
    await using empty = await startAppliance();
    for (const path of [`${RESOURCE}/mcp`, SERVER]) {
      const { status, text } = await empty.client().send("GET", path);
      expect([status, text]).toEqual([404, expect.stringContaining("no users yet")]);
    }
  });

  test("starts behind a configured address only with that", async () => {
    const base = "https://drive.example.com";
    await using coffer = await startWithAda({ "base-url": base });
    expect(await coffer.client().get<object>(SERVER)).toMatchObject({ issuer: base });
    const resource = `${base}/mcp`;
    expect(await coffer.client().get<object>(`${RESOURCE}/mcp`)).toMatchObject({ resource });
  });
});

const statusWith = (token: string, coffer = stage.coffer) => coffer.client(token).status("GET", "/v0/drives");

describe("a client that a person lets in", () => {
  test("gets a key that works for what was allowed, with its state and our name", async () => {
    const ticket = await app.begin();
    const asked = await ada.send("GET", `/v0/oauth/requests/${ticket}`);
    expect(JSON.parse(asked.text)).toEqual({
      data: {
        client_id: app.id,
        client_name: "Example App",
        client_host: null,
        redirect: { kind: "site", name: "app.example" },
        scope: "read-write",
      },
    });
    const back = await app.allowed(ada);
    expect(back.href.startsWith(`${REDIRECT_URI}?`)).toBe(true);
    expect(back.searchParams.get("state")).toBe("a state");
    expect(back.searchParams.get("iss")).toBe(stage.coffer.appliance.url);
    const answer = await app.exchange(back.searchParams.get("code") ?? "");
    expect(answer.headers.get("cache-control")).toBe("no-store");
    const tokens = tokensIn(answer);
    expect(tokens).toMatchObject({ token_type: "Bearer", expires_in: 3600, scope: "read write" });
    const client = stage.coffer.client(tokens.access_token);
    const { data } = await client.get<{ data: { id: string }[] }>("/v0/drives");
    expect(data.map(({ id }) => id)).toContain(stage.world.drives.ada);
    await client.put(stage.world.drives.ada, "from-app", "x");
  });

  test("gets one drive alone, and only to read, if that is what was allowed", async () => {
    const own = await OAuthTestClient.register(stage.coffer);
    const tokens = await own.signIn(ada, { drive_id: "ada/notes", scope: "read-only" });
    expect(tokens.scope).toBe("read");
    const client = stage.coffer.client(tokens.access_token);
    const { data } = await client.get<{ data: { id: string }[] }>("/v0/drives");
    expect(data.map(({ id }) => id)).toEqual([stage.world.drives.ada]);
    await client.put(stage.world.drives.ada, "a", "x", 403);
    expect(await keysOf(own)).toMatchObject([{ scope: "read-only", drive_id: stage.world.drives.ada }]);
  });

  test("is told how to ask for more than it was allowed, and a key of another kind is not", async () => {
    const own = await OAuthTestClient.register(stage.coffer);
    const { access_token: token } = await own.signIn(ada, { scope: "read-only" });
    const body = { jsonrpc: "2.0", id: 1, method: "tools/call", params: { name: "provision_drive" } };
    const challenge = async (client: Client) => {
      const { status, headers } = await client.send("POST", "/mcp", { body });
      return [status, headers.get("www-authenticate")];
    };
    const metadata = `${stage.coffer.appliance.url}${RESOURCE}/mcp`;
    expect(await challenge(stage.coffer.client(token))).toEqual([
      403,
      `Bearer error="insufficient_scope", resource_metadata="${metadata}", scope="read write"`,
    ]);
    // Its client could sign in instead, and drop the key that it was configured with.
    expect(await challenge(stage.world.clients.adaReader)).toEqual([403, null]);
    expect(await challenge(stage.world.clients.agentReader)).toEqual([403, null]);
  });

  test("stays one row on the page of keys while it refreshes, and ends there with all its tokens", async () => {
    const own = await OAuthTestClient.register(stage.coffer);
    const first = await own.signIn(ada);
    const second = tokensIn(await own.refresh(first.refresh_token));
    const keys = await keysOf(own);
    expect(keys).toMatchObject([{ name: "Example App", expires_at: expect.any(String) }]);
    expect(await statusWith(first.access_token)).toBe(401);
    expect(await statusWith(second.access_token)).toBe(200);
    await stage.world.clients.ada.delete(`/v0/keys/${keys[0]?.id}`);
    expect(await statusWith(second.access_token)).toBe(401);
    expect((await own.refresh(second.refresh_token)).status).toBe(400);
  });

  test("is turned away if the person says so", async () => {
    const ticket = await app.begin();
    const { text } = await ada.send("POST", `/v0/oauth/requests/${ticket}`, { body: { allow: false } });
    const { data }: { data: { redirect_to: string } } = JSON.parse(text);
    expect(Object.fromEntries(new URL(data.redirect_to).searchParams)).toEqual({
      error: "access_denied",
      state: "a state",
      iss: stage.coffer.appliance.url,
    });
    expect(await ada.status("POST", `/v0/oauth/requests/${ticket}`, { body: { allow: true } })).toBe(404);
  });

  test("gives its access back (RFC 7009), with either token, and a second time without an error", async () => {
    for (const which of ["access_token", "refresh_token"] as const) {
      const tokens = await app.signIn(ada);
      const form = { token: tokens[which], client_id: app.id };
      for (const _ of ["once", "again"]) expect((await app.post("/oauth/revoke", form)).status).toBe(200);
      expect(await statusWith(tokens.access_token)).toBe(401);
      expect((await app.refresh(tokens.refresh_token)).status).toBe(400);
    }
  });
});

describe("in time", () => {
  test("a token ends after an hour, what it may refresh after 30 days without use, and the sweep removes it", async () => {
    await using coffer = await startWithAda();
    const { browser } = beginSession(coffer, "ada");
    const client = await OAuthTestClient.register(coffer);
    let tokens = await client.signIn(browser);
    const status = () => statusWith(tokens.access_token, coffer);
    coffer.clock.advance(HOUR_MS - 1);
    expect(await status()).toBe(200);
    coffer.clock.advance(1);
    expect(await status()).toBe(401);
    for (let month = 0; month < 3; month += 1) {
      coffer.clock.advance(29 * DAY_MS);
      tokens = tokensIn(await client.refresh(tokens.refresh_token));
      expect(await status()).toBe(200);
    }
    await coffer.restart();
    coffer.clock.advance(30 * DAY_MS);
    expect((await client.refresh(tokens.refresh_token)).status).toBe(400);
    await coffer.appliance.services.sweep.run();
    expect(await beginSession(coffer, "ada").browser.get<unknown>("/v0/keys")).toEqual([]);
  });

  test("a link that a client made works until its access ends, not only until its token does", async () => {
    const tokens = await app.signIn(ada);
    const api = stage.coffer.client(tokens.access_token);
    const drive = await api.makeDrive("D");
    const { id } = await api.put(drive.id, "a");
    const body = { expires_in: 86_400 };
    const link = await api.post<{ token: string }>(`/v0/files/${id}/presigned-url`, body, 200);
    const get = () => stage.coffer.client().status("GET", `/v0/presigned/${link.token}`);
    stage.coffer.clock.advance(2 * HOUR_MS);
    expect(await get()).toBe(200);
    await app.post("/oauth/revoke", { token: tokens.refresh_token });
    expect(await get()).toBe(404);
  });

  test("a registration that nobody used goes after a day, one in use stays", async () => {
    await app.signIn(ada);
    const unused = await OAuthTestClient.register(stage.coffer);
    stage.coffer.clock.advance(DAY_MS);
    await stage.coffer.appliance.services.sweep.run();
    const asked = [await unused.ask(), await app.ask()];
    expect(asked.map(({ status }) => status)).toEqual([400, 303]);
  });

  test("a person can take half an hour, a client a minute", async () => {
    const ticket = await app.begin();
    const late = await app.code(ada);
    stage.coffer.clock.advance(60_000);
    expect((await app.exchange(late)).status).toBe(400);
    stage.coffer.clock.advance(29 * 60_000);
    expect(await ada.status("POST", `/v0/oauth/requests/${ticket}`, { body: { allow: true } })).toBe(404);
  });
});

test("a browser is sent to the page, which nobody may frame and which tells nobody where it came from", async () => {
  const headers = { accept: "text/html" };
  const asked = await app.ask({}, headers);
  expect([asked.status, locationOf(asked.headers).pathname]).toEqual([303, "/oauth/consent"]);
  const page = await stage.coffer.client().send("GET", "/oauth/consent?request=x", { headers });
  expect(page.status).toBe(200);
  expect(page.headers.get("content-security-policy")).toContain("frame-ancestors 'none'");
  expect(page.headers.get("x-frame-options")).toBe("DENY");
  expect(page.headers.get("referrer-policy")).toBe("no-referrer");
});
