import { describe, expect, test } from "bun:test";
import { CofferError } from "../../../src/domain/errors.ts";
import { readJsonUpload } from "../../../src/http/upload/json.ts";
import { bodyOf, rejectionOf } from "../../support/samples/upload-bodies.ts";

async function read(bytes: Uint8Array, size: number) {
  const pieces: Uint8Array[] = [];
  const { body, cancelled } = bodyOf(bytes, size);
  try {
    const upload = await readJsonUpload(body, async (piece) => {
      pieces.push(Uint8Array.from(piece));
    });
    return { ...upload, content: Buffer.concat(pieces), error: undefined, cancelled: cancelled() };
  } catch (error) {
    expect(body.locked).toBeFalse();
    return { fields: undefined, contentKey: null, content: Buffer.alloc(0), error, cancelled: cancelled() };
  }
}

const SIZES = [1, 2, 3, 5, 7, 64, 1 << 20];

interface Accepted {
  name: string;
  json: string;
  fields: unknown;
  /** As Latin-1; absent when no content is streamed. */
  content?: string;
}

const accepted: Accepted[] = [
  {
    name: "content first",
    json: '{"content":"SGVsbG8=","path":"a"}',
    fields: { content: "", path: "a" },
    content: "Hello",
  },
  {
    name: "content last",
    json: '{"path":"a","content":"SGVsbG8="}',
    fields: { path: "a", content: "" },
    content: "Hello",
  },
  {
    name: "whitespace everywhere",
    json: ' \n{ "content" \t:\r\n "SGVsbG8=" , "path" : "a" } \n',
    fields: { content: "", path: "a" },
    content: "Hello",
  },
  { name: "no content", json: '{"path":"a"}', fields: { path: "a" } },
  { name: "empty object", json: "{}", fields: {} },
  { name: "empty content", json: '{"content":""}', fields: { content: "" }, content: "" },
  { name: "content of spaces", json: '{"content":"  "}', fields: { content: "" }, content: "" },
  {
    name: "key with escapes",
    json: String.raw`{"con\u0074en\u0074":"SGk"}`,
    fields: { content: "" },
    content: "Hi",
  },
  {
    name: "key all escapes",
    json: String.raw`{"\u0063\u006f\u006E\u0074\u0065\u006e\u0074":"SGk"}`,
    fields: { content: "" },
    content: "Hi",
  },
  {
    name: "key that only looks escaped",
    json: String.raw`{"con\\u0074ent":"SGk"}`,
    fields: { "con\\u0074ent": "SGk" },
  },
  {
    name: "content in metadata",
    json: '{"metadata":{"content":"SGk"},"content":"SGk"}',
    fields: { metadata: { content: "SGk" }, content: "" },
    content: "Hi",
  },
  {
    name: "content in an array",
    json: '{"tags":["content",{"content":"x"}]}',
    fields: { tags: ["content", { content: "x" }] },
  },
  { name: "content as a value", json: '{"path":"content","a":"b"}', fields: { path: "content", a: "b" } },
  {
    name: "strings that look like structure",
    json: String.raw`{"a":"}]\"{\\","content":"SGk"}`,
    fields: { a: '}]"{\\', content: "" },
    content: "Hi",
  },
  { name: "byte order mark", json: '\ufeff{"content":"SGk"}', fields: { content: "" }, content: "Hi" },
  { name: "null content", json: '{"content":null}', fields: { content: null } },
  { name: "number content", json: '{"content":5}', fields: { content: 5 } },
  { name: "array content", json: '{"content":["SGk"]}', fields: { content: ["SGk"] } },
  { name: "object content", json: '{"content":{"content":"SGk"}}', fields: { content: { content: "SGk" } } },
  {
    name: "escaped solidus",
    json: String.raw`{"content":"\/\/\/\/"}`,
    fields: { content: "" },
    content: "\xff\xff\xff",
  },
  {
    name: "escaped whitespace",
    json: String.raw`{"content":"\tSG\nVs \t\r\nbG8=\n"}`,
    fields: { content: "" },
    content: "Hello",
  },
  {
    name: "unicode escapes",
    json: String.raw`{"content":"\u0053\u000aG\u0009\u000Dk\u003D"}`,
    fields: { content: "" },
    content: "Hi",
  },
  { name: "no padding, two digits", json: '{"content":"SA"}', fields: { content: "" }, content: "H" },
  { name: "no padding, three digits", json: '{"content":"SGk"}', fields: { content: "" }, content: "Hi" },
  {
    name: "padding on a line of its own",
    json: String.raw`{"content":" SA \n == "}`,
    fields: { content: "" },
    content: "H",
  },
  { name: "non-zero trailing bits", json: '{"content":"SB=="}', fields: { content: "" }, content: "H" },
  {
    name: "multibyte fields",
    json: '{"path":"é日本😀","content":"SGk"}',
    fields: { path: "é日本😀", content: "" },
    content: "Hi",
  },
  {
    name: "64 levels",
    json: `${'{"a":'.repeat(63)}{}${"}".repeat(63)}`,
    fields: JSON.parse(`${'{"a":'.repeat(63)}{}${"}".repeat(63)}`),
  },
];

interface Refused {
  name: string;
  json: string | Uint8Array;
  field: string | undefined;
  code?: string;
  /** Of the character in the content that is named. */
  position?: number;
}

const refused: Refused[] = [
  { name: "empty body", json: "", field: "body" },
  { name: "only whitespace", json: " \n ", field: "body" },
  { name: "array", json: "[]", field: "body" },
  { name: "string", json: '"x"', field: "body" },
  { name: "number", json: "1", field: "body" },
  { name: "byte order mark alone", json: "\ufeff", field: "body" },
  { name: "two byte order marks", json: "\ufeff\ufeff{}", field: "body" },
  { name: "byte order mark after white space", json: " \ufeff{}", field: "body" },
  { name: "byte order mark after the object", json: "{}\ufeff", field: "body" },
  { name: "half a byte order mark", json: new Uint8Array([0xef, 0xbb, 0x7b, 0x7d]), field: "body" },
  { name: "array of an upload", json: '[{"content":"SGk"}]', field: "body" },
  { name: "two objects", json: '{}{"content":"SGk"}', field: "body" },
  { name: "text after the object", json: '{"content":"SGk"} x', field: "body" },
  { name: "cut short in the content", json: '{"content":"SGVs', field: "body" },
  { name: "cut short in an escape", json: String.raw`{"content":"SG\u00`, field: "body" },
  { name: "cut short after the content", json: '{"content":"SGVs"', field: "body" },
  { name: "cut short before the value", json: '{"content":', field: "body" },
  { name: "cut short in a field", json: '{"path":"a', field: "body" },
  { name: "no colon", json: '{"content" "SGk"}', field: "body" },
  { name: "two colons", json: '{"content"::"SGk"}', field: "body" },
  { name: "two strings", json: '{"content":"SGk" "SGk"}', field: "body" },
  { name: "trailing comma", json: '{"content":"SGk",}', field: "body" },
  { name: "brackets that do not match", json: '{"content":"SGk"]', field: "body" },
  { name: "invalid UTF-8 in a field", json: Buffer.from('{"path":"\xff"}', "latin1"), field: "body" },
  { name: "raw control character in a field", json: '{"path":"a\nb"}', field: "body" },
  { name: "100,000 open brackets", json: `{"a":${"[".repeat(100_000)}`, field: "body" },
  {
    name: "100,000 nested arrays",
    json: `{"a":${"[".repeat(100_000)}${"]".repeat(100_000)}}`,
    field: "body",
  },
  { name: "65 levels", json: `${'{"a":'.repeat(64)}{}${"}".repeat(64)}`, field: "body" },
  {
    name: "fields above 256 KiB",
    json: `{"a":"${"x".repeat(256 * 1024)}"}`,
    field: undefined,
    code: "PAYLOAD_TOO_LARGE",
  },
  { name: "two contents", json: '{"content":"SGk","content":"SGk"}', field: "content" },
  {
    name: "two contents, one escaped",
    json: String.raw`{"content":"SGk","\u0063ontent":"SGk"}`,
    field: "content",
  },
  { name: "two contents, the first no string", json: '{"content":1,"content":"SGk"}', field: "content" },
  { name: "two contents, the second no string", json: '{"content":"SGk","content":1}', field: "content" },
  { name: "foreign character", json: '{"content":"SGVs*G8="}', field: "content", position: 4 },
  {
    name: "foreign character after whitespace",
    json: String.raw`{"content":"SG\nVs\u0020*"}`,
    field: "content",
    position: 6,
  },
  { name: "minus of the URL alphabet", json: '{"content":"SG-s"}', field: "content", position: 2 },
  { name: "underscore of the URL alphabet", json: '{"content":"SGVs_w=="}', field: "content", position: 4 },
  { name: "not ASCII", json: '{"content":"SGVsé"}', field: "content", position: 4 },
  { name: "not ASCII, escaped", json: String.raw`{"content":"SG\u00e9"}`, field: "content", position: 2 },
  {
    name: "beyond one byte, escaped",
    json: String.raw`{"content":"SG\u0141"}`,
    field: "content",
    position: 2,
  },
  { name: "raw line break", json: '{"content":"SGVs\nbG8="}', field: "content", position: 4 },
  { name: "raw tab", json: '{"content":"\tSGVs"}', field: "content", position: 0 },
  { name: "form feed", json: String.raw`{"content":"SG\fVs"}`, field: "content", position: 2 },
  { name: "NUL", json: String.raw`{"content":"SG\u0000"}`, field: "content", position: 2 },
  { name: "escaped quote", json: String.raw`{"content":"SG\"Vs"}`, field: "content", position: 2 },
  { name: "escaped backslash", json: String.raw`{"content":"SG\\Vs"}`, field: "content", position: 2 },
  { name: "unknown escape", json: String.raw`{"content":"SG\xVs"}`, field: "content", position: 2 },
  {
    name: "escape without hex digits",
    json: String.raw`{"content":"SG\u00g0"}`,
    field: "content",
    position: 2,
  },
  { name: "escape cut by the quote", json: String.raw`{"content":"SG\u00"}`, field: "content", position: 2 },
  { name: "first of several faults", json: '{"content":"SG*s-"}', field: "content", position: 2 },
  { name: "lone character", json: '{"content":"SGVsb"}', field: "content", position: 4 },
  {
    name: "lone character before whitespace",
    json: String.raw`{"content":"SGVs\nb  "}`,
    field: "content",
    position: 5,
  },
  { name: "words", json: '{"content":"some plain text"}', field: "content", position: 4 },
  {
    name: "blanks between words",
    json: String.raw`{"content":"\nsome \t text"}`,
    field: "content",
    position: 5,
  },
  {
    name: "a tab between words",
    json: String.raw`{"content":"some\u0009text"}`,
    field: "content",
    position: 4,
  },
  {
    name: "words on a later line",
    json: String.raw`{"content":"AAAA\nsome text"}`,
    field: "content",
    position: 9,
  },
  { name: "padding apart", json: '{"content":"SA = ="}', field: "content", position: 2 },
  { name: "padding alone", json: '{"content":"="}', field: "content", position: 0 },
  { name: "padding after one digit", json: '{"content":"S==="}', field: "content", position: 1 },
  { name: "padding after a whole quartet", json: '{"content":"SGVs="}', field: "content", position: 4 },
  { name: "padding that is short", json: '{"content":"SA="}', field: "content", position: 2 },
  { name: "padding that is long", json: '{"content":"SGk=="}', field: "content", position: 4 },
  { name: "padding in the middle", json: '{"content":"SA==SA=="}', field: "content", position: 4 },
  { name: "padding within a quartet", json: '{"content":"SG=s"}', field: "content", position: 3 },
];

describe("a JSON upload is read", () => {
  test.each(accepted)("$name", async ({ json, fields, content }) => {
    for (const size of SIZES) {
      const upload = await read(Buffer.from(json), size);
      expect(upload.error).toBeUndefined();
      expect(upload.fields).toEqual(fields);
      expect(upload.contentKey !== null).toBe(content !== undefined);
      expect(upload.content.toString("latin1")).toBe(content ?? "");
    }
  });
});

describe("a JSON upload is refused", () => {
  test.each(refused)("$name", async ({ json, field, code = "VALIDATION_ERROR", position }) => {
    const bytes = Buffer.from(json);
    for (const size of bytes.length > 1000 ? [1000] : SIZES) {
      const { error } = await read(bytes, size);
      expect(error).toBeInstanceOf(CofferError);
      expect(error).toMatchObject({ code, field });
      if (position !== undefined) expect(String(error)).toContain(` at position ${position}.`);
    }
  });

  test("and the rest of the body is left unread", async () => {
    const { error, cancelled } = await read(
      Buffer.from(`{"encoding":"base64","content":"S*${"A".repeat(1000)}"}`),
      10,
    );
    expect(error).toBeInstanceOf(CofferError);
    expect(cancelled).toBeTrue();
  });

  test.each([8, 131_072, 131_073, 262_144])(
    "with the position of a fault after %p characters",
    async (length) => {
      const { error } = await read(Buffer.from(`{"content":"${"A".repeat(length)}*"}`), 65_536);
      expect(String(error)).toContain(` at position ${length}.`);
    },
  );
});

test("every byte that is not in the alphabet is refused wherever it stands", async () => {
  const alphabet = /[A-Za-z0-9+/= "\\]/;
  for (let byte = 0; byte < 256; byte++) {
    for (let at = 0; at < 8; at++) {
      const content = Buffer.from("AAAAAAAA");
      content[at] = byte;
      if (alphabet.test(String.fromCharCode(byte))) continue;
      const { error } = await read(
        Buffer.concat([Buffer.from('{"content":"'), content, Buffer.from('"}')]),
        100,
      );
      expect(String(error)).toContain(` at position ${at}.`);
    }
  }
});

test("a key __proto__ is an ordinary property", async () => {
  const { fields } = await read(
    Buffer.from('{"__proto__":{"polluted":1},"metadata":{"__proto__":{"polluted":1}}}'),
    10,
  );
  expect(Object.getOwnPropertyNames(fields)).toContain("__proto__");
  expect(Reflect.get({}, "polluted")).toBeUndefined();
});

test("errors of the stream and of the writer go through", async () => {
  const gone = new Error("client gone");
  const broken = new ReadableStream<Uint8Array>({ pull: (controller) => controller.error(gone) });
  expect(await rejectionOf(readJsonUpload(broken, async () => {}))).toBe(gone);
  const full = new Error("disk full");
  const { body, cancelled } = bodyOf(Buffer.from(`{"content":"${"A".repeat(300_000)}"}`), 65_536);
  const upload = readJsonUpload(body, async () => {
    throw full;
  });
  expect(await rejectionOf(upload)).toBe(full);
  expect(cancelled()).toBeTrue();
});

/** A small seeded generator (mulberry32), so that a failure can be repeated. */
function randomFrom(seed: number): (below: number) => number {
  let state = seed;
  return (below) => {
    state = (state + 0x6d2b79f5) | 0;
    let t = Math.imul(state ^ (state >>> 15), 1 | state);
    t = (t + Math.imul(t ^ (t >>> 7), 61 | t)) ^ t;
    return Math.floor((((t ^ (t >>> 14)) >>> 0) / 2 ** 32) * below);
  };
}

type Random = ReturnType<typeof randomFrom>;

function randomValue(random: Random, depth: number): unknown {
  const texts = ["", "content", 'q"\\/', "é日😀", "\n\t\u0000", "}{][,:", '"content":"SGk"'];
  switch (random(depth > 3 ? 4 : 6)) {
    case 0:
      return random(1000) - 500.5;
    case 1:
      return [true, false, null][random(3)];
    case 2:
    case 3:
      return texts[random(texts.length)];
    case 4:
      return Array.from({ length: random(4) }, () => randomValue(random, depth + 1));
    default:
      return Object.fromEntries(
        Array.from({ length: random(4) }, (_, i) => [
          i === 0 ? "content" : `k${random(9)}`,
          randomValue(random, depth + 1),
        ]),
      );
  }
}

/** Base64 as a JSON string, with whitespace and escapes thrown in. */
function randomSpelling(random: Random, base64: string): string {
  const escapes = random(3) === 0;
  const spelled = Array.from(random(2) === 0 ? base64 : base64.replace(/=+$/, ""), (character) => {
    const gap =
      escapes && random(20) === 0
        ? ["\\n", "\\r\\n", " \\n", "\\n\\t", "\\u0020\\u000D", "\\u000A"][random(6)]
        : "";
    if (character === "/" && random(2) === 0) return `${gap}\\/`;
    if (escapes && random(20) === 0) return `${gap}\\u00${character.charCodeAt(0).toString(16)}`;
    return `${gap}${character}`;
  });
  return `"${spelled.join("")}"`;
}

function randomUpload(random: Random): { json: string; content: Buffer } {
  const content = Buffer.from(Array.from({ length: random(random(2) === 0 ? 12 : 3000) }, () => random(256)));
  const space = () => ["", "", " ", "\n", "\r\n\t"][random(5)] ?? "";
  const members = Array.from({ length: random(5) }, (_, i) => [
    `f${i}`,
    JSON.stringify(randomValue(random, 0), null, random(3)),
  ]);
  members.splice(random(members.length + 1), 0, [
    "content",
    randomSpelling(random, content.toString("base64")),
  ]);
  const written = members.map(([key, value]) => `${space()}"${key}"${space()}:${space()}${value}${space()}`);
  return { json: `${space()}{${written.join(",")}}${space()}`, content };
}

test("random uploads agree with JSON.parse and Buffer.from", async () => {
  for (let seed = 1; seed <= 600; seed++) {
    const random = randomFrom(seed);
    const { json, content } = randomUpload(random);
    const upload = await read(Buffer.from(json), 1 + random(random(2) === 0 ? 4 : 4000));
    const message = `seed ${seed}`;
    expect(upload.error, message).toBeUndefined();
    expect(upload.fields, message).toEqual({ ...JSON.parse(json), content: "" });
    expect(upload.content.equals(content), message).toBeTrue();
  }
});

test("random damage is refused or read as JSON.parse reads it", async () => {
  let refusals = 0;
  for (let seed = 1; seed <= 3000; seed++) {
    const random = randomFrom(seed);
    const bytes = Buffer.from(randomUpload(random).json);
    for (let damage = 0; damage <= random(3); damage++) {
      const interesting = Buffer.from('"\\{}[]:,=\0\n \xffuA', "latin1");
      bytes[random(bytes.length)] = interesting[random(interesting.length)] ?? 0;
    }
    const damaged = random(4) === 0 ? bytes.subarray(0, random(bytes.length)) : bytes;
    const { error, fields, contentKey, content } = await read(damaged, 1 + random(500));
    if (error !== undefined) {
      refusals++;
      expect(error, `seed ${seed}`).toBeInstanceOf(CofferError);
      continue;
    }
    const parsed = JSON.parse(damaged.toString());
    expect(fields, `seed ${seed}`).toEqual(contentKey !== null ? { ...parsed, content: "" } : parsed);
    if (contentKey !== null)
      expect(content.equals(Buffer.from(parsed.content, "base64")), `seed ${seed}`).toBeTrue();
  }
  expect(refusals).toBeGreaterThan(500);
});

test("a refusal over a socket reaches a client that has sent half its body", async () => {
  using server = Bun.serve({
    port: 0,
    async fetch(request) {
      if (request.body === null) return new Response("no body", { status: 500 });
      try {
        await readJsonUpload(request.body, async () => {});
        return new Response("read");
      } catch (error) {
        return new Response(String(error), { status: error instanceof CofferError ? 400 : 500 });
      }
    },
  });
  const body = `{"content":"*${"A".repeat(4 << 20)}"}`;
  const response = await fetch(server.url, { method: "POST", body });
  expect(response.status).toBe(400);
  const good = await fetch(server.url, { method: "POST", body: `{"content":"${"A".repeat(4 << 20)}"}` });
  expect(good.status).toBe(200);
});
