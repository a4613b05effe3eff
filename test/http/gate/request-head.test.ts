import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import http from "node:http";
import { KEY, startStub } from "../stub-app.ts";

// The executable is built with this limit of the runtime.
const own = http.maxHeaderSize;
beforeAll(() => {
  Reflect.set(http, "maxHeaderSize", 64 * 1024);
});
afterAll(() => {
  Reflect.set(http, "maxHeaderSize", own);
});

const TARGET = "GET /v0/things HTTP/1.1\r\nHost: n\r\n";

async function answerTo(head: string) {
  await using app = startStub();
  using client = await app.connect();
  await client.write(`${head}\r\n`);
  return await client.response();
}

describe("a head that is too long is refused with a body and a request id", () => {
  const long = "a".repeat(17_000);
  const lines = Array.from({ length: 150 }, (_, n) => `X-${n}: ${"a".repeat(120)}\r\n`);
  test.each([
    ["one header", `${TARGET}${KEY}X-Long: ${long}\r\n`],
    ["many headers", `${TARGET}${KEY}${lines.join("")}`],
    ["the address", `GET /v0/things?x=${long} HTTP/1.1\r\nHost: n\r\n${KEY}`],
    ["a header of 60 KB", `${TARGET}${KEY}X-Long: ${"a".repeat(60_000)}\r\n`],
    ["outside the API", `GET /healthz HTTP/1.1\r\nHost: n\r\nX-Long: ${long}\r\n`],
  ])("%s", async (_, head) => {
    const { status, headers, body } = await answerTo(head);
    const id = headers.get("x-request-id");
    expect([status, id]).toEqual([431, expect.any(String)]);
    expect(body).toMatchObject({ error: { code: "HEADERS_TOO_LARGE", request_id: id } });
  });

  test("after the key was checked, and the request counted", async () => {
    const head = `${TARGET}X-Long: ${long}\r\n`;
    expect((await answerTo(head)).status).toBe(401);
    expect((await answerTo(head + KEY)).headers.get("x-ratelimit-remaining")).toBeString();
  });

  test("15 KB are taken", async () => {
    expect(await answerTo(`${TARGET}${KEY}X-Long: ${"a".repeat(15_000)}\r\n`)).toMatchObject({ status: 200 });
  });
});

// What the runtime (Bun 1.4.4) answers by itself: no setting makes these ours. The API's description says so; these
// tests say when it changes.
describe("the runtime's own answer, without a body, ends the connection:", () => {
  const long = `X-Long: ${"a".repeat(66_000)}\r\n`;
  test.each<[name: string, head: string, status?: string]>([
    ["a line that is no header", "GET / HTTP/1.1\r\nHost: n\r\nno colon\r\n", "400 Bad Request"],
    ["no Host", "GET / HTTP/1.1\r\n", "400 Bad Request"],
    ["HTTP/3.0", "GET / HTTP/3.0\r\nHost: n\r\n", "505 HTTP Version Not Supported"],
    ["a head of more than 64 KiB", TARGET + long, "431 Request Header Fields Too Large"],
    ["more than 200 headers", TARGET + "X-A: b\r\n".repeat(201), "431 Request Header Fields Too Large"],
    ["FROB", "FROB / HTTP/1.1\r\nHost: n\r\n"],
    ["get", "get / HTTP/1.1\r\nHost: n\r\n"],
    ["GETS", "GETS / HTTP/1.1\r\nHost: n\r\n"],
  ])("%s", async (_, head, status = "") => {
    await using app = startStub();
    using client = await app.connect();
    await client.write(`${head}\r\n`);
    const said = status === "" ? "" : `HTTP/1.1 ${status}\r\nConnection: close\r\n\r\n`;
    expect(await client.until(/never/)).toBe(said);
  });
});
