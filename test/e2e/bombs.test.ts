import { afterAll, describe, expect, test } from "bun:test";
import type { RequestOptions } from "../support/server/client.ts";
import { provision, serve } from "../support/server/executable.ts";

// Requests that are small to send, or cheap to send without end, and made to be costly to read.

const MB = 1_000_000;
/** Far more than a server needs that holds none of these requests as a whole. */
const MOST_MEMORY = 400 * MB;

const server = await serve({ env: { COFFER_MAX_FILE_SIZE: "1MiB" } });
const agent = await provision(server);
afterAll(() => server[Symbol.asyncDispose]());

/** A piece again and again, in chunks of about a megabyte. */
function* again(piece: string, megabytes: number): Generator<string> {
  const chunk = piece.repeat(Math.ceil(MB / piece.length));
  for (let n = 0; n < megabytes; n++) yield chunk;
}

/** A body without an announced length. */
function streamed(start: string, rest: Iterable<string>, end = ""): ReadableStream<Uint8Array> {
  const pieces = [start, ...rest, end].filter((piece) => piece !== "").values();
  return new ReadableStream<Uint8Array>({
    pull: (controller) => {
      const next = pieces.next();
      if (next.done === true) controller.close();
      else controller.enqueue(Buffer.from(next.value));
    },
  });
}

/** A request by POST, and the status that refuses it. */
type Bomb = readonly [
  name: string,
  status: number,
  options: () => RequestOptions,
  path: "/v0/keys" | "/v0/files" | "/v0/files/bulk-delete",
];

const FORM = { "content-type": "multipart/form-data; boundary=x" };
const part = (header: string, body = "") =>
  `--x\r\nContent-Disposition: form-data; ${header}\r\n\r\n${body}\r\n`;

/** A body in JSON for a route that reads it whole. */
function whole(name: string, status: number, body: () => string): Bomb {
  return [name, status, () => ({ body: body() }), "/v0/keys"];
}

/** An upload in JSON, whose fields go on like this. */
function upload(name: string, status: number, field: string, rest: () => Iterable<string>, end = ""): Bomb {
  const start = () => `{"drive_id":"${agent.drive}","filename":"f",${field}`;
  return [name, status, () => ({ body: streamed(start(), rest(), end) }), "/v0/files"];
}

/** An upload as a form, which begins like this. */
function form(name: string, status: number, start: string, rest: () => Iterable<string>): Bomb {
  return [name, status, () => ({ body: streamed(start, rest()), headers: FORM }), "/v0/files"];
}

const METADATA = '"content":"","metadata":{"a":';

const BOMBS: readonly Bomb[] = [
  whole("arrays in arrays", 413, () => "[".repeat(MB)),
  whole("objects in objects", 413, () => '{"a":'.repeat(MB / 5)),
  whole("a number of a megabyte", 413, () => `{"name":${"9".repeat(MB)}}`),
  whole("a fraction of a megabyte", 413, () => `{"name":0.${"9".repeat(MB)}}`),
  whole("a text of a megabyte", 413, () => `{"name":"${"x".repeat(MB)}"}`),
  whole("escapes of a megabyte", 413, () => `{"name":"${String.raw`\u0041`.repeat(MB / 6)}"}`),
  whole("100,000 ids", 413, () =>
    JSON.stringify({ file_ids: Array.from({ length: MB / 10 }, () => crypto.randomUUID()) }),
  ),
  whole("more than a megabyte", 413, () => `{"name":"${"x".repeat(2 * MB)}"}`),
  [
    "a megabyte of blanks without an announced length",
    413,
    () => ({ body: streamed("{", again(" ", 50)) }),
    "/v0/keys",
  ],
  [
    "ten megabytes of zeros in ten kilobytes (gzip)",
    415,
    () => ({ body: Bun.gzipSync(Buffer.alloc(10 * MB)), headers: { "content-encoding": "gzip" } }),
    "/v0/keys",
  ],
  [
    "100,000 files to delete",
    400,
    () => ({ body: { file_ids: Array<string>(MB / 10).fill("x") } }),
    "/v0/files/bulk-delete",
  ],
  upload("100,000 tags", 413, '"content":"","tags":[', () => again('"t",', 1), '"t"]}'),
  upload("metadata that is nested deeply", 400, METADATA, () => ["[".repeat(10_000)]),
  upload("a number of a megabyte in metadata", 413, METADATA, () => again("9", 1), "}}"),
  upload("numbers with long exponents", 400, `${METADATA}[`, () => ["1e9999999,".repeat(1000)], "1]}}"),
  upload("unknown fields without end", 413, '"content":""', () => again(',"a":1', 50)),
  upload("an unknown text without end", 413, '"a":"', () => again("x", 50)),
  upload("base64 without end", 413, '"content":"', () => again("AAAA", 50)),
  upload("padding without end", 400, '"content":"AA', () => again("=", 50)),
  upload("blanks within the content", 413, '"content":"', () => again(" ", 50)),
  upload("blanks behind the content", 413, '"content":""', () => again(" ", 50)),
  form("100,000 parts", 400, "", () => [part('name="a"', "b").repeat(MB / 10)]),
  form("100,000 headers of a part", 400, "--x\r\n", () => ["A: b\r\n".repeat(MB / 10)]),
  form("a header without end", 400, "--x\r\nA: ", () => again("b", 50)),
  form("a field without end", 413, part('name="path"').slice(0, -2), () => again("b", 50)),
  form("a field that nobody knows without end", 413, part('name="a"').slice(0, -2), () => again("b", 50)),
  form("a file without end", 413, part('name="file"; filename="f"').slice(0, -2), () => again("b", 50)),
  form("what is almost a delimiter, again and again", 413, part('name="file"; filename="f"'), () =>
    again("\r\n--\r\n-", 50),
  ),
  form("text before the first part", 413, "", () => again("a", 50)),
  form("text behind the last part", 413, `${part('name="path"', "p")}--x--\r\n`, () => again("a", 50)),
  form("delimiters without a part", 400, "", () => ["--x\r\n\r\n\r\n".repeat(MB / 10)]),
];

describe("what is made to be costly is refused, and holds up nobody", () => {
  test.each(BOMBS)("%s", async (_, status, options, path) => {
    const answer = await agent.client.send("POST", path, options());
    expect([answer.status, answer.text.slice(0, 300)]).toEqual([status, expect.stringContaining('"error"')]);
    expect(await agent.client.status("GET", "/v0/drives")).toBe(200);
  });

  test("ranges by the thousand are one", async () => {
    const { id } = await agent.client.put(agent.drive, "ranges", "x".repeat(MB));
    for (const range of ["0-,".repeat(3000), "0-0,".repeat(3000), "-1,".repeat(3000)]) {
      const answer = await agent.client.send("GET", `/v0/files/${id}/download`, {
        headers: { range: `bytes=${range}0-` },
      });
      expect([answer.status, answer.text.length]).toEqual([200, MB]);
    }
  });

  test("what is asked for at length is refused", async () => {
    const queries = [
      `/v0/search?q=${"a%20".repeat(2000)}`,
      `/v0/search?q=${"%22".repeat(2000)}`,
      `/v0/search?q=${encodeURIComponent("(a+)+$".repeat(500))}`,
      `/v0/files?drive_id=${agent.drive}&prefix=${"%25".repeat(2000)}`,
      `/v0/files?drive_id=${agent.drive}&tags=${Array.from({ length: 2000 }, (_, n) => n).join()}`,
      `/v0/search?q=a&tags=${Array.from({ length: 2000 }, (_, n) => n).join()}`,
    ];
    for (const query of queries) {
      const { status } = await agent.client.send("GET", query);
      expect([query.slice(0, 60), status]).toEqual([query.slice(0, 60), 400]);
    }
  });

  test.each([
    ["JSON that is nested deeply", "application/json", "[".repeat(MB), 422],
    [
      "JSON that is nested deeply, and ends",
      "application/json",
      "[".repeat(MB / 2) + "]".repeat(MB / 2),
      200,
    ],
    ["an entity that names itself", "application/xml", '<!DOCTYPE a [<!ENTITY a "&a;&a;">]><a>&a;</a>', 200],
    ["an image of a million lines", "image/svg+xml", "<svg>\n".repeat(MB / 6), 200],
  ])("a text that is extracted: %s", async (name, type, body, status) => {
    const id = await agent.client.store(agent.drive, name, body, `&content_type=${encodeURIComponent(type)}`);
    expect(await agent.client.status("POST", `/v0/files/${id}/extract`)).toBe(status);
  });

  test("and all of it took no more memory than a server has", async () => {
    expect(await server.peakMemory()).toBeLessThan(MOST_MEMORY);
    expect(await server.stop()).toBe(0);
  });
});
