import { describe, expect, test } from "bun:test";
import {
  accepted,
  holds,
  invalid,
  kept,
  openStage,
  post,
  put,
  rejected,
  row,
  runScenarios,
  type Scenario,
  type Step,
  step,
} from "../../support/server/scenario.ts";

const stage = openStage();

const EMOJI = "\u{1F600}";
const ANY = { a: [1, null, { b: "\u{1F600}\u0000" }], "": 0 };

function base64(content: string | Uint8Array): string {
  return Buffer.from(content).toString("base64");
}

/** An object of exactly so many bytes as JSON. */
function sized(bytes: number): { a: string } {
  return { a: "x".repeat(bytes - '{"a":""}'.length) };
}

function manyTags(count: number): string[] {
  return Array.from({ length: count }, (_, i) => `t${i}`);
}

const part = (name: string, text: string) =>
  `--x\r\nContent-Disposition: form-data; name="${name}"\r\n\r\n${text}\r\n`;

/** An upload as a form, with this metadata. */
function formWith(metadata: string): string {
  return `${part("drive_id", "{drive}")}${part("metadata", metadata)}${part('file"; filename="f.txt', "x")}--x--`;
}

describe("content_type", () => {
  const types: [filename: string, type: string][] = [
    ["a.txt", "text/plain"],
    ["a.MD", "text/markdown"],
    ["a.json", "application/json"],
    ["a.csv", "text/csv"],
    ["a.html", "text/html"],
    ["a.png", "image/png"],
    ["a.tar.gz", "application/gzip"],
    ["a.ts", "text/typescript"],
    ["a.py", "text/x-python"],
    ["Makefile", "application/octet-stream"],
    [".txt", "text/plain"],
    ["a.", "application/octet-stream"],
    ["a.__proto__", "application/octet-stream"],
    ["a.constructor", "application/octet-stream"],
  ];
  runScenarios(stage, [
    ...types.map(([filename, mime_type]) =>
      accepted(`${filename} is ${mime_type}`, { filename }, { mime_type }),
    ),
    accepted("given", { content_type: "a/x-own" }, { mime_type: "a/x-own", content_preview: null }),
    accepted(
      "type and subtype in lower case",
      { content_type: "Text/HTML; Charset=UTF-8" },
      { mime_type: "text/html; Charset=UTF-8" },
    ),
    ...[
      "",
      "text",
      "text/",
      "/plain",
      "text/plain\r\nX-Evil: 1",
      "text/pl ain",
      "text/plain; a",
      "text/é",
      "a/b/c",
      `text/${"x".repeat(300)}`,
    ].map((type) =>
      rejected(`${JSON.stringify(type).slice(0, 40)} is none`, { content_type: type }, "content_type"),
    ),
    rejected("a number is none", { content_type: 5 }, "content_type"),
  ]);
});

describe("content_preview", () => {
  runScenarios(stage, [
    accepted(
      "500 characters at most",
      { content: base64(EMOJI.repeat(501)) },
      { content_preview: EMOJI.repeat(500) },
    ),
    accepted("nothing of other types", { filename: "a.png" }, { content_preview: null }),
    accepted(
      "nothing of bytes that are no text",
      { content: base64(Uint8Array.of(0, 1, 2)) },
      { content_preview: null },
    ),
    accepted(
      "UTF-16 with a mark",
      { content: base64(Uint8Array.of(255, 254, 72, 0, 105, 0)) },
      { content_preview: "Hi" },
    ),
    accepted(
      "half a UTF-16 character is no text",
      { content: base64(Uint8Array.of(0xff, 0xfe, 0x48, 0, 0, 0xd8, 0x69, 0)) },
      { content_preview: null },
    ),
    accepted("else Latin-1", { content: base64(Uint8Array.of(72, 0xe9)) }, { content_preview: "H\u00e9" }),
  ]);
});

describe("metadata", () => {
  runScenarios(stage, [
    kept("any object", { metadata: ANY }),
    accepted("16 KiB", { metadata: sized(16 * 1024) }, { size: 12 }),
    rejected("one byte more", { metadata: sized(16 * 1024 + 1) }, "metadata"),
    rejected("bytes count, not characters", { metadata: { a: "\u00e9".repeat(8 * 1024) } }, "metadata"),
    rejected("an array", { metadata: [] }, "metadata"),
    rejected("text", { metadata: "{}" }, "metadata"),
    accepted("null, which is none", { metadata: null }, { metadata: {} }),
    rejected("half a surrogate pair", { metadata: { a: "\ud800" } }, "metadata.a"),
    row("a key __proto__ is a key like any other", "POST /v0/files", {
      body: `{"drive_id":"{drive}","filename":"f","content":"","metadata":{"__proto__":{"admin":true}}}`,
      status: 201,
      contains: ['"__proto__":{"admin":true}'],
    }),
  ]);
});

describe("numbers in metadata come back as they were sent, or are refused", () => {
  const field = ["is a number that cannot be stored exactly"] as const;
  const exact = [
    "0",
    "-0",
    "0.1",
    "1.0",
    "1e2",
    "1E+2",
    "100e-2",
    "-12.50",
    "9007199254740991",
    "9007199254740992",
    "1.7976931348623157e308",
    "5e-324",
    "123456789012345680000",
    "0e99999999999999999999",
    "0.000",
    `1${"0".repeat(300)}`,
    `0.${"0".repeat(300)}1`,
  ];
  const changed: readonly (readonly [metadata: string, at: string])[] = [
    ['{"n":12345678901234567890}', "metadata.n"],
    ['{"n":1e400}', "metadata.n"],
    ['{"n":-1e400}', "metadata.n"],
    ['{"n":1e-400}', "metadata.n"],
    ['{"n":0.12345678901234567890}', "metadata.n"],
    ['{"n":9007199254740993}', "metadata.n"],
    ['{"n":1e99999999999999999999}', "metadata.n"],
    ['{"a":{"b":[1,2,{"c d":3.00000000000000001}]}}', "metadata.a.b[2].c d"],
    ['{"__proto__":{"n":1e400}}', "metadata.__proto__.n"],
    ['{"ok":1,"n":1e400,"m":1e500}', "metadata.n"],
    ["12345678901234567890", "metadata"],
  ];
  type Asked = Pick<Scenario, "given" | "request" | "body" | "headers" | "status">;
  const ways: readonly (readonly [name: string, ask: (metadata: string) => Asked])[] = [
    [
      "JSON",
      (metadata) => ({
        request: ["POST", "/v0/files"],
        body: `{"drive_id":"{drive}","metadata":${metadata},"filename":"f.txt","content":""}`,
        status: 201,
      }),
    ],
    [
      "a form",
      (metadata) => ({
        request: ["POST", "/v0/files"],
        body: formWith(metadata),
        headers: ofType("multipart/form-data; boundary=x"),
        status: 201,
      }),
    ],
    [
      "PATCH",
      (metadata) => ({
        given: [put("f.txt", "", { keeps: "made" })],
        request: ["PATCH", "/v0/files/{made.id}"],
        body: `{"metadata":${metadata}}`,
        status: 200,
      }),
    ],
  ];
  runScenarios(
    stage,
    ways.flatMap(([way, ask]) => [
      ...exact.map((number) => ({
        name: `${way}: ${number.slice(0, 24)} is kept`,
        ...ask(`{"n":${number}}`),
        json: { metadata: { n: Number(number) + 0 } },
      })),
      ...changed.map(([metadata, at]) => ({
        name: `${way}: ${metadata} is refused`,
        ...ask(metadata),
        ...invalid(at),
        contains: field,
        after: way === "PATCH" ? [holds("f.txt")] : [holds()],
      })),
    ]),
  );
  runScenarios(stage, [
    row("digits in a text, and numbers that nobody keeps, are none of it", "POST /v0/files", {
      headers: { prefer: "handling=lenient" },
      body: `{"other":1e400,"drive_id":"{drive}","filename":"f","content":"","metadata":{"a":"1e400","n":1}}`,
      status: 201,
      json: { metadata: { a: "1e400", n: 1 } },
    }),
    row("of a field given twice the last counts, as everywhere in JSON", "POST /v0/files", {
      body: `{"drive_id":"{drive}","filename":"f","content":"","metadata":{"n":1e400},"metadata":{"n":1e400,"n":2}}`,
      status: 201,
      json: { metadata: { n: 2 } },
    }),
  ]);
});

describe("tags of a PUT", () => {
  const tagged: [name: string, query: string, tags: string[]][] = [
    ["given once are separated by commas", "tags=a,%20b,", ["a", "b"]],
    ["given more than once are tags as they stand", "tags=a,b&tags=%20c", ["a,b", "c"]],
    ["one with a comma, beside an empty one", "tags=a,b&tags=", ["a,b"]],
    ["none", "tags=", []],
    ["none of several", "tags=&tags=", []],
  ];
  const PUT = "PUT /v0/files?drive_id={drive}&path=f";
  runScenarios(stage, [
    ...tagged.map(([name, query, tags]) =>
      row(name, `${PUT}&${query}`, { body: "x", status: 201, json: { tags } }),
    ),
    row("are checked like any other", `${PUT}&tags=a&tags=${"x".repeat(65)}`, {
      body: "x",
      ...invalid("tags[1]"),
    }),
  ]);
});

describe("tags", () => {
  runScenarios(stage, [
    accepted(
      "are trimmed, duplicates dropped, in their order",
      { tags: ["b", " a ", "b", "a"] },
      { tags: ["b", "a"] },
    ),
    kept("64", { tags: manyTags(64) }),
    accepted("64 and a duplicate", { tags: [...manyTags(64), "t0"] }, { tags: manyTags(64) }),
    rejected("65", { tags: manyTags(65) }, "tags"),
    kept("64 characters, emoji counted as one", { tags: [EMOJI.repeat(64)] }),
    rejected("65 characters", { tags: ["ok", "x".repeat(65)] }, "tags[1]"),
    rejected("empty", { tags: [""] }, "tags[0]"),
    rejected("only spaces", { tags: ["  "] }, "tags[0]"),
    rejected("a number", { tags: ["a", 1] }, "tags[1]"),
    rejected("control characters", { tags: ["a\u0007b"] }, "tags[0]"),
    rejected("half a surrogate pair", { tags: ["\udc00"] }, "tags[0]"),
    rejected("text", { tags: "a,b" }, "tags"),
    accepted("null, which is none", { tags: null }, { tags: [] }),
  ]);
});

describe("expires_at", () => {
  const good: [sent: string | null, shown: string | null][] = [
    ["2030-06-01T12:00:00Z", "2030-06-01T12:00:00.000Z"],
    ["2030-06-01T12:00:00.123456Z", "2030-06-01T12:00:00.123Z"],
    ["2030-06-01T12:00:00+02:00", "2030-06-01T10:00:00.000Z"],
    ["2030-06-01T12:00:00-0530", "2030-06-01T17:30:00.000Z"],
    ["2032-02-29T00:00:00Z", "2032-02-29T00:00:00.000Z"],
    ["9999-12-31T23:59:59Z", "9999-12-31T23:59:59.000Z"],
    [null, null],
  ];
  const bad: (string | number | boolean)[] = [
    "2029-12-31T23:59:59Z",
    "2030-01-01T00:00:00.000Z",
    "1969-01-01T00:00:00Z",
    "2031-02-30T00:00:00Z",
    "2031-02-29T00:00:00Z",
    "2031-13-01T00:00:00Z",
    "2031-01-01T25:00:00Z",
    "2031-01-01T00:00:00+99:00",
    "tomorrow",
    "",
    "1893456000",
    "Sat, 01 Jun 2030 12:00:00 GMT",
    "+275761-01-01T00:00:00Z",
    1_900_000_000,
    true,
  ];
  runScenarios(stage, [
    ...good.map(([sent, shown]) => accepted(`${sent}`, { expires_at: sent }, { expires_at: shown })),
    ...bad.map((sent) => rejected(`${JSON.stringify(sent)} is refused`, { expires_at: sent }, "expires_at")),
  ]);
});

/** Replaces the content of an earlier file by raw bytes. */
function replace(query: string, json: object, headers: Record<string, string> = {}): Step {
  return step(`PUT /v0/files?drive_id={drive}&path=f.txt${query}`, {
    body: "new",
    headers,
    json: { id: "{file.id}", size: 3, ...json },
  });
}

function ofType(value: string) {
  return { "content-type": value };
}

describe("what a replaced file keeps", () => {
  const attributes = { tags: ["a", "b"], metadata: { n: 1 }, expires_at: "2031-01-01T00:00:00.000Z" };
  const record = { ...attributes, mime_type: "text/x-own" };
  const given = post({ ...attributes, content_type: "text/x-own" }, { json: record, keeps: "file" });
  const later = { ...record, expires_at: "2032-01-01T00:00:00.000Z" };
  const csv = { ...record, mime_type: "text/csv" };
  const nothing = { tags: [], metadata: {}, expires_at: null, mime_type: "text/plain" };
  const unknown = ofType("application/x-www-form-urlencoded");
  runScenarios(stage, { given: [given] }, [
    row("by raw bytes: everything that is not given", replace("", record)),
    row("by raw bytes as a client sends them that knows no type", replace("", record, unknown)),
    row("by raw bytes with tags", replace("&tags=c", { ...record, tags: ["c"] })),
    row("by raw bytes with no tags", replace("&tags=", { ...record, tags: [] })),
    row("by raw bytes with an expiry", replace("&expires_at=2032-01-01", later)),
    row("by raw bytes with a type in the query", replace("&content_type=text/csv", csv)),
    row("by raw bytes with a type", replace("", csv, ofType("text/csv"))),
    row(
      "by raw bytes with a filename: a type that was not given follows it",
      replace("&filename=g.csv", { filename: "g.csv", mime_type: "text/csv", tags: ["a"] }),
      { given: [post({ tags: ["a"] }, { keeps: "file" })] },
    ),
    row("in JSON: nothing", post({}, { status: 200, json: nothing })),
    row("as a form: nothing", "POST /v0/files", {
      headers: ofType("multipart/form-data; boundary=x"),
      body: formWith("{}"),
      json: { id: "{file.id}", ...nothing },
    }),
  ]);

  test("nothing of a file that has expired", async () => {
    const { id: drive, client } = await stage.ownDrive();
    const expiresAt = new Date(stage.coffer.clock.now() + 1000).toISOString();
    const first = await client.put(drive, "f", "x", 201, `&tags=a&expires_at=${expiresAt}`);
    stage.coffer.clock.advance(1000);
    const second = await client.put(drive, "f");
    expect(second).toMatchObject({ tags: [], expires_at: null });
    expect(second.id).not.toBe(first.id);
  });
});
