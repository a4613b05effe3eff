import { expect, test } from "bun:test";
import { startWithAda } from "../../support/server/accounts.ts";
import { startAppliance, type TestAppliance } from "../../support/server/appliance.ts";
import type { Json } from "../../support/server/client.ts";
import { provision } from "../../support/server/scenario.ts";

type Links = Readonly<Record<"claim" | "presigned" | "upload", string>>;

/** The links that somebody gets who sends these headers. */
async function linksFor(coffer: TestAppliance, headers: Record<string, string>): Promise<Links> {
  const own = await provision(coffer);
  const file = await own.client.put(own.id, "f", "x");
  const [made, link, upload] = await Promise.all([
    coffer.client().json<{ data: { claim_url: string } }>(201, "POST", "/v0/drives/provision", {
      body: { name: "x" },
      headers,
    }),
    own.client.json<{ url: string }>(200, "POST", `/v0/files/${file.id}/presigned-url`, { headers }),
    own.client.json<{ url: string }>(201, "POST", "/v0/upload-links", {
      body: { drive_id: own.id, path: "g" },
      headers,
    }),
  ]);
  return { claim: made.data.claim_url, presigned: link.url, upload: upload.url };
}

function expectBases(links: Links, claim: string, presigned = claim): void {
  expect(links.claim).toMatch(/\/claim\/clm_[0-9a-f]{48}$/);
  expect(links.claim.replace(/\/claim\/[^/]+$/, "")).toBe(claim);
  expect(links.presigned.replace(/\/v0\/presigned\/[^/]+$/, "")).toBe(presigned);
  expect(links.upload.replace(/\/v0\/uploads\/[^/]+$/, "")).toBe(presigned);
}

const LAN = { host: "192.168.1.20:2633" };
const PROXIED = {
  host: "127.0.0.1:2633",
  "x-forwarded-host": "drive.example",
  "x-forwarded-proto": "https",
  "x-forwarded-for": "192.0.2.1",
};

test("a caller on another machine gets links to the address that it used, not to localhost", async () => {
  await using coffer = await startAppliance();
  expectBases(await linksFor(coffer, LAN), "http://192.168.1.20:2633");
  expectBases(await linksFor(coffer, { host: "[2001:db8::20]:2633" }), "http://[2001:db8::20]:2633");
  // It is kept for nobody else.
  expectBases(await linksFor(coffer, {}), coffer.appliance.url);
});

test("an agent is told of a claim link that leads every machine to itself", async () => {
  await using coffer = await startAppliance();
  for (const [host, isToItself] of [
    ["localhost:2633", true],
    ["127.0.0.1:2633", true],
    ["[::1]:2633", true],
    ["192.168.1.20:2633", false],
    ["nas.local:2633", false],
  ] as const) {
    const made = { body: { name: "x" }, headers: { host } };
    const { data } = await coffer
      .client()
      .json<{ data: { message: string } }>(201, "POST", "/v0/drives/provision", made);
    expect([host, data.message.includes(`in place of http://${host}.`)]).toEqual([host, isToItself]);
  }
});

test("a trusted proxy says what it was asked for; anybody else does not", async () => {
  await using coffer = await startAppliance();
  expectBases(await linksFor(coffer, PROXIED), "http://127.0.0.1:2633");
  await coffer.restart({ "trusted-proxies": "127.0.0.1" });
  expectBases(await linksFor(coffer, PROXIED), "https://drive.example");
  expectBases(await linksFor(coffer, { ...PROXIED, "x-forwarded-host": "a, b" }), coffer.appliance.baseUrl);
});

test("with a configured address links are built from it alone", async () => {
  const configured = "https://drive.test";
  await using coffer = await startAppliance({ "base-url": configured, "trusted-proxies": "127.0.0.1" });
  for (const headers of [LAN, PROXIED, {}]) expectBases(await linksFor(coffer, headers), configured);
  await coffer.restart({ "claim-base-url": "https://claims.test" });
  expectBases(await linksFor(coffer, LAN), "https://claims.test", configured);
});

test("a configured claim address is for claim links alone", async () => {
  await using coffer = await startAppliance({ "claim-base-url": "https://claims.test" });
  expectBases(await linksFor(coffer, LAN), "https://claims.test", "http://192.168.1.20:2633");
});

test("an answer that is repeated is the same, wherever it is asked for", async () => {
  await using coffer = await startAppliance();
  const own = await provision(coffer);
  const ask = (host: string) =>
    own.client.send("POST", `/v0/files/${fileId}/presigned-url`, {
      headers: { host, "idempotency-key": key },
    });
  const key = crypto.randomUUID();
  const { id: fileId } = await own.client.put(own.id, "f", "x");
  const [first, again] = [await ask("nas:2633"), await ask("192.168.1.20:2633")];
  expect(again.text).toBe(first.text);
  expect(again.headers.get("idempotency-replayed")).toBe("true");
});

test("the host of a request decides nothing else: neither cookies nor the API description nor the setup link", async () => {
  await using coffer = await startWithAda({ "trusted-proxies": "127.0.0.1" });
  const login = await coffer
    .client()
    .send("POST", "/auth/login", { body: { username: "ada", password: "ada's password" }, headers: PROXIED });
  expect([login.status, login.headers.getSetCookie().join()]).toEqual([
    200,
    expect.not.stringContaining("Secure"),
  ]);
  const described = await coffer
    .client()
    .json<{ servers: Json }>(200, "GET", "/docs/openapi.json", { headers: PROXIED });
  expect(described.servers).toEqual([{ url: "/" }]);
  expect(coffer.appliance.setupLink ?? "").not.toContain("drive.example");
});
