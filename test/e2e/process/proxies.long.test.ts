import { describe, expect, test } from "bun:test";
import { Client, StreamableHTTPClientTransport } from "@modelcontextprotocol/client";
import { addressBehind, type ProxyOptions, startReverseProxy } from "../../support/peers/reverse-proxy.ts";
import { freePort, serve, signUp } from "../../support/server/executable.ts";
import { withReason } from "../../support/server/skip.ts";

// The configurations of reverse proxies that people are given: Coffer behind each of them, as others see it.

const BYTES = 20 * 1024 * 1024;

const CASES = (["Caddyfile", "nginx.conf"] as const).flatMap((kind) =>
  (["host", "path"] as const).flatMap((place) => [false, true].map((isTls) => ({ kind, place, isTls }))),
);

/** A Coffer that is told its address, and its proxy. */
async function openBehind(of: Omit<ProxyOptions, "ports">) {
  const options = { ...of, ports: { proxy: freePort(), coffer: freePort() } };
  const base = addressBehind(options);
  await using opened = new AsyncDisposableStack();
  const env = {
    COFFER_PORT: String(options.ports.coffer),
    COFFER_BASE_URL: base,
    COFFER_TRUSTED_PROXIES: "127.0.0.1",
  };
  const server = opened.use(await serve({ env }));
  const { ca } = opened.use(await startReverseProxy(options));
  const kept = opened.move();
  const ask = (url: string, init: RequestInit = {}) =>
    fetch(url, { redirect: "manual", tls: { ca }, ...init });
  return { base, server, ask, [Symbol.asyncDispose]: () => kept.disposeAsync() };
}

describe.each(CASES)("a proxy by %j", ({ kind, place, isTls }) => {
  const tool = kind === "Caddyfile" ? "caddy" : "nginx";
  const reason = Bun.which(tool) === null ? `${tool} not installed` : "";

  test.skipIf(reason !== "")(withReason("people and agents use the server", reason), async () => {
    await using behind = await openBehind({ kind, place, isTls });
    const { base, ask } = behind;
    const owner = await signUp(behind.server, "ada");
    const headers = { authorization: `Bearer ${owner.client.key ?? ""}` };

    // The dashboard, and what it is made of.
    const page = await ask(`${base}/`, { headers: { accept: "text/html" } });
    const html = await page.text();
    const led = [...html.matchAll(/(?:href|src)="([^"]*)"/g)].map(([, address = ""]) => address);
    expect(led.length).toBeGreaterThan(3);
    for (const address of led)
      expect([address, (await ask(new URL(address, base).href)).status]).toEqual([address, 200]);

    // A sign-in: its cookie comes back, and the page may change things.
    const origin = new URL(base).origin;
    const body = JSON.stringify({ username: "ada", password: "ada's password" });
    const signedIn = await ask(`${base}/auth/login`, {
      method: "POST",
      body,
      headers: { origin, "content-type": "application/json" },
    });
    const set = signedIn.headers.get("set-cookie") ?? "";
    expect([signedIn.status, set]).toEqual([
      200,
      expect.stringContaining(`Path=${place === "path" ? "/coffer" : "/"};`),
    ]);
    expect(set.includes("Secure")).toBe(isTls);
    const cookie = set.split(";")[0] ?? "";
    expect((await ask(`${base}/v0/account`, { headers: { cookie } })).status).toBe(200);

    // A file, up and down, larger than what proxies keep.
    const content = new Uint8Array(BYTES).fill(97);
    const file = `${base}/v0/files?drive_id=${owner.drive}&path=${encodeURIComponent("/a b.bin")}`;
    const put = await ask(file, { method: "PUT", body: content, headers });
    expect(put.status).toBe(201);
    const { id }: { id: string } = JSON.parse(await put.text());
    const got = await ask(`${base}/v0/files/${id}/download`, { headers });
    expect(Bun.SHA256.hash(await got.bytes(), "hex")).toBe(Bun.SHA256.hash(content, "hex"));

    // The feed of changes comes as it is made.
    const feed = await ask(`${base}/v0/changes?drive_id=${owner.drive}`, {
      headers: { ...headers, accept: "text/event-stream" },
    });
    const reader = feed.body?.getReader();
    expect((await reader?.read())?.value?.length).toBeGreaterThan(0);
    await reader?.cancel();

    // Links begin with the address, and lead there.
    const link = await ask(`${base}/v0/links`, {
      method: "POST",
      headers: { ...headers, "content-type": "application/json" },
      body: JSON.stringify({ drive_id: owner.drive, path: "/" }),
    });
    const { url }: { url: string } = JSON.parse(await link.text());
    expect(url).toStartWith(`${base}/s/`);
    expect((await ask(url, { headers: { accept: "text/html" } })).status).toBe(200);

    // The documents of OAuth, where clients look for them.
    const path = place === "path" ? "/coffer" : "";
    for (const name of [`oauth-authorization-server${path}`, `oauth-protected-resource${path}/mcp`])
      expect([name, (await ask(`${origin}/.well-known/${name}`)).status]).toEqual([name, 200]);

    await canClaim(base, ask);
    await canBeLetIn(base, ask);
    await connects(base, ask, headers);

    // What is beside the path is not ours.
    if (place === "path") expect((await ask(`${origin}/healthz`)).status).toBeGreaterThanOrEqual(400);
    // The log knows no proxy that is not trusted.
    expect(behind.server.stdout.text).not.toContain("a proxy that is not trusted");
  });
});

type Ask = (url: string, init?: RequestInit) => Promise<Response>;

/** A claim link, for the human of an agent that came by itself. */
async function canClaim(base: string, ask: Ask): Promise<void> {
  const provisioned = await ask(`${base}/v0/drives/provision`, {
    method: "POST",
    headers: { "content-type": "application/json" },
    body: JSON.stringify({ name: "Its own" }),
  });
  const { data }: { data: { claim_url: string } } = JSON.parse(await provisioned.text());
  expect(data.claim_url).toStartWith(`${base}/claim/`);
  expect((await ask(data.claim_url, { headers: { accept: "text/html" } })).status).toBe(200);
}

/** An application registers itself where the documents say, and is sent to the page that asks the person. */
async function canBeLetIn(base: string, ask: Ask): Promise<void> {
  const { origin, pathname } = new URL(base);
  const told = await ask(`${origin}/.well-known/oauth-authorization-server${pathname.replace(/\/$/, "")}`);
  const { registration_endpoint, authorization_endpoint } = JSON.parse(await told.text());
  const redirectUri = "http://127.0.0.1:9/back";
  const registered = await ask(registration_endpoint, {
    method: "POST",
    headers: { "content-type": "application/json" },
    body: JSON.stringify({ client_name: "An app", redirect_uris: [redirectUri] }),
  });
  const { client_id }: { client_id: string } = JSON.parse(await registered.text());
  const query = new URLSearchParams({
    response_type: "code",
    client_id,
    redirect_uri: redirectUri,
    code_challenge: "a".repeat(43),
    code_challenge_method: "S256",
  });
  const consent = await ask(`${authorization_endpoint}?${query.toString()}`, {
    headers: { accept: "text/html" },
  });
  const asked = new URL(consent.headers.get("location") ?? "", origin).href;
  expect([consent.status, asked]).toEqual([303, expect.stringContaining(`${base}/oauth/consent?`)]);
}

/** An MCP client connects, and is told of the tools. */
async function connects(base: string, ask: Ask, headers: Readonly<Record<string, string>>): Promise<void> {
  const mcp = new Client({ name: "a client", version: "1" });
  const fetching = (url: string | URL, init: RequestInit = {}) => ask(String(url), init);
  await mcp.connect(
    new StreamableHTTPClientTransport(new URL(`${base}/mcp`), {
      fetch: fetching,
      requestInit: { headers },
    }),
  );
  expect((await mcp.listTools()).tools.length).toBeGreaterThan(10);
  await mcp.close();
}
