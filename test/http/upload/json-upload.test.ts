import { describe, expect, test } from "bun:test";
import { CofferError } from "../../../src/domain/errors.ts";
import { readJsonUpload } from "../../../src/http/upload/json.ts";
import { readUpload } from "../../support/samples/upload-bodies.ts";

function read(bytes: Uint8Array | string, size: number) {
  return readUpload(Buffer.from(bytes), size, readJsonUpload);
}

const SIZES = [1, 2, 3, 5, 7, 64, 1 << 20];

const nested = (levels: number) => `${'{"a":'.repeat(levels - 1)}{}${"}".repeat(levels - 1)}`;

/** The fields, and as Latin-1 the content where one is streamed: among the fields it is empty. */
test.each<[name: string, json: string, fields: object, content?: string | null]>([
  ["content first", '{"content":"SGVsbG8=","path":"a"}', { path: "a" }, "Hello"],
  ["content last", '{"path":"a","content":"SGVsbG8="}', { path: "a" }, "Hello"],
  ["whitespace everywhere", ' \n{ "content" \t:\r\n "SGVsbG8=" , "path" : "a" } \n', { path: "a" }, "Hello"],
  ["no content", '{"path":"a"}', { path: "a" }],
  ["empty object", "{}", {}],
  ["empty content", '{"content":""}', {}, ""],
  ["content of spaces", '{"content":"  "}', {}, ""],
  ["key with escapes", String.raw`{"con\u0074en\u0074":"SGk"}`, {}, "Hi"],
  ["key all escapes", String.raw`{"\u0063\u006f\u006E\u0074\u0065\u006e\u0074":"SGk"}`, {}, "Hi"],
  ["key that only looks escaped", String.raw`{"con\\u0074ent":"SGk"}`, { "con\\u0074ent": "SGk" }],
  [
    "content in metadata",
    '{"metadata":{"content":"SGk"},"content":"SGk"}',
    { metadata: { content: "SGk" } },
    "Hi",
  ],
  ["content in an array", '{"tags":["content",{"content":"x"}]}', { tags: ["content", { content: "x" }] }],
  ["content as a value", '{"path":"content","a":"b"}', { path: "content", a: "b" }],
  ["strings that look like structure", String.raw`{"a":"}]\"{\\","content":"SGk"}`, { a: '}]"{\\' }, "Hi"],
  ["byte order mark", '\ufeff{"content":"SGk"}', {}, "Hi"],
  ["null content", '{"content":null}', { content: null }],
  ["number content", '{"content":5}', { content: 5 }],
  ["array content", '{"content":["SGk"]}', { content: ["SGk"] }],
  ["object content", '{"content":{"content":"SGk"}}', { content: { content: "SGk" } }],
  ["escaped solidus", String.raw`{"content":"\/\/\/\/"}`, {}, "\xff\xff\xff"],
  ["escaped whitespace", String.raw`{"content":"\tSG\nVs \t\r\nbG8=\n"}`, {}, "Hello"],
  ["unicode escapes", String.raw`{"content":"\u0053\u000aG\u0009\u000Dk\u003D"}`, {}, "Hi"],
  ["no padding, two digits", '{"content":"SA"}', {}, "H"],
  ["no padding, three digits", '{"content":"SGk"}', {}, "Hi"],
  ["padding on a line of its own", String.raw`{"content":" SA \n == "}`, {}, "H"],
  ["non-zero trailing bits", '{"content":"SB=="}', {}, "H"],
  ["multibyte fields", '{"path":"é日本😀","content":"SGk"}', { path: "é日本😀" }, "Hi"],
  ["64 levels", nested(64), JSON.parse(nested(64))],
])("a JSON upload is read: %s", async (_, json, fields, content = null) => {
  for (const size of SIZES) {
    const upload = await read(json, size);
    expect(upload.error).toBeUndefined();
    expect(upload.fields).toEqual(content === null ? fields : { content: "", ...fields });
    expect(upload.contentKey !== null).toBe(content !== null);
    expect(upload.content.toString("latin1")).toBe(content ?? "");
  }
});

/** Whose field is the body, unless another is named; the position is that of the fault in the content. */
type Refused = readonly [
  name: string,
  json: string | Uint8Array,
  field?: string | null,
  position?: number | null,
  code?: string,
];

const refused: readonly Refused[] = [
  ["empty body", ""],
  ["only whitespace", " \n "],
  ["array", "[]"],
  ["string", '"x"'],
  ["number", "1"],
  ["byte order mark alone", "\ufeff"],
  ["two byte order marks", "\ufeff\ufeff{}"],
  ["byte order mark after white space", " \ufeff{}"],
  ["byte order mark after the object", "{}\ufeff"],
  ["half a byte order mark", new Uint8Array([0xef, 0xbb, 0x7b, 0x7d])],
  ["array of an upload", '[{"content":"SGk"}]'],
  ["two objects", '{}{"content":"SGk"}'],
  ["text after the object", '{"content":"SGk"} x'],
  ["cut short in the content", '{"content":"SGVs'],
  ["cut short in an escape", String.raw`{"content":"SG\u00`],
  ["cut short after the content", '{"content":"SGVs"'],
  ["cut short before the value", '{"content":'],
  ["cut short in a field", '{"path":"a'],
  ["no colon", '{"content" "SGk"}'],
  ["two colons", '{"content"::"SGk"}'],
  ["two strings", '{"content":"SGk" "SGk"}'],
  ["trailing comma", '{"content":"SGk",}'],
  ["brackets that do not match", '{"content":"SGk"]'],
  ["invalid UTF-8 in a field", Buffer.from('{"path":"\xff"}', "latin1")],
  ["raw control character in a field", '{"path":"a\nb"}'],
  ["100,000 open brackets", `{"a":${"[".repeat(100_000)}`],
  ["100,000 nested arrays", `{"a":${"[".repeat(100_000)}${"]".repeat(100_000)}}`],
  ["65 levels", nested(65)],
  ["fields above 256 KiB", `{"a":"${"x".repeat(256 * 1024)}"}`, null, null, "PAYLOAD_TOO_LARGE"],
  ["two contents", '{"content":"SGk","content":"SGk"}', "content"],
  ["two contents, one escaped", String.raw`{"content":"SGk","\u0063ontent":"SGk"}`, "content"],
  ["two contents, the first no string", '{"content":1,"content":"SGk"}', "content"],
  ["two contents, the second no string", '{"content":"SGk","content":1}', "content"],
  ["foreign character", '{"content":"SGVs*G8="}', "content", 4],
  ["foreign character after whitespace", String.raw`{"content":"SG\nVs\u0020*"}`, "content", 6],
  ["minus of the URL alphabet", '{"content":"SG-s"}', "content", 2],
  ["underscore of the URL alphabet", '{"content":"SGVs_w=="}', "content", 4],
  ["not ASCII", '{"content":"SGVsé"}', "content", 4],
  ["not ASCII, escaped", String.raw`{"content":"SG\u00e9"}`, "content", 2],
  ["beyond one byte, escaped", String.raw`{"content":"SG\u0141"}`, "content", 2],
  ["raw line break", '{"content":"SGVs\nbG8="}', "content", 4],
  ["raw tab", '{"content":"\tSGVs"}', "content", 0],
  ["form feed", String.raw`{"content":"SG\fVs"}`, "content", 2],
  ["NUL", String.raw`{"content":"SG\u0000"}`, "content", 2],
  ["escaped quote", String.raw`{"content":"SG\"Vs"}`, "content", 2],
  ["escaped backslash", String.raw`{"content":"SG\\Vs"}`, "content", 2],
  ["unknown escape", String.raw`{"content":"SG\xVs"}`, "content", 2],
  ["escape without hex digits", String.raw`{"content":"SG\u00g0"}`, "content", 2],
  ["escape cut by the quote", String.raw`{"content":"SG\u00"}`, "content", 2],
  ["first of several faults", '{"content":"SG*s-"}', "content", 2],
  ["lone character", '{"content":"SGVsb"}', "content", 4],
  ["lone character before whitespace", String.raw`{"content":"SGVs\nb  "}`, "content", 5],
  ["words", '{"content":"some plain text"}', "content", 4],
  ["blanks between words", String.raw`{"content":"\nsome \t text"}`, "content", 5],
  ["a tab between words", String.raw`{"content":"some\u0009text"}`, "content", 4],
  ["words on a later line", String.raw`{"content":"AAAA\nsome text"}`, "content", 9],
  ["padding apart", '{"content":"SA = ="}', "content", 2],
  ["padding alone", '{"content":"="}', "content", 0],
  ["padding after one digit", '{"content":"S==="}', "content", 1],
  ["padding after a whole quartet", '{"content":"SGVs="}', "content", 4],
  ["padding that is short", '{"content":"SA="}', "content", 2],
  ["padding that is long", '{"content":"SGk=="}', "content", 4],
  ["padding in the middle", '{"content":"SA==SA=="}', "content", 4],
  ["padding within a quartet", '{"content":"SG=s"}', "content", 3],
];

describe("a JSON upload is refused", () => {
  test.each(refused)("%s", async (_, json, field = "body", position = null, code = "VALIDATION_ERROR") => {
    for (const size of json.length > 1000 ? [1000] : SIZES) {
      const { error } = await read(json, size);
      expect(error).toBeInstanceOf(CofferError);
      expect(error).toMatchObject({ code, field: field ?? undefined });
      if (position !== null) expect(String(error)).toContain(` at position ${position}.`);
    }
  });

  test("and the rest of the body is left unread", async () => {
    const { error, cancelled } = await read(`{"encoding":"base64","content":"S*${"A".repeat(1000)}"}`, 10);
    expect(error).toBeInstanceOf(CofferError);
    expect(cancelled).toBeTrue();
  });

  test.each([8, 131_072, 131_073, 262_144])(
    "with the position of a fault after %p characters",
    async (length) => {
      const { error } = await read(`{"content":"${"A".repeat(length)}*"}`, 65_536);
      expect(String(error)).toContain(` at position ${length}.`);
    },
  );
});

test("every byte that is not in the alphabet is refused wherever it stands", async () => {
  const alphabet = /[A-Za-z0-9+/= "\\]/;
  for (let byte = 0; byte < 256; byte++) {
    for (let at = 0; at < 8; at++) {
      if (alphabet.test(String.fromCharCode(byte))) continue;
      const json = Buffer.from('{"content":"AAAAAAAA"}');
      json[json.indexOf("A") + at] = byte;
      const { error } = await read(json, 100);
      expect(String(error)).toContain(` at position ${at}.`);
    }
  }
});

test("a key __proto__ is an ordinary property", async () => {
  const { fields } = await read('{"__proto__":{"polluted":1},"metadata":{"__proto__":{"polluted":1}}}', 10);
  expect(Object.getOwnPropertyNames(fields)).toContain("__proto__");
  expect(Reflect.get({}, "polluted")).toBeUndefined();
});

test("a refusal over a socket reaches a client that has sent half its body", async () => {
  using server = Bun.serve({
    port: 0,
    fetch: async ({ body }) => {
      try {
        await readJsonUpload(body ?? new ReadableStream(), async () => {});
        return new Response("read");
      } catch (error) {
        return new Response(null, { status: error instanceof CofferError ? 400 : 500 });
      }
    },
  });
  const send = (start: string) =>
    fetch(server.url, { method: "POST", body: `{"content":"${start}${"A".repeat(4 << 20)}"}` });
  expect([(await send("*")).status, (await send("")).status]).toEqual([400, 200]);
});
