import { describe, expect, test } from "bun:test";
import { testWith } from "../../support/server/test-with.ts";
import type { Route } from "../../../src/http/operation/route.ts";
import { failureOf } from "../../support/samples/failure.ts";
import { KEY, startStub } from "../stub-app.ts";

const MIB = 1024 * 1024;

const it = testWith(startStub);

const HOST = "HTTP/1.1\r\nHost: n\r\n";
const NEXT = `GET /v0/things/next ${HOST}${KEY}\r\n`;
const NEXT_ANSWER = { status: 200, body: { id: "next" } };

describe("request targets and hosts", () => {
  const a = { id: "a" };
  const cases: readonly (readonly [name: string, head: string, status: number, body?: object])[] = [
    ["a short host without port", `GET /v0/things/a ${HOST}${KEY}`, 200, a],
    ["two hosts", `GET /v0/things/a HTTP/1.1\r\nHost: a\r\nHost: b\r\n${KEY}`, 200, a],
    ["an absolute target", `GET http://other.example/v0/things/a ${HOST}${KEY}`, 200, a],
    ["an empty host", `GET /v0/things/a HTTP/1.1\r\nHost:\r\n${KEY}`, 200, a],
    ["a host that is none", `GET /v0/things/a HTTP/1.1\r\nHost: a b/c?d#e\r\n${KEY}`, 200, a],
    ["a host with a path", `GET /v0/things/a HTTP/1.1\r\nHost: x/healthz?\r\n${KEY}`, 200, a],
    ["HTTP/1.0 without host", `GET /v0/things/a HTTP/1.0\r\n${KEY}`, 200, a],
    ["HTTP/1.0 without host, query", `GET /v0/things?page=7 HTTP/1.0\r\n${KEY}`, 200, { page: 7 }],
    ["HTTP/1.0, a gated path behind an open one", "GET /health/v0/things/a HTTP/1.0\r\n", 404],
    ["HTTP/1.0, slashes before the path", "GET ///////v0/things/a HTTP/1.0\r\n", 404],
    ["slashes before the path", `GET //v0/things/a ${HOST}${KEY}`, 404],
    ["dots out of an open path", `GET /healthz/../v0/things/a ${HOST}`, 401],
    ["encoded dots", `GET /healthz/%2e%2e/v0/things/a ${HOST}`, 401],
    ["a backslash", `GET /v0\\things ${HOST}`, 401],
    ["a fragment", `GET /v0/things/a#b ${HOST}${KEY}`, 200],
    ["TRACE", `TRACE /v0/things ${HOST}${KEY}`, 405],
    ["TRACE in HTTP/1.0", `TRACE /v0/things HTTP/1.0\r\n${KEY}`, 405],
    ["CONNECT", `CONNECT n:80 ${HOST}${KEY}`, 404],
    ["PROPFIND", `PROPFIND /v0/things ${HOST}${KEY}`, 405],
  ];
  for (const [name, head, status, body] of cases) {
    it(`${name}: ${status}`, async (app) => {
      using client = await app.connect();
      await client.write(`${head}\r\n`);
      const response = await client.response();
      expect(response.status).toBe(status);
      expect(response.headers.get("x-request-id")).toBeString();
      expect(response.body).toMatchObject(body ?? {});
      expect(app.log.ofLevel("error")).toEqual([]);
    });
  }
});

describe("bodies on the wire", () => {
  const refusals: readonly (readonly [name: string, head: string, status: number])[] = [
    ["without a key", `POST /v0/things ${HOST}`, 401],
    ["too long", `POST /v0/things ${HOST}${KEY}`, 413],
    ["to no route", `POST /v0/nothing ${HOST}${KEY}`, 404],
  ];
  for (const [name, head, status] of refusals) {
    it(`200 MB ${name}: answered before it is sent, and the connection goes on`, async (app) => {
      using client = await app.connect();
      await client.write(`${head}Content-Length: ${200 * MIB}\r\n\r\n`);
      expect((await client.response()).status).toBe(status);
      const before = process.memoryUsage.rss();
      const piece = Buffer.alloc(MIB, "x");
      for (let sent = 0; sent < 200; sent++) await client.write(piece);
      await client.write(NEXT);
      expect(await client.response()).toMatchObject(NEXT_ANSWER);
      expect(process.memoryUsage.rss() - before).toBeLessThan(100 * MIB);
    });
  }

  it("a stream longer than the runtime's own limit arrives whole", async (app) => {
    using client = await app.connect();
    await client.write(`PUT /v0/things ${HOST}${KEY}Content-Length: ${160 * MIB}\r\n\r\n`);
    const piece = Buffer.alloc(MIB, "x");
    for (let sent = 0; sent < 160; sent++) await client.write(piece);
    expect(await client.response()).toMatchObject({ status: 200, body: { received: 160 * MIB } });
  });

  it("`Expect: 100-continue` is answered, then the request", async (app) => {
    using client = await app.connect();
    await client.write(`POST /v0/things ${HOST}${KEY}Content-Length: 12\r\nExpect: 100-continue\r\n\r\n`);
    expect(await client.until(/\r\n\r\n/)).toStartWith("HTTP/1.1 100 ");
    await client.write('{"name":"a"}');
    expect((await client.response()).status).toBe(201);
  });

  for (const head of ["Content-Length: 500\r\n\r\n{", "Transfer-Encoding: chunked\r\n\r\n1\r\n{\r\n"]) {
    it(`a client that leaves in mid-body is no error of ours (${head.split(":")[0]})`, async (app) => {
      for (const method of ["POST", "PUT"]) {
        using client = await app.connect();
        await client.write(`${method} /v0/things ${HOST}${KEY}${head}`);
        // Another answered request tells that the first one has arrived.
        await app.send("/healthz");
      }
      const left = () => app.log.lines.filter(({ fields }) => fields["status"] === 400);
      while (left().length < 2) await app.send("/healthz");
      const methods = left().map(({ fields }) => fields["method"]);
      expect([new Set(methods), app.log.ofLevel("error")]).toEqual([new Set(["POST", "PUT"]), []]);
    });
  }
});

/** `/slow` answers when `release` is called, `/begun` once `/slow` is being answered. */
function slowRoute() {
  const begun = Promise.withResolvers<void>();
  const released = Promise.withResolvers<void>();
  const route: Route = {
    method: "GET",
    path: "/slow",
    answer: async () => {
      begun.resolve();
      await released.promise;
      return Response.json({ done: true });
    },
  };
  return { route, begun: begun.promise, release: released.resolve };
}

describe("pipelined requests", () => {
  it("whose answers need no waiting are all answered, in order", async (app) => {
    using client = await app.connect();
    const ids = ["a", "b", "missing", "c"];
    await client.write(ids.map((id) => `GET /v0/things/${id} ${HOST}${KEY}\r\n`).join(""));
    for (const id of ids) {
      const body = id === "missing" ? {} : { id };
      expect(await client.response()).toMatchObject({ status: id === "missing" ? 404 : 200, body });
    }
  });

  // The runtime (Bun 1.4.4) closes a connection on which a request arrives before the one ahead of it is answered,
  // and drops that answer. This test says so when it no longer does: then the API's description may allow it.
  test.failing("are answered though the answer to the one ahead is under way", async () => {
    const slow = slowRoute();
    await using app = startStub({ routes: [slow.route] });
    using client = await app.connect();
    await client.write(`GET /slow ${HOST}${KEY}\r\n`.repeat(2));
    void slow.begun.then(() => setImmediate(slow.release));
    for (let n = 0; n < 2; n++) {
      expect(await client.response()).toMatchObject({ status: 200, body: { done: true } });
    }
  });
});

describe("stop", () => {
  test("lets a request in flight finish, and takes no new connection", async () => {
    const slow = slowRoute();
    const app = startStub({ routes: [slow.route] });
    const answer = app.send("/slow");
    await slow.begun;
    const stopped = app.server.stop(60_000);
    await failureOf(app.connect());
    slow.release();
    expect(await (await answer).json()).toEqual({ done: true });
    await stopped;
  });

  test("cuts what is still in flight at the deadline", async () => {
    const slow = slowRoute();
    const app = startStub({ routes: [slow.route] });
    const cut = failureOf(app.send("/slow"));
    await slow.begun;
    await app.server.stop(50);
    await cut;
    slow.release();
    // Without the deadline the runtime cuts it after thirty seconds.
  }, 20_000);

  test("does not wait for connections that are idle", async () => {
    const app = startStub();
    using client = await app.connect();
    await client.write(NEXT);
    await client.response();
    // The longest time a timer knows, and longer than this test may take.
    await app.server.stop(2 ** 31 - 1);
  });

  test("does not wait for the rest of a body that was refused before its end", async () => {
    const refusing: Route = {
      method: "POST",
      path: "/refused",
      answer: async ({ request }) => {
        await request.body?.getReader().read();
        return Response.json({}, { status: 500, headers: { "content-length": "2" } });
      },
    };
    const app = startStub({ routes: [refusing] });
    using client = await app.connect();
    const start = "x".repeat(MIB);
    await client.write(`POST /refused ${HOST}${KEY}Content-Length: ${9 * MIB}\r\n\r\n${start}`);
    expect((await client.response()).status).toBe(500);
    // The client sends no more.
    await app.server.stop(2 ** 31 - 1);
  });
});
