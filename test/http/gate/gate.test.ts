import { describe, expect, test } from "bun:test";
import { CofferError } from "../../../src/domain/errors.ts";
import { createChallenge, RateLimiter } from "../../../src/http/gate/gate.ts";
import { linkBase } from "../../../src/http/gate/link-base.ts";
import { FakeClock } from "../../support/server/fake-clock.ts";
import { testWith } from "../../support/server/test-with.ts";
import { authenticate, startStub, stubRoutes, trusted } from "../stub-app.ts";

const UUID = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/;

const it = testWith(startStub);

describe("authentication", () => {
  const unauthorised: Readonly<Record<string, string | null>> = {
    "no header": null,
    "an empty header": "",
    "an unknown key": "Bearer nobody",
    "the key alone": "writer",
    "another scheme": "Basic writer",
    "no token": "Bearer ",
    "two tokens": "Bearer writer reader",
    "two headers' worth": "Bearer writer, Bearer writer",
    "a key that is a property of every object": "Bearer __proto__",
  };
  for (const [name, authorization] of Object.entries(unauthorised)) {
    it(`401 for ${name}, also where there is no route`, async (app) => {
      for (const path of ["/v0/things", "/v0/nothing", "/v0", "/v0/"]) {
        const sent = authorization === null ? {} : { headers: { authorization } };
        const response = await app.send(path, { key: null, ...sent });
        expect([response.status, response.headers.get("www-authenticate")]).toEqual([401, "Bearer"]);
        expect(await response.json()).toMatchObject({ error: { code: "UNAUTHORIZED" } });
      }
    });
  }

  for (const authorization of ["Bearer team", "bearer team", "BEARER   team  "]) {
    it(`takes ${JSON.stringify(authorization)}`, async (app) => {
      expect((await app.send("/v0/things", { headers: { authorization } })).status).toBe(200);
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

  const others: readonly (readonly [method: string, path: string, status: number])[] = [
    ["GET", "/v0/drives/provision", 405],
    ["DELETE", "/v0/drives/provision", 405],
    ["POST", "/v0/drives/provision/x", 401],
    ["GET", "/v0/presigned/abc", 404],
    ["HEAD", "/v0/presigned/abc", 404],
    ["GET", "/v0/presigned/abc/d", 401],
    ["DELETE", "/v0/presigned/abc", 405],
  ];
  it("only the public method of a public path is public; others are told which it is", async (app) => {
    for (const [method, path, status] of others) {
      const answer = await app.send(path, { key: null, method });
      expect([method, path, answer.status]).toEqual([method, path, status]);
    }
  });
});

it("a read-only key may GET and HEAD, nothing else", async (app) => {
  for (const method of ["GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS"]) {
    const { status } = await app.send("/v0/things", { method, key: "reader" });
    expect([method, status]).toEqual([method, /GET|HEAD/.test(method) ? 200 : 403]);
  }
});

function refuse(): never {
  throw new CofferError("UNAUTHORIZED", "No.");
}

describe("a client that is refused at the MCP endpoint", () => {
  const METADATA = 'resource_metadata="https://drive.test/.well-known/oauth-protected-resource/mcp"';
  const refusing = ["/mcp", "/other"].map((path) => ({ method: "POST", path, answer: refuse }) as const);
  const parts = { isGrant: () => false, linkBase: linkBase("https://drive.test", () => "") };

  test.each<[path: string, key: string | null, isPossible: boolean, challenge: string]>([
    ["/mcp", null, true, `Bearer ${METADATA}, scope="read write"`],
    ["/mcp/", "nobody", true, `Bearer error="invalid_token", ${METADATA}, scope="read write"`],
    ["/other", null, true, "Bearer"],
    ["/v0/things", null, true, "Bearer"],
    ["/mcp", null, false, "Bearer"],
  ])("is told where to sign in, and its fault: %s, %p, %p", async (path, key, isPossible, expected) => {
    const challenge = createChallenge({ ...parts, isPossible: () => isPossible });
    await using app = startStub({ challenge, routes: [...stubRoutes(), ...refusing] });
    const { status, headers } = await app.send(path, { method: "POST", key });
    expect([status, headers.get("www-authenticate")]).toEqual([401, expected]);
  });
});

describe("rate limits", () => {
  test("callers without a valid key share their address's window, at the free rate", async () => {
    const rateLimits = { free: 2, pro: 3, team: 5 };
    await using app = startStub({ rateLimits, trustedProxies: trusted("127.0.0.0/8") });
    for (const [address, key, expected] of [
      ["198.51.100.1", null, 401],
      ["198.51.100.1", "nobody", 401],
      ["198.51.100.1", "somebody", 429],
      ["198.51.100.2", null, 401],
      ["2001:db8::1", null, 401],
      ["2001:db8::2", null, 401],
      ["2001:db8::3", null, 429],
      ["198.51.100.1", "team", 200],
    ] as const) {
      const { status } = await app.send("/v0/things", { key, headers: { "x-forwarded-for": address } });
      expect([address, key, status]).toEqual([address, key, expected]);
    }
  });

  test("nothing is counted outside /v0", async () => {
    await using app = startStub({ rateLimits: { free: 1, pro: 1, team: 1 } });
    for (const path of ["/healthz", "/healthz", "/nothing"]) {
      const { headers } = await app.send(path);
      expect(headers.has("x-ratelimit-limit")).toBe(false);
      expect(headers.get("x-request-id")).toMatch(UUID);
    }
  });
});

function limiter(capacity = 1000) {
  const clock = new FakeClock();
  const windows = new RateLimiter({ clock, windowSeconds: 60, capacity });
  const take = (bucket: string, limit = 1) => {
    const taken = windows.take(bucket, limit);
    expect(taken.limit).toBe(limit);
    return [taken.allowed, taken.remaining, taken.resetSeconds];
  };
  return { clock, windows, take };
}

describe("RateLimiter", () => {
  test("counts down to zero, refuses, and starts over when the window ends", () => {
    const { clock, take } = limiter();
    expect(take("a", 2)).toEqual([true, 1, 60]);
    clock.advance(1500);
    expect([take("a", 2), take("a", 2)]).toEqual([
      [true, 0, 59],
      [false, 0, 59],
    ]);
    clock.advance(58_499);
    expect(take("a", 2)).toEqual([false, 0, 1]);
    clock.advance(1);
    expect(take("a", 2)).toEqual([true, 1, 60]);
  });

  test("counts each bucket by itself, and a limit of 0 allows nothing", () => {
    const { take } = limiter();
    expect([take("a")[0], take("b")[0], take("a")[0]]).toEqual([true, true, false]);
    expect(take("c", 0)).toEqual([false, 0, 60]);
  });

  test("forgets windows that have ended", () => {
    const { clock, windows, take } = limiter();
    for (let i = 0; i < 500; i++) take(`client ${i}`);
    expect(windows.size).toBe(500);
    clock.advance(60_000);
    take("another");
    expect(windows.size).toBe(1);
  });

  test("forgets the oldest window when it is full", () => {
    const { windows, take } = limiter(3);
    for (const bucket of ["a", "b", "c", "d"]) take(bucket);
    expect([windows.size, take("d")[0], take("a")[0]]).toEqual([3, false, true]);
  });

  test("does not lock callers out when the clock is set back", () => {
    const { clock, take } = limiter();
    take("a");
    clock.advance(-86_400_000);
    expect(take("a")).toEqual([true, 0, 60]);
  });
});

describe("request ids", () => {
  for (const id of ["a", "req-123/ABC~!", "~!@#$%^&*()_+{}|:<>?", "x".repeat(128)]) {
    it(`keeps a client's own: ${id.slice(0, 20)}`, async (app) => {
      const response = await app.send("/v0/nothing", { headers: { "x-request-id": id } });
      expect(response.headers.get("x-request-id")).toBe(id);
      expect(await response.json()).toMatchObject({ error: { request_id: id } });
    });
  }

  for (const id of ["", "two words", "x".repeat(129), "h\u00e9", "\u0080", "tab\there"]) {
    it(`replaces ${JSON.stringify(id.slice(0, 20))}`, async (app) => {
      const { headers } = await app.send("/v0/things", { headers: { "x-request-id": id } });
      expect(headers.get("x-request-id")).toMatch(UUID);
    });
  }
});

describe("the log", () => {
  it("has one line for each request, with the route's template and never the path", async (app) => {
    const key_id = authenticate("team")?.keyId;
    const requests: readonly (readonly [path: string, init: object, line: object])[] = [
      ["/v0/things/secret-name", {}, { route: "/v0/things/:id", status: 200, key_id }],
      ["/v0/things/missing", {}, { route: "/v0/things/:id", status: 404, key_id }],
      ["/v0/nothing", {}, { route: null, status: 404, key_id }],
      ["/v0/things", { key: null }, { route: null, status: 401, key_id: null }],
      ["/v0/things", { method: "PATCH" }, { method: "PATCH", route: null, status: 405, key_id }],
      ["/healthz", { key: null }, { route: "/healthz", status: 200, key_id: null }],
    ];
    for (const [path, init] of requests) await app.send(path, init);
    const common = { request_id: expect.stringMatching(UUID), ms: expect.any(Number), method: "GET" };
    expect(app.log.lines).toEqual(
      requests.map(([, , line]) => ({
        level: "info",
        message: "request",
        fields: { ...common, ...line },
      })),
    );
  });

  test.each<[proxies: string, warnings: number]>([
    ["", 1],
    ["127.0.0.0/8", 0],
    ["192.0.2.1", 1],
  ])("tells once of X-Forwarded-For that is not trusted, beside the proxies %p", async (proxies, count) => {
    await using app = startStub({ trustedProxies: trusted(proxies) });
    const warned = () => app.log.ofLevel("warn").filter(({ message }) => /proxy that is not/.test(message));
    const paths = ["/healthz", "/v0/things", "/v0/nothing"];
    for (const path of paths) await app.send(path);
    expect(warned()).toEqual([]);
    const headers = { "x-forwarded-for": "192.0.2.1" };
    for (const path of [...paths, ...paths]) await app.send(path, { headers });
    const told = expect.stringContaining("COFFER_TRUSTED_PROXIES");
    const fields = { peer: "127.0.0.1", setting: "COFFER_TRUSTED_PROXIES=127.0.0.1" };
    expect(warned()).toMatchObject(Array.from({ length: count }, () => ({ message: told, fields })));
  });
});
