import { expect, test } from "bun:test";
import { connect } from "node:net";
import { testWith } from "../server/test-with.ts";
import { FaultProxy, type FaultRule } from "./fault-proxy.ts";
import type { ProxyFault } from "./proxy-faults.ts";

const SIZE = 100_000;
const STORED = Buffer.alloc(SIZE, "what the engine has ");
const SENT = Buffer.alloc(SIZE, "what is uploaded ");

/** What the engine has, without telling its length before. */
async function* inPieces() {
  yield STORED;
}

/** A server behind a proxy, which says what it was sent and keeps the last upload that was whole. */
async function open() {
  const opened = new AsyncDisposableStack();
  const stored: { upload: Uint8Array | null; headers: Headers[] } = { upload: null, headers: [] };
  const engine = Bun.serve({
    port: 0,
    hostname: "127.0.0.1",
    fetch: async (request) => {
      const { pathname } = new URL(request.url);
      stored.headers.push(request.headers);
      if (request.method === "PUT") stored.upload = await request.bytes();
      if (request.method !== "GET") return new Response(null, { status: 204 });
      if (pathname === "/other") return new Response("of another");
      if (pathname === "/list") return new Response(inPieces);
      return new Response(STORED, {
        headers: { "x-target": request.url.slice(request.url.indexOf("/", 8)) },
      });
    },
  });
  opened.defer(() => engine.stop(true));
  const proxy = opened.use(await FaultProxy.before(`http://127.0.0.1:${engine.port}`));
  return {
    proxy,
    stored,
    inject: (fault: ProxyFault, rule: Omit<FaultRule, "fault"> = {}) => proxy.inject({ fault, ...rule }),
    get: (path = "/some") => fetch(proxy.endpoint + path),
    put: () => fetch(`${proxy.endpoint}/some`, { method: "PUT", body: SENT }),
    [Symbol.asyncDispose]: () => opened.disposeAsync(),
  };
}

const it = testWith(open);

it("passes requests and answers on as they are", async (t) => {
  const target = "/a%2Fb//c%20d?x=%7E&y";
  const answer = await t.get(target);
  expect([answer.status, answer.headers.get("x-target")]).toEqual([200, target]);
  expect(Buffer.from(await answer.bytes()).equals(STORED)).toBe(true);
  expect((await t.put()).status).toBe(204);
  expect(Buffer.from(t.stored.upload ?? []).equals(SENT)).toBe(true);
  expect((await (await t.get("/list")).bytes()).length).toBe(SIZE);
  const { host } = new URL(t.proxy.endpoint);
  expect(t.stored.headers.map((headers) => headers.get("host"))).toEqual([host, host, host]);
  expect(t.proxy.requests.map(({ method, fault }) => [method, fault])).toEqual([
    ["GET", null],
    ["PUT", null],
    ["GET", null],
  ]);
});

it("spoils the requests that a rule means, and no others", async (t) => {
  t.inject(
    { kind: "refused", status: 503, retryAfter: 7 },
    { method: "GET", target: /^\/some/, from: 2, times: 2 },
  );
  const statuses: number[] = [];
  for (const path of ["/some", "/other", "/some"]) statuses.push((await t.get(path)).status);
  statuses.push((await t.put()).status);
  for (const path of ["/some", "/some"]) statuses.push((await t.get(path)).status);
  expect(statuses).toEqual([200, 200, 503, 204, 503, 200]);
});

it("refuses an upload without passing it on, and says when to come again", async (t) => {
  t.inject({ kind: "refused", status: 500 });
  expect((await t.put()).status).toBe(500);
  t.proxy.clear();
  t.inject({ kind: "refused", status: 503, retryAfter: 7 });
  const answer = await t.put();
  expect([answer.status, answer.headers.get("retry-after")]).toEqual([503, "7"]);
  expect(await answer.text()).toContain("SlowDown");
  expect(t.stored.headers).toEqual([]);
});

it("cuts a connection before, in and after an upload", async (t) => {
  for (const [when, arrives] of [
    ["before", false],
    ["upload", false],
    ["after", true],
  ] as const) {
    t.stored.upload = null;
    t.inject({ kind: "cut", when });
    expect([when, await t.put().catch(() => "cut")]).toEqual([when, "cut"]);
    expect([when, t.stored.upload !== null]).toEqual([when, arrives]);
    t.proxy.clear();
  }
});

it("ends an answer in its middle, or with fewer bytes and nothing that tells", async (t) => {
  for (const path of ["/some", "/list"]) {
    for (const fault of [
      { kind: "cut", when: "answer" },
      { kind: "short", says: "whole" },
    ] as const) {
      t.inject(fault);
      const answer = await t.get(path);
      expect([path, fault, answer.status, await answer.bytes().catch(() => "cut")]).toEqual([
        path,
        fault,
        200,
        "cut",
      ]);
      t.proxy.clear();
    }
    t.inject({ kind: "short", says: "half" });
    const answer = await t.get(path);
    expect([path, (await answer.bytes()).length]).toEqual([path, SIZE / 2]);
    t.proxy.clear();
  }
});

/** How many bits differ in two contents of one length. */
function differentBits(one: Uint8Array, other: Uint8Array): number {
  expect(one.length).toBe(other.length);
  return one.reduce(
    (sum, byte, at) => sum + (byte ^ (other[at] ?? 0)).toString(2).replaceAll("0", "").length,
    0,
  );
}

it("changes one bit of an answer, or of an upload", async (t) => {
  for (const path of ["/some", "/list"]) {
    t.inject({ kind: "flipped", body: "answer" });
    expect(differentBits(await (await t.get(path)).bytes(), STORED)).toBe(1);
    t.proxy.clear();
  }
  t.inject({ kind: "flipped", body: "upload" });
  await t.put();
  expect(differentBits(t.stored.upload ?? new Uint8Array(), SENT)).toBe(1);
});

it("gives what is at another target, which has its own signature", async (t) => {
  t.inject({ kind: "foreign", target: "/other" });
  const headers = {
    authorization: "AWS4-HMAC-SHA256 some",
    "x-amz-date": "20260101T000000Z",
    range: "bytes=0-",
  };
  expect(await (await fetch(`${t.proxy.endpoint}/some`, { headers })).text()).toBe("of another");
  const [seen] = t.stored.headers;
  expect(Object.keys(headers).filter((name) => seen?.has(name) === true)).toEqual(["range"]);
});

it("is late or slow by at least so many milliseconds, and all arrives", async (t) => {
  for (const fault of [
    { kind: "late", ms: 40 },
    { kind: "slow", ms: 8 },
  ] as const) {
    t.inject(fault);
    const begun = performance.now();
    expect((await (await t.get()).bytes()).length).toBe(SIZE);
    // Pieces of 16 KiB: seven.
    expect(performance.now() - begun).toBeGreaterThan(39);
    t.proxy.clear();
  }
});

it("passes `100 Continue` on to a client that waits for it", async (t) => {
  const socket = connect(Number(new URL(t.proxy.endpoint).port), "127.0.0.1");
  const head = ["PUT /some HTTP/1.1", "host: x", "content-length: 4", "expect: 100-continue"];
  socket.write(`${head.join("\r\n")}\r\n\r\n`);
  let said = "";
  for await (const piece of socket) {
    said += String(piece);
    if (said.endsWith("100 Continue\r\n\r\n")) socket.write("four");
  }
  expect(said).toContain("204 No Content");
  expect(Buffer.from(t.stored.upload ?? []).toString()).toBe("four");
});

test("a proxy before nobody cuts the connection", async () => {
  await using proxy = await FaultProxy.before("http://127.0.0.1:1");
  expect(await fetch(proxy.endpoint).catch(() => "cut")).toBe("cut");
});
