import { describe, expect, test } from "bun:test";
import { startAppliance, type TestAppliance } from "../../support/server/appliance.ts";
import { openStage, runScenarios } from "../../support/server/scenario.ts";
import { refused, step } from "../../support/server/steps.ts";
import { post } from "../../support/server/uploads.ts";
import { startWithAda } from "../../support/server/accounts.ts";
import { signIn } from "../../support/server/sign-in.ts";

const PAGE = "https://agent.example";
const ASKS = { origin: PAGE, "access-control-request-method": "PATCH" };

const stage = openStage();

describe("a browser that asks for a page of another origin", () => {
  const open = [
    "/v0",
    "/v0/drives",
    "/v0/nothing",
    "/mcp",
    "/docs/openapi.json",
    "/docs/api.md",
    "/llms.txt",
  ];
  for (const path of open) {
    test(`may go on, at ${path}`, async () => {
      const asked = { ...ASKS, "access-control-request-headers": "authorization,if-match,x-own" };
      const { status, text, headers } = await stage.coffer.client().send("OPTIONS", path, { headers: asked });
      expect([status, text]).toEqual([204, ""]);
      expect(headers.get("access-control-allow-origin")).toBe("*");
      expect(headers.get("access-control-allow-methods")).toBe("GET, HEAD, POST, PUT, PATCH, DELETE");
      const allowed = headers.get("access-control-allow-headers")?.split(", ") ?? [];
      for (const name of ["Authorization", "Content-Type", "If-Match", "Idempotency-Key", "*"]) {
        expect(allowed).toContain(name);
      }
      expect(Number(headers.get("access-control-max-age"))).toBeGreaterThan(0);
      expect(headers.has("access-control-allow-credentials")).toBe(false);
      expect(headers.get("x-request-id")).toMatch(/./);
    });
  }

  for (const path of ["/", "/auth/login", "/healthz", "/metrics", "/docs", "/v00"]) {
    test(`may not, at ${path}`, async () => {
      const { status, headers } = await stage.coffer.client().send("OPTIONS", path, { headers: ASKS });
      expect(status).toBeGreaterThanOrEqual(400);
      expect(headers.has("access-control-allow-origin")).toBe(false);
    });
  }

  test("is not counted", async () => {
    await using coffer = await startAppliance({ "rate-limits": "free=1" });
    for (let n = 0; n < 5; n += 1) {
      expect((await coffer.client().send("OPTIONS", "/v0/drives", { headers: ASKS })).status).toBe(204);
    }
    expect((await coffer.client().send("GET", "/v0/drives")).status).toBe(401);
  });
});

const OF_ORIGIN = /(^|, )Origin(,|$)/i;
const shared = { "access-control-allow-origin": "*", vary: OF_ORIGIN } as const;

describe("a page of another origin may read", () => {
  const exposes =
    /\bETag\b.*\bX-Request-Id\b.*\bX-RateLimit-Limit\b.*\bRetry-After\b.*\bIdempotency-Replayed\b/;
  const receives = {
    ...shared,
    "access-control-expose-headers": exposes,
    "access-control-allow-credentials": null,
  };
  const headers = { origin: PAGE };
  const read = { headers, receives };
  const record = post({}, { ...read, keeps: "file" });
  runScenarios(stage, {
    "what a key lists": step("GET /v0/drives", { ...read, json: {} }),
    "what it wrote": record,
    "a content": [record, step("GET /v0/files/{file.id}/download", { ...read, contains: ["Hello World!"] })],
    "a 401": step("nobody GET /v0/drives", { ...read, ...refused("UNAUTHORIZED") }),
    "a 404": step("GET /v0/nothing", { ...read, ...refused("NOT_FOUND") }),
    "a 400": step("POST /v0/files", { body: "{", headers, receives, ...refused("VALIDATION_ERROR") }),
    "the same from an opaque origin": step("GET /v0/drives", {
      headers: { origin: "null" },
      receives,
      json: {},
    }),
    "what a download link gives, without a key": [
      record,
      step("POST /v0/files/{file.id}/presigned-url", { body: {}, json: {}, keeps: "link" }),
      step("nobody GET /v0/presigned/{link.token}", { ...read, contains: ["Hello World!"] }),
    ],
    "nothing more than others get, if there is no origin": step("GET /v0/drives", {
      receives: { "access-control-allow-origin": null, vary: shared.vary },
      json: {},
    }),
    "that it may not provision for whoever looks at it": step("nobody POST /v0/drives/provision", {
      body: { name: "x" },
      headers,
      receives: shared,
      ...refused("FORBIDDEN"),
    }),
    "what it provisioned with a key": step("POST /v0/drives/provision", {
      body: { name: "x" },
      headers,
      receives: shared,
      status: 201,
      json: {},
    }),
  });

  test("what an MCP client gets with a key; without one it gets nothing", async () => {
    const own = await stage.ownDrive();
    const body = {
      jsonrpc: "2.0",
      id: 1,
      method: "initialize",
      params: { protocolVersion: "2025-11-25", capabilities: {}, clientInfo: { name: "page", version: "1" } },
    };
    const accept = "application/json, text/event-stream";
    const sent = { body, headers: { origin: PAGE, accept, "content-type": "application/json" } };
    const answer = await own.client.send("POST", "/mcp", sent);
    expect([answer.status, answer.headers.get("access-control-allow-origin")]).toEqual([200, "*"]);
    expect(answer.headers.get("access-control-expose-headers")).toContain("Mcp-Session-Id");
    const anonymous = await stage.coffer.client().send("POST", "/mcp", sent);
    expect([anonymous.status, anonymous.headers.get("access-control-allow-origin")]).toEqual([403, "*"]);
  });

  test("the API description, but neither the dashboard nor what signing in answers", async () => {
    for (const path of ["/docs/openapi.json", "/", "/docs", "/healthz", "/metrics", "/auth/login"]) {
      const answer = await stage.coffer.client().send("GET", path, { headers });
      const allowed = answer.headers.get("access-control-allow-origin");
      expect([path, allowed]).toEqual([path, path === "/docs/openapi.json" ? "*" : null]);
    }
  });
});

test("a read that names a foreign origin has no session, one of our own page has", async () => {
  await using coffer = await startWithAda();
  const ada = await signIn(coffer, "ada");
  const statusFor = async (origin: string) =>
    (await ada.send("GET", "/v0/drives", { headers: { origin } })).status;
  expect(await statusFor(PAGE)).toBe(401);
  expect(await statusFor("null")).toBe(401);
  expect(await statusFor(coffer.appliance.url)).toBe(200);
  expect((await ada.send("GET", "/v0/drives")).status).toBe(200);
});

/** A server with this setting, for somebody who asks it. */
async function startWith(setting: string) {
  const coffer = await startAppliance({ "cors-origins": setting });
  return {
    ask: (origin: string) => ask(coffer, origin),
    [Symbol.asyncDispose]: () => coffer[Symbol.asyncDispose](),
  };
}

/** The status of a preflight, and which origin that and another response allow. */
async function ask(coffer: TestAppliance, origin: string) {
  const client = coffer.client();
  const preflight = await client.send("OPTIONS", "/v0/drives", { headers: { ...ASKS, origin } });
  const answer = await client.send("GET", "/v0/drives", { headers: { origin } });
  for (const { headers } of [preflight, answer]) expect(headers.get("vary")).toMatch(OF_ORIGIN);
  const allowed = [preflight, answer].map(({ headers }) => headers.get("access-control-allow-origin"));
  return [preflight.status, ...allowed];
}

describe("COFFER_CORS_ORIGINS", () => {
  test("names who may", async () => {
    const list = "https://agent.example, http://localhost:5173";
    await using server = await startWith(list);
    expect(await server.ask(PAGE)).toEqual([204, PAGE, PAGE]);
    const local = "http://localhost:5173";
    expect(await server.ask(local)).toEqual([204, local, local]);
    const others = ["https://agent.example:8443", "https://x.agent.example", "https://agent.example.evil"];
    for (const origin of ["http://agent.example", ...others, "null"]) {
      expect(await server.ask(origin)).toEqual([403, null, null]);
    }
  });

  test("may allow nobody", async () => {
    await using server = await startWith("off");
    expect(await server.ask(PAGE)).toEqual([403, null, null]);
  });
});
