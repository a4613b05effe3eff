import { afterAll, describe, expect, test } from "bun:test";
import { startStub } from "../stub-app.ts";

const app = startStub();
afterAll(() => app[Symbol.asyncDispose]());

const LIMIT = 64 * 1024;

function post(body: Bun.BodyInit, headers: Record<string, string> = {}): Promise<Response> {
  return app.send("/v0/things", { method: "POST", body, headers });
}

/** @param said the field at fault, or the whole message, which begins with it */
async function expectRefused(asked: Promise<Response>, said: string): Promise<void> {
  const [field = ""] = said.split(" ");
  const error = { code: "VALIDATION_ERROR", field, ...(said === field ? {} : { message: said }) };
  const response = await asked;
  expect([response.status, await response.json()]).toMatchObject([400, { error }]);
}

describe("query parameters", () => {
  test.each<[query: string, read: object]>([
    ["", {}],
    ["page=3&limit=1000", { page: 3, limit: 1000 }],
    ["page=007", { page: 7 }],
    ["inline=1", { inline: true }],
    ["inline=true", { inline: true }],
    ["inline=0", { inline: false }],
    ["drive_id=a+b%20c%2Fd%26e=f", { drive_id: "a b c/d&e=f" }],
    ["drive_id=%E6%97%A5", { drive_id: "日" }],
    ["page=2&&", { page: 2 }],
  ])("reads ?%s", async (query, read) => {
    const response = await app.send(`/v0/things?${query}`);
    const all = { page: 1, limit: 50, inline: false, ...read };
    expect([response.status, await response.json()]).toEqual([200, all]);
  });

  const noPages = ["0", "-1", "0x10", "1e3", "1e400", "1.5", "+5", "", "Infinity", "9".repeat(20), "%D9%A1"];
  const noTexts = ["%", "%FF", "%ED%A0%80"];
  test.each([
    ["page", "page must be an integer from 1 to 1000000"],
    ...noPages.map((value) => [`page=${value}`, "page must be an integer from 1 to 1000000"]),
    ["limit=1001", "limit must be an integer from 1 to 1000"],
    ["page=2&page=3", "page must be given only once"],
    ["inline=yes", "inline must be true or false"],
    ["drive_id=", "drive_id must be a string of at least 1 characters"],
    ...noTexts.map((value) => [`drive_id=${value}`, "drive_id must be percent-encoded UTF-8"]),
  ])("refuses %s", (query = "", said = "") => expectRefused(app.send(`/v0/things?${query}`), said));
});

describe("path parameters", () => {
  const noText = "The path of the URL must be percent-encoded UTF-8.";
  const malformed = { error: { code: "VALIDATION_ERROR", message: noText } };
  const nothing = { error: { request_id: expect.any(String) } };
  test.each<[path: string, status: number, body: object]>([
    ["/v0/things/a%2Fb", 200, { id: "a/b" }],
    ["/v0/things/a%2520b", 200, { id: "a%20b" }],
    ["/v0/things/%00", 200, { id: "\0" }],
    ["/v0/things/a/", 200, { id: "a" }],
    ["/v0/things/missing", 404, nothing],
    ["/v0/things//a", 404, nothing],
    ["/v0/%74hings/a", 404, nothing],
    ["/v0/things/%", 400, malformed],
    ["/v0/things/%FF", 400, malformed],
    ["/v0/things/%ED%A0%80", 400, malformed],
  ])("%s answers %d", async (path, status, body) => {
    const response = await app.send(path);
    expect([response.status, await response.json()]).toMatchObject([status, body]);
  });
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

  test.each([
    "application/json",
    "text/plain",
    "application/x-www-form-urlencoded",
    "application/xml",
    "x",
    "multipart/form-data; boundary=x",
  ])("is read as %s", async (type) => {
    expect((await post('{"name":"a"}', { "content-type": type })).status).toBe(201);
  });

  test("a DELETE has one too", async () => {
    const response = await app.send("/v0/things", { method: "DELETE", body: '{"confirm":true}' });
    expect(await response.json()).toEqual({ confirm: true });
  });

  const name = "name must be a string of 1 to 64 characters";
  const TOO_MANY = "body must hold at most 2500 values and names: send less at once";
  const malformed = ["", "{", "{'name':'a'}", "NaN", "\u0000", '{"name":"\u0001"}', "// x\n{}", "\ufeff"];
  const refused: readonly (readonly [body: Bun.BodyInit, said: string])[] = [
    ...malformed.map((body): [string, string] => [body, "body"]),
    ['\ufeff\ufeff{"name":"a"}', "body"],
    ['{"name":"a"} trailing', "body"],
    ...["[]", "null", '"text"'].map((body): [string, string] => [body, "body must be an object"]),
    ["[".repeat(60_000), "body must not be nested deeper than 64 levels"],
    [`{"name":"a","metadata":{"z":[${"0,".repeat(2493)}0]}}`, TOO_MANY],
    [`{"name":"a","metadata":{"z":[${"[],".repeat(2493)}{}]}}`, TOO_MANY],
    [`{"name":"a","metadata":{${'"k":0,'.repeat(1247)}"k":0}}`, TOO_MANY],
    [`{"name":"a"${'"'.repeat(60_000)}}`, TOO_MANY],
    [`{"name":"a","metadata":${'{"a":'.repeat(100)}1${"}".repeat(100)}}`, "body"],
    [new Uint8Array([0x7b, 0xff, 0x7d]), "body"],
    ["{}", "name is required"],
    ['{"name":null}', name],
    ['{"name":5}', name],
    ['{"name":""}', name],
    [JSON.stringify({ name: "x".repeat(65) }), name],
    ['{"name":"a","tags":"b"}', "tags must be an array of at most 3 items"],
    ['{"name":"a","tags":["1","2","3","4"]}', "tags must be an array of at most 3 items"],
    ['{"name":"a","tags":["1","2",3]}', "tags[2] must be a string of 1 to 5 characters"],
    ['{"name":"a","metadata":[]}', "metadata must be an object"],
    ['{"name":"a","scope":"admin"}', 'scope must be "read-write" or "read-only"'],
    ['{"name":"a","expires_at":5}', "expires_at must be a string or null"],
    ['{"name":"a","confirm":"true"}', "confirm must be true or false"],
    ['{"name":"\\ud800"}', "name must be well-formed Unicode"],
    ['{"name":"a","metadata":{"k":["\\udc00"]}}', "metadata.k[0]"],
    ['{"name":"a","metadata":{"\\ud800":1}}', "metadata"],
    ['{"name":"a","ignored":"\\ud800"}', "ignored"],
  ];
  for (const [body, said] of refused) {
    test(`refuses ${Bun.inspect(body).slice(0, 60)}`, () => expectRefused(post(body), said));
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

  test("takes exactly 64 KiB and not one byte more, announced or not", async () => {
    for (const bytes of [LIMIT, LIMIT + 1]) {
      const text = `{"name":"a","metadata":{"p":"${"x".repeat(bytes - 32)}"}}`;
      for (const body of [text, new Blob([text]).stream()]) {
        const answer = await post(body);
        expect([Buffer.byteLength(text), answer.status]).toEqual([bytes, bytes > LIMIT ? 413 : 201]);
        if (bytes > LIMIT)
          expect(await answer.json()).toMatchObject({ error: { code: "PAYLOAD_TOO_LARGE" } });
      }
    }
  });
});

const LENIENT = { prefer: "handling=lenient" };

describe("unknown names", () => {
  const parameters: readonly (readonly [query: string, field: string, meant?: string])[] = [
    ["colour=red", "colour"],
    ["page=2&limt=3", "limt", "limit"],
    ["LIMIT=3", "LIMIT", "limit"],
    ["page_size=3", "page_size", "limit"],
    ["page=x&colour=red", "colour"],
    ["__proto__=1", "__proto__"],
    ["constructor=1", "constructor"],
    ["=1", '""'],
    ["a%0d%0ab=%FF", '"a\ufffd\ufffdb"'],
    ["%E2%80%AEgpj=1", '"\ufffdgpj"'],
    [`${"x".repeat(3000)}=1`, `${"x".repeat(64)}…`],
    [`${"a=b&".repeat(3000)}page=2`, "a"],
    ["if_match=x", "if_match"],
  ];
  for (const [query, field, meant] of parameters) {
    test(`the parameter in ${query.slice(0, 40)} is refused`, () => {
      const hint = meant === undefined ? "" : ` Did you mean ${meant}?`;
      const known = "drive_id, page, limit, inline";
      const said = `${field} is not a parameter of this request.${hint} It takes ${known}.`;
      return expectRefused(app.send(`/v0/things?${query}`), said);
    });
  }

  test("the fields of a body are refused, and no field of what is free-form", async () => {
    await expectRefused(
      post('{"name":"a","metadata":{"colour":1},"expires":null}'),
      "expires is not a field of this request. Did you mean expires_at? It takes name, scope, tags, metadata, expires_at, confirm.",
    );
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
      const body = await post('{"name":"a","colour":"red"}', { prefer });
      for (const { status, headers } of [query, body]) {
        expect(status < 300).toBe(isLenient);
        expect(headers.get("preference-applied")).toBe(isLenient ? "handling=lenient" : null);
      }
      expect(await query.json()).toMatchObject(isLenient ? { page: 2 } : { error: { field: "colour" } });
    });
  }

  test("however lenient, so many are refused that they would cost time", async () => {
    const asked = [64, 65].map((count) =>
      app.send(`/v0/things?${"a=b&".repeat(count)}page=2`, { headers: LENIENT }),
    );
    expect((await Promise.all(asked)).map(({ status }) => status)).toEqual([200, 400]);
    const body = Object.fromEntries(Array.from({ length: 65 }, (_, at) => [`a${at}`, at]));
    const response = await post(JSON.stringify({ name: "a", ...body }), LENIENT);
    expect(response.status).toBe(400);
  });

  test("what is known needs no lenience, so none is applied", async () => {
    const { status, headers } = await app.send("/v0/things?page=2", { headers: LENIENT });
    expect([status, headers.get("preference-applied")]).toEqual([200, null]);
  });
});
