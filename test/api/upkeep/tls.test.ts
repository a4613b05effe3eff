import { afterAll, expect, test } from "bun:test";
import { join } from "node:path";
import type { ServerRecord } from "../../../src/http/records/server-schemas.ts";
import { runHere } from "../../support/server/run-here.ts";
import { nameAt, TlsClient } from "../../http/tls-client.ts";
import { makeCertificate } from "../../support/samples/certificates.ts";
import { sampleBytes } from "../../support/samples/blob-store-contract.ts";
import { addAccount } from "../../support/server/accounts.ts";
import { startAppliance } from "../../support/server/appliance.ts";
import { freePort } from "../../support/server/executable.ts";
import { eventually } from "../../support/server/scenario.ts";
import { beginSession } from "../../support/server/sign-in.ts";
import { temporaryDirectory } from "../../support/server/temporary-directory.ts";

const place = await temporaryDirectory();
const certificate = (name: string, days?: number) => makeCertificate(place.path, name, days);
const [former, renewed] = await Promise.all([certificate("former", 10), certificate("renewed")]);
const files = { cert: join(place.path, "tls.crt"), key: join(place.path, "tls.key") };
const redirectPort = freePort();
await put(former);
const coffer = await startAppliance(
  { "tls-cert": files.cert, "tls-key": files.key, "tls-redirect-port": String(redirectPort) },
  { certificateMs: 20, prepare: () => Promise.resolve(Date.now()) },
);
addAccount(coffer, "ada");
const port = Number(new URL(coffer.appliance.url).port);
afterAll(async () => {
  await coffer[Symbol.asyncDispose]();
  await place[Symbol.asyncDispose]();
});

/** Puts a pair where the server looks, the certificate first. */
async function put({
  pair,
}: {
  readonly pair: { readonly cert: string; readonly key: string };
}): Promise<void> {
  await Bun.write(files.cert, pair.cert);
  await Bun.write(files.key, pair.key);
}

/** As a client that trusts the certificate of `former`. */
function ask(path: string, init: BunFetchRequestInit = {}): Promise<Response> {
  return fetch(`https://localhost:${port}${path}`, {
    redirect: "manual",
    tls: { ca: former.pair.cert },
    ...init,
  });
}

function askPlain(path: string, init: RequestInit = {}): Promise<Response> {
  return fetch(`http://localhost:${redirectPort}${path}`, { redirect: "manual", ...init });
}

async function problems(): Promise<readonly { readonly kind: string }[]> {
  const { cookie } = beginSession(coffer, "ada").browser;
  // Also once the certificate is another one.
  const answer = await ask("/v0/server", { headers: { cookie }, tls: { rejectUnauthorized: false } });
  const { data }: { data: ServerRecord } = JSON.parse(await answer.text());
  return data.problems;
}

test("addresses, links and the setup link are https", async () => {
  const { url, baseUrl, setupLink } = coffer.appliance;
  expect([url, baseUrl]).toEqual([`https://127.0.0.1:${port}`, `https://localhost:${port}`]);
  expect(setupLink).toStartWith(`${baseUrl}/auth/setup?token=`);
  const made = await ask("/v0/drives/provision", { method: "POST", body: '{"name":"A drive"}' });
  expect(await made.json()).toMatchObject({
    data: { claim_url: expect.stringContaining(`https://localhost:${port}/`) },
  });
  // Other services may be on this name.
  expect(made.headers.has("strict-transport-security")).toBe(false);
});

test("routes with parameters are found, and take and send files", async () => {
  const provisioned = await ask("/v0/drives/provision", { method: "POST", body: '{"name":"Files"}' });
  const { data }: { data: Record<"api_key" | "drive_id", string> } = JSON.parse(await provisioned.text());
  const headers = { authorization: `Bearer ${data.api_key}` };
  const body = sampleBytes(300_000);
  const stored = await ask(`/v0/files?drive_id=${data.drive_id}&path=a/b.bin`, {
    method: "PUT",
    headers,
    body,
  });
  const { id }: { id: string } = JSON.parse(await stored.text());
  const got = await ask(`/v0/files/${id}/download`, { headers });
  expect(Buffer.compare(await got.bytes(), body)).toBe(0);
  const head = await ask(`/v0/files/${id}/download`, { method: "HEAD", headers });
  expect([stored.status, got.status, head.status, head.headers.get("content-length")]).toEqual([
    201,
    200,
    200,
    "300000",
  ]);
});

test("cookies are for https alone, and pages of plain HTTP are not our own", async () => {
  const { cookie } = beginSession(coffer, "ada").browser;
  const signOut = (origin: string) => ask("/auth/logout", { method: "POST", headers: { cookie, origin } });
  expect((await signOut(`http://localhost:${port}`)).status).toBe(403);
  const out = await signOut(`https://localhost:${port}`);
  expect(out.headers.getSetCookie().join()).toContain("; Secure");
});

test("healthcheck reaches a server by another name than its certificate has", async () => {
  const given = {
    COFFER_HOST: "127.0.0.1",
    COFFER_PORT: String(port),
    COFFER_TLS_CERT: files.cert,
    COFFER_TLS_KEY: files.key,
  };
  Object.assign(process.env, given);
  try {
    expect(await runHere(["healthcheck"])).toEqual({ code: 0, stdout: "", stderr: "" });
  } finally {
    for (const name of Object.keys(given)) delete process.env[name];
  }
});

test.each(["GET", "HEAD"])("plain HTTP: %s is sent to the same place with https", async (method) => {
  const { status, headers } = await askPlain("/drives/a%20b?x=1", { method });
  expect([status, headers.get("location")]).toEqual([308, `https://localhost:${port}/drives/a%20b?x=1`]);
});

test.each<[string, RequestInit, string]>([
  ["a write", { method: "POST", body: "{}" }, "only redirects"],
  ["a key", { headers: { authorization: "Bearer secret" } }, "make another one"],
])("plain HTTP: %s is refused, and told where to go", async (_, init, says) => {
  const refused = await askPlain("/v0/drives/provision", init);
  const text = await refused.text();
  expect([refused.status, text]).toEqual([403, expect.stringContaining(says)]);
  expect(text).toContain(`https://localhost:${port}`);
  expect(text).not.toContain("secret");
});

test.each(["a b", "localhost:99999", "[::1"])(
  "plain HTTP: Host %j, which is none, is redirected too",
  async (host) => {
    const { promise, resolve } = Promise.withResolvers<string>();
    const socket = await Bun.connect({
      hostname: "127.0.0.1",
      port: redirectPort,
      socket: { data: (_, bytes) => resolve(bytes.toString()) },
    });
    socket.write(`GET /drives?x=1 HTTP/1.1\r\nHost: ${host}\r\n\r\n`);
    const answer = await promise;
    socket.terminate();
    expect(answer).toStartWith("HTTP/1.1 308 ");
    expect(answer.toLowerCase()).toContain(`location: https://localhost:${port}/drives?x=1\r\n`);
  },
);

test("plain HTTP: without an authority nothing is said of challenges", async () => {
  expect((await askPlain("/.well-known/acme-challenge/abc")).status).toBe(308);
});

test("a client that never ends the handshake, or speaks plain HTTP, keeps nobody else waiting", async () => {
  const silent = await Bun.connect({ hostname: "127.0.0.1", port, socket: { data: () => {} } });
  const plain = await fetch(`http://127.0.0.1:${port}/healthz`).catch((error: unknown) => String(error));
  expect(plain).toBeString();
  expect((await ask("/healthz")).status).toBe(200);
  silent.terminate();
});

test("a certificate that ends soon, and files that do not fit, are problems until they are renewed", async () => {
  const ending = { kind: "certificate_ending", since: null, count: 10, reason: null };
  expect(await problems()).toEqual([ending]);
  await Bun.write(files.cert, renewed.pair.cert);
  await eventually(async () => (await problems()).some(({ kind }) => kind === "certificate_unusable"));
  const kept = await TlsClient.to(port);
  await Bun.write(files.key, renewed.pair.key);
  await eventually(async () => (await nameAt(port)) === "renewed");
  expect(await kept.get("/healthz")).toContain("ok");
  expect([kept.name, kept.isLast]).toEqual(["former", true]);
});
