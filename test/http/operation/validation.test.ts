import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { startStub } from "../stub-app.ts";

let app: ReturnType<typeof startStub>;
beforeAll(() => {
  app = startStub();
});
afterAll(() => app[Symbol.asyncDispose]());

const LIMIT = 64 * 1024;

function post(body: Bun.BodyInit, type?: string, headers: Record<string, string> = {}): Promise<Response> {
  return app.send("/v0/things", {
    method: "POST",
    body,
    headers: { ...headers, ...(type === undefined ? {} : { "content-type": type }) },
  });
}

function padded(bytes: number): string {
  return `{"name":"a","metadata":{"p":"${"x".repeat(bytes - 32)}"}}`;
}

/** A body of unannounced length. */
function chunked(text: string): ReadableStream {
  return new Blob([text]).stream();
}

async function expectRefused(asked: Promise<Response>, error: object): Promise<void> {
  const response = await asked;
  expect(response.status).toBe(400);
  expect(await response.json()).toMatchObject({ error: { code: "VALIDATION_ERROR", ...error } });
}

describe("query parameters", () => {
  const accepted: readonly (readonly [query: string, read: object])[] = [
    ["", { page: 1, limit: 50, inline: false }],
    ["?page=3&limit=1000", { page: 3, limit: 1000, inline: false }],
    ["?page=007", { page: 7, limit: 50, inline: false }],
    ["?inline=1", { page: 1, limit: 50, inline: true }],
    ["?inline=true", { page: 1, limit: 50, inline: true }],
    ["?inline=0", { page: 1, limit: 50, inline: false }],
    ["?drive_id=a+b%20c%2Fd%26e=f", { page: 1, limit: 50, inline: false, drive_id: "a b c/d&e=f" }],
    ["?drive_id=%E6%97%A5", { page: 1, limit: 50, inline: false, drive_id: "日" }],
    ["?page=2&&", { page: 2, limit: 50, inline: false }],
  ];
  for (const [query, read] of accepted) {
    test(`reads ${query || "none"}`, async () => {
      const response = await app.send(`/v0/things${query}`);
      expect([response.status, await response.json()]).toEqual([200, read]);
    });
  }

  const pageProblem = "page must be an integer from 1 to 1000000";
  const refused: readonly (readonly [query: string, field: string, message: string])[] = [
    ["page=0", "page", pageProblem],
    ["page=-1", "page", pageProblem],
    ["page=0x10", "page", pageProblem],
    ["page=1e3", "page", pageProblem],
    ["page=1e400", "page", pageProblem],
    ["page=1.5", "page", pageProblem],
    ["page=+5", "page", pageProblem],
    ["page=", "page", pageProblem],
    ["page", "page", pageProblem],
    ["page=Infinity", "page", pageProblem],
    ["page=99999999999999999999", "page", pageProblem],
    ["page=%D9%A1", "page", pageProblem],
    ["limit=1001", "limit", "limit must be an integer from 1 to 1000"],
    ["page=2&page=3", "page", "page must be given only once"],
    ["inline=yes", "inline", "inline must be true or false"],
    ["drive_id=", "drive_id", "drive_id must be a string of at least 1 characters"],
    ["drive_id=%", "drive_id", "drive_id must be percent-encoded UTF-8"],
    ["drive_id=%FF", "drive_id", "drive_id must be percent-encoded UTF-8"],
    ["drive_id=%ED%A0%80", "drive_id", "drive_id must be percent-encoded UTF-8"],
  ];
  for (const [query, field, message] of refused) {
    test(`refuses ${query}`, () => expectRefused(app.send(`/v0/things?${query}`), { field, message }));
  }
});

describe("path parameters", () => {
  const cases: readonly (readonly [path: string, status: number, id?: string])[] = [
    ["/v0/things/a%2Fb", 200, "a/b"],
    ["/v0/things/a%2520b", 200, "a%20b"],
    ["/v0/things/%00", 200, "\0"],
    ["/v0/things/a/", 200, "a"],
    ["/v0/things/missing", 404],
    ["/v0/things//a", 404],
    ["/v0/%74hings/a", 404],
  ];
  for (const [path, status, id] of cases) {
    test(`${path} answers ${status}`, async () => {
      const response = await app.send(path);
      expect(response.status).toBe(status);
      const body: unknown = await response.json();
      expect(body).toMatchObject(id === undefined ? { error: { request_id: expect.any(String) } } : { id });
    });
  }

  for (const path of ["/v0/things/%", "/v0/things/%FF", "/v0/things/%ED%A0%80"]) {
    test(`refuses ${path}`, () =>
      expectRefused(app.send(path), { message: "The path of the URL must be percent-encoded UTF-8." }));
  }
});

describe("JSON bodies", () => {
  test("hands metadata on unchanged", async () => {
    const sent = {
      name: "a",
      metadata: { nested: [1, "2", { three: null }], big: 1e300, "": "empty key" },
      expires_at: null,
    };
    const response = await post(JSON.stringify(sent));
    expect([response.status, await response.json()]).toEqual([201, { ...sent, by: "account" }]);
  });

  for (const type of [
    "application/json",
    "text/plain",
    "application/x-www-form-urlencoded",
    "multipart/form-data; boundary=x",
    "application/xml",
    "x",
  ]) {
    test(`is read as ${type}`, async () => {
      expect((await post('{"name":"a"}', type)).status).toBe(201);
    });
  }

  test("a DELETE has one too", async () => {
    const response = await app.send("/v0/things", { method: "DELETE", body: '{"confirm":true}' });
    expect(await response.json()).toEqual({ confirm: true });
  });

  const name = "name must be a string of 1 to 64 characters";
  const TOO_MANY = "body must hold at most 2500 values and names: send less at once";
  const refused: readonly (readonly [body: Bun.BodyInit, field: string, message?: string])[] = [
    ["", "body"],
    ["{", "body"],
    ["{'name':'a'}", "body"],
    ["NaN", "body"],
    ["\u0000", "body"],
    ['{"name":"\u0001"}', "body"],
    ["// x\n{}", "body"],
    ["\ufeff", "body"],
    ['\ufeff\ufeff{"name":"a"}', "body"],
    ['{"name":"a"} trailing', "body"],
    ["[]", "body", "body must be an object"],
    ["null", "body", "body must be an object"],
    ['"text"', "body", "body must be an object"],
    ["[".repeat(60_000), "body", "body must not be nested deeper than 64 levels"],
    [`{"name":"a","metadata":{"z":[${"0,".repeat(2493)}0]}}`, "body", TOO_MANY],
    [`{"name":"a","metadata":{"z":[${"[],".repeat(2493)}{}]}}`, "body", TOO_MANY],
    [`{"name":"a","metadata":{${'"k":0,'.repeat(1247)}"k":0}}`, "body", TOO_MANY],
    [`{"name":"a"${'"'.repeat(60_000)}}`, "body", TOO_MANY],
    [`{"name":"a","metadata":${'{"a":'.repeat(100)}1${"}".repeat(100)}}`, "body"],
    [new Uint8Array([0x7b, 0xff, 0x7d]), "body"],
    ["{}", "name", "name is required"],
    ['{"name":null}', "name", name],
    ['{"name":5}', "name", name],
    ['{"name":""}', "name", name],
    [JSON.stringify({ name: "x".repeat(65) }), "name", name],
    ['{"name":"a","tags":"b"}', "tags", "tags must be an array of at most 3 items"],
    ['{"name":"a","tags":["1","2","3","4"]}', "tags", "tags must be an array of at most 3 items"],
    ['{"name":"a","tags":["1","2",3]}', "tags[2]", "tags[2] must be a string of 1 to 5 characters"],
    ['{"name":"a","metadata":[]}', "metadata", "metadata must be an object"],
    ['{"name":"a","scope":"admin"}', "scope", 'scope must be "read-write" or "read-only"'],
    ['{"name":"a","expires_at":5}', "expires_at", "expires_at must be a string or null"],
    ['{"name":"a","confirm":"true"}', "confirm", "confirm must be true or false"],
    ['{"name":"\\ud800"}', "name", "name must be well-formed Unicode"],
    ['{"name":"a","metadata":{"k":["\\udc00"]}}', "metadata.k[0]"],
    ['{"name":"a","metadata":{"\\ud800":1}}', "metadata"],
    ['{"name":"a","ignored":"\\ud800"}', "ignored"],
  ];
  for (const [body, field, message] of refused) {
    test(`refuses ${Bun.inspect(body).slice(0, 60)}`, () =>
      expectRefused(post(body), { field, ...(message === undefined ? {} : { message }) }));
  }

  for (const value of [
    `[${"0,".repeat(2492)}0]`,
    `[${" [ ] ,".repeat(2492)}{ }]`,
    `{${'"k":0,'.repeat(1245)}"k":0}`,
    `["${'[,\\"{:\\\\'.repeat(2000)}"]`,
    "9".repeat(60_000),
  ]) {
    test(`takes as many values and names: ${value.slice(0, 12)}`, async () => {
      expect((await post(`{"name":"a","metadata":{"z":${value}}}`)).status).toBe(201);
    });
  }

  test("takes exactly 64 KiB, announced or not", async () => {
    expect([Buffer.byteLength(padded(LIMIT)), (await post(padded(LIMIT))).status]).toEqual([LIMIT, 201]);
    expect((await post(chunked(padded(LIMIT)))).status).toBe(201);
  });

  test("refuses one byte more, announced or not", async () => {
    for (const body of [padded(LIMIT + 1), chunked(padded(LIMIT + 1))]) {
      const response = await post(body);
      expect(response.status).toBe(413);
      expect(await response.json()).toMatchObject({ error: { code: "PAYLOAD_TOO_LARGE" } });
    }
  });
});

function names(known: string, meant = ""): string {
  return `is not a parameter of this request.${meant && ` Did you mean ${meant}?`} It takes ${known}.`;
}

/** A request that is to be taken with so many unknown parameters. */
function askLeniently(count: number): Promise<Response> {
  return app.send(`/v0/things?${"a=b&".repeat(count)}page=2`, { headers: { prefer: "handling=lenient" } });
}

describe("unknown names", () => {
  const things = "drive_id, page, limit, inline";
  const parameters: readonly (readonly [query: string, field: string, problem: string])[] = [
    ["colour=red", "colour", names(things)],
    ["page=2&limt=3", "limt", names(things, "limit")],
    ["LIMIT=3", "LIMIT", names(things, "limit")],
    ["page_size=3", "page_size", names(things, "limit")],
    ["page=x&colour=red", "colour", names(things)],
    ["__proto__=1", "__proto__", names(things)],
    ["constructor=1", "constructor", names(things)],
    ["=1", '""', names(things)],
    ["a%0d%0ab=%FF", '"a\ufffd\ufffdb"', names(things)],
    ["%E2%80%AEgpj=1", '"\ufffdgpj"', names(things)],
    [`${"x".repeat(3000)}=1`, `${"x".repeat(64)}…`, names(things)],
    [`${"a=b&".repeat(3000)}page=2`, "a", names(things)],
    ["if_match=x", "if_match", names(things)],
  ];
  for (const [query, field, problem] of parameters) {
    test(`the parameter in ${query.slice(0, 40)} is refused`, () =>
      expectRefused(app.send(`/v0/things?${query}`), { field, message: `${field} ${problem}` }));
  }

  test("the fields of a body are refused, and no field of what is free-form", async () => {
    await expectRefused(post('{"name":"a","metadata":{"colour":1},"expires":null}'), {
      field: "expires",
      message:
        "expires is not a field of this request. Did you mean expires_at? It takes name, scope, tags, metadata, expires_at, confirm.",
    });
  });

  const preferences: readonly (readonly [header: string, isLenient: boolean])[] = [
    ["handling=lenient", true],
    ['respond-async, wait=10;a=b,HANDLING = "Lenient" ; x=1', true],
    ['note="a, handling=strict", handling=lenient', true],
    ["handling=lenient, handling=strict", true],
    ["handling=strict, handling=lenient", false],
    ["handling=lenient-ish", false],
    ["handling", false],
    ["lenient", false],
    [`handling=lenient, ${"a,".repeat(1000)}`, false],
  ];
  for (const [prefer, isLenient] of preferences) {
    test(`with Prefer: ${prefer.slice(0, 60)} they are ${isLenient ? "ignored" : "refused"}`, async () => {
      const query = await app.send("/v0/things?colour=red&page=2", { headers: { prefer } });
      const body = await post('{"name":"a","colour":"red"}', undefined, { prefer });
      for (const { status, headers } of [query, body]) {
        expect(status < 300).toBe(isLenient);
        expect(headers.get("preference-applied")).toBe(isLenient ? "handling=lenient" : null);
      }
      expect(await query.json()).toMatchObject(isLenient ? { page: 2 } : { error: { field: "colour" } });
    });
  }

  test("however lenient, so many are refused that they would cost time", async () => {
    expect([(await askLeniently(64)).status, (await askLeniently(65)).status]).toEqual([200, 400]);
    const body = Object.fromEntries(Array.from({ length: 65 }, (_, at) => [`a${at}`, at]));
    const response = await post(JSON.stringify({ name: "a", ...body }), undefined, {
      prefer: "handling=lenient",
    });
    expect(response.status).toBe(400);
  });

  test("what is known needs no lenience, so none is applied", async () => {
    const { status, headers } = await app.send("/v0/things?page=2", {
      headers: { prefer: "handling=lenient" },
    });
    expect([status, headers.get("preference-applied")]).toEqual([200, null]);
  });
});
