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

async function answerTo(head: string) {
  await using app = startStub();
  using client = await app.connect();
  await client.write(`${head}\r\n`);
  const answer = await client.response();
  client.close();
  return answer;
}

describe("a head that is too long is refused with a body and a request id", () => {
  const long = "a".repeat(17_000);
  test.each([
    ["one header", `GET /v0/things HTTP/1.1\r\nHost: n\r\n${KEY}X-Long: ${long}\r\n`],
    [
      "many headers",
      `GET /v0/things HTTP/1.1\r\nHost: n\r\n${KEY}${Array.from({ length: 150 }, (_, i) => `X-${i}: ${"a".repeat(120)}\r\n`).join("")}`,
    ],
    ["the address", `GET /v0/things?x=${long} HTTP/1.1\r\nHost: n\r\n${KEY}`],
    ["a header of 60 KB", `GET /v0/things HTTP/1.1\r\nHost: n\r\n${KEY}X-Long: ${"a".repeat(60_000)}\r\n`],
    ["outside the API", `GET /healthz HTTP/1.1\r\nHost: n\r\nX-Long: ${long}\r\n`],
  ])("%s", async (_, head) => {
    const { status, headers, body } = await answerTo(head);
    expect(status).toBe(431);
    const id = headers.get("x-request-id");
    expect(id).toBeString();
    expect(body).toMatchObject({ error: { code: "HEADERS_TOO_LARGE", request_id: id } });
  });

  test("after the key was checked, and the request counted", async () => {
    const head = `GET /v0/things HTTP/1.1\r\nHost: n\r\nX-Long: ${long}\r\n`;
    expect((await answerTo(head)).status).toBe(401);
    expect((await answerTo(head + KEY)).headers.get("x-ratelimit-remaining")).toBeString();
  });

  test("15 KB are taken", async () => {
    const head = `GET /v0/things/a HTTP/1.1\r\nHost: n\r\n${KEY}X-Long: ${"a".repeat(15_000)}\r\n`;
    expect(await answerTo(head)).toMatchObject({ status: 200, body: { id: "a" } });
  });
});

// What the runtime (Bun 1.4.4) answers by itself: no setting makes these ours. The API's description says so; these
// tests say when it changes.
describe("the runtime's own answer, without a body, ends the connection:", () => {
  const refusals: readonly (readonly [name: string, head: string, line: string])[] = [
    ["a line that is no header", "GET / HTTP/1.1\r\nHost: n\r\nno colon\r\n", "HTTP/1.1 400 Bad Request"],
    ["no Host", "GET / HTTP/1.1\r\n", "HTTP/1.1 400 Bad Request"],
    ["HTTP/3.0", "GET / HTTP/3.0\r\nHost: n\r\n", "HTTP/1.1 505 HTTP Version Not Supported"],
    [
      "a head of more than 64 KiB",
      `GET / HTTP/1.1\r\nHost: n\r\nX-Long: ${"a".repeat(66_000)}\r\n`,
      "HTTP/1.1 431 Request Header Fields Too Large",
    ],
    [
      "more than 200 headers",
      `GET / HTTP/1.1\r\nHost: n\r\n${"X-A: b\r\n".repeat(201)}`,
      "HTTP/1.1 431 Request Header Fields Too Large",
    ],
  ];
  const methods = ["FROB", "get", "GETS"].map(
    (method) => [method, `${method} / HTTP/1.1\r\nHost: n\r\n`, ""] as const,
  );
  test.each([...refusals, ...methods])("%s", async (_, head, line) => {
    await using app = startStub();
    using client = await app.connect();
    await client.write(`${head}\r\n`);
    expect(await client.until(/never/)).toBe(line === "" ? "" : `${line}\r\nConnection: close\r\n\r\n`);
  });
});
