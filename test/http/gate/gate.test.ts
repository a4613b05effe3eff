import { describe, expect, test } from "bun:test";
import { testWith } from "../../support/server/test-with.ts";
import { authenticate, startStub, trusted } from "../stub-app.ts";

const UUID = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/;

const it = testWith(startStub);

describe("authentication", () => {
  const unauthorised: readonly (readonly [name: string, header: string | undefined])[] = [
    ["no header", undefined],
    ["an empty header", ""],
    ["an unknown key", "Bearer nobody"],
    ["the key alone", "writer"],
    ["another scheme", "Basic writer"],
    ["no token", "Bearer "],
    ["two tokens", "Bearer writer reader"],
    ["two headers' worth", "Bearer writer, Bearer writer"],
    ["a key that is a property of every object", "Bearer __proto__"],
  ];
  for (const [name, header] of unauthorised) {
    it(`401 for ${name}, also where there is no route`, async (app) => {
      const headers: Record<string, string> = header === undefined ? {} : { authorization: header };
      for (const path of ["/v0/things", "/v0/nothing", "/v0", "/v0/"]) {
        const response = await app.send(path, { key: null, headers });
        expect([response.status, response.headers.get("www-authenticate")]).toEqual([401, "Bearer"]);
        expect(await response.json()).toMatchObject({ error: { code: "UNAUTHORIZED" } });
      }
    });
  }

  for (const header of ["Bearer team", "bearer team", "BEARER   team  "]) {
    it(`takes ${JSON.stringify(header)}`, async (app) => {
      expect((await app.send("/v0/things", { headers: { authorization: header } })).status).toBe(200);
    });
  }

  it("a public route answers without a key, with a wrong one, and knows a right one", async (app) => {
    const provision = async (key: string | null, path = "/v0/drives/provision") => {
      const response = await app.send(path, { method: "POST", body: '{"name":"a"}', key });
      return [response.status, await response.json()];
    };
    expect(await provision(null)).toEqual([201, { name: "a", known: false }]);
    expect(await provision("nobody")).toEqual([201, { name: "a", known: false }]);
    expect(await provision("writer")).toEqual([201, { name: "a", known: true }]);
    expect(await provision(null, "/v0/drives/provision/")).toEqual([201, { name: "a", known: false }]);
  });

  it("only the public method of a public path is public; others are told which it is", async (app) => {
    expect((await app.send("/v0/drives/provision", { key: null })).status).toBe(405);
    expect((await app.send("/v0/drives/provision", { key: null, method: "DELETE" })).status).toBe(405);
    expect((await app.send("/v0/drives/provision/x", { key: null, method: "POST" })).status).toBe(401);
    expect((await app.send("/v0/presigned/abc", { key: null })).status).toBe(404);
    expect((await app.send("/v0/presigned/abc", { key: null, method: "HEAD" })).status).toBe(404);
    expect((await app.send("/v0/presigned/abc/d", { key: null })).status).toBe(401);
    expect((await app.send("/v0/presigned/abc", { key: null, method: "DELETE" })).status).toBe(405);
  });
});

describe("scope", () => {
  it("a read-only key may GET and HEAD, nothing else", async (app) => {
    const statusOf = async (method: string) =>
      (await app.send("/v0/things", { method, key: "reader" })).status;
    expect([await statusOf("GET"), await statusOf("HEAD")]).toEqual([200, 200]);
    for (const method of ["POST", "PUT", "PATCH", "DELETE", "OPTIONS"])
      expect(await statusOf(method)).toBe(403);
  });
});

describe("rate limits", () => {
  const limits = { free: 2, pro: 3, team: 5 };

  test("callers without a valid key share their address's window, at the free rate", async () => {
    await using app = startStub({ rateLimits: limits, trustedProxies: trusted("127.0.0.0/8") });
    const from = async (address: string, key: string | null) =>
      (await app.send("/v0/things", { key, headers: { "x-forwarded-for": address } })).status;
    expect(await from("198.51.100.1", null)).toBe(401);
    expect(await from("198.51.100.1", "nobody")).toBe(401);
    expect(await from("198.51.100.1", "somebody")).toBe(429);
    expect(await from("198.51.100.2", null)).toBe(401);
    expect(await from("2001:db8::1", null)).toBe(401);
    expect(await from("2001:db8::2", null)).toBe(401);
    expect(await from("2001:db8::3", null)).toBe(429);
    expect(await from("198.51.100.1", "team")).toBe(200);
  });

  test("nothing is counted outside /v0", async () => {
    await using app = startStub({ rateLimits: { free: 1, pro: 1, team: 1 } });
    for (const path of ["/healthz", "/healthz", "/nothing"]) {
      const response = await app.send(path, { key: "team" });
      expect(response.headers.has("x-ratelimit-limit")).toBe(false);
      expect(response.headers.get("x-request-id")).toMatch(UUID);
    }
  });
});

describe("request ids", () => {
  const kept = ["a", "req-123/ABC~!", "~!@#$%^&*()_+{}|:<>?", "x".repeat(128)];
  for (const id of kept) {
    it(`keeps a client's own: ${id.slice(0, 20)}`, async (app) => {
      const response = await app.send("/v0/nothing", { headers: { "x-request-id": id } });
      expect(response.headers.get("x-request-id")).toBe(id);
      expect(await response.json()).toMatchObject({ error: { request_id: id } });
    });
  }

  for (const id of ["", "two words", "x".repeat(129), "h\u00e9", "\u0080", "tab\there"]) {
    it(`replaces ${JSON.stringify(id.slice(0, 20))}`, async (app) => {
      const response = await app.send("/v0/things", { headers: { "x-request-id": id } });
      expect(response.headers.get("x-request-id")).toMatch(UUID);
    });
  }
});

describe("the request log", () => {
  it("has one line for each request, with the route's template and never the path", async (app) => {
    const keyId = authenticate("team")?.keyId;
    const requests: readonly (readonly [path: string, init: object, line: object])[] = [
      ["/v0/things/secret-name", {}, { method: "GET", route: "/v0/things/:id", status: 200, key_id: keyId }],
      ["/v0/things/missing", {}, { method: "GET", route: "/v0/things/:id", status: 404, key_id: keyId }],
      ["/v0/nothing", {}, { method: "GET", route: null, status: 404, key_id: keyId }],
      ["/v0/things", { key: null }, { method: "GET", route: null, status: 401, key_id: null }],
      ["/v0/things", { method: "PATCH" }, { method: "PATCH", route: null, status: 405, key_id: keyId }],
      ["/healthz", { key: null }, { method: "GET", route: "/healthz", status: 200, key_id: null }],
    ];
    for (const [path, init] of requests) await app.send(path, init);
    expect(app.log.lines).toEqual(
      requests.map(([, , line]) => ({
        level: "info",
        message: "request",
        fields: { request_id: expect.stringMatching(UUID), ms: expect.any(Number), ...line },
      })),
    );
  });
});
