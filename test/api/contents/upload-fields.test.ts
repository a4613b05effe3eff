import { describe, expect, test } from "bun:test";
import { openStage, runEach, runScenarios, runAfter } from "../../support/server/scenario.ts";
import { invalid, type Step, step } from "../../support/server/steps.ts";
import {
  accepted,
  FORM_TYPE,
  formOf,
  holds,
  kept,
  post,
  put,
  rejected,
} from "../../support/server/uploads.ts";

const stage = openStage();

const LONG = "x".repeat(65);
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

/** An upload as a form, with this metadata. */
function formWith(metadata: string): string {
  const file = 'name="file"; filename="f.txt"';
  return formOf(['name="drive_id"', "{drive}"], ['name="metadata"', metadata], [file, "x"]);
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
  runScenarios(stage, {
    given: accepted({ content_type: "a/x-own" }, { mime_type: "a/x-own", content_preview: null }),
    "type and subtype in lower case": accepted(
      { content_type: "Text/HTML; Charset=UTF-8" },
      { mime_type: "text/html; Charset=UTF-8" },
    ),
    "a number is none": rejected({ content_type: 5 }, "content_type"),
  });
  runEach(stage, types, ([filename, mime_type]) => [
    `${filename} is ${mime_type}`,
    accepted({ filename }, { mime_type }),
  ]);
  const parts = ["", "text", "text/", "/plain", "a/b/c", `text/${"x".repeat(300)}`];
  const letters = ["text/plain\r\nX-Evil: 1", "text/pl ain", "text/plain; a", "text/é"];
  runEach(stage, [...parts, ...letters], (type) => [
    `${JSON.stringify(type).slice(0, 40)} is none`,
    ...rejected({ content_type: type }, "content_type"),
  ]);
});

describe("content_preview", () => {
  runScenarios(stage, {
    "500 characters at most": accepted(
      { content: base64(EMOJI.repeat(501)) },
      { content_preview: EMOJI.repeat(500) },
    ),
    "nothing of other types": accepted({ filename: "a.png" }, { content_preview: null }),
    "nothing of bytes that are no text": accepted(
      { content: base64(Uint8Array.of(0, 1, 2)) },
      { content_preview: null },
    ),
    "UTF-16 with a mark": accepted(
      { content: base64(Uint8Array.of(255, 254, 72, 0, 105, 0)) },
      { content_preview: "Hi" },
    ),
    "half a UTF-16 character is no text": accepted(
      { content: base64(Uint8Array.of(0xff, 0xfe, 0x48, 0, 0, 0xd8, 0x69, 0)) },
      { content_preview: null },
    ),
    "else Latin-1": accepted({ content: base64(Uint8Array.of(72, 0xe9)) }, { content_preview: "H\u00e9" }),
  });
});

describe("metadata", () => {
  runScenarios(stage, {
    "any object": kept({ metadata: ANY }),
    "16 KiB": accepted({ metadata: sized(16 * 1024) }, { size: 12 }),
    "one byte more": rejected({ metadata: sized(16 * 1024 + 1) }, "metadata"),
    "bytes count, not characters": rejected({ metadata: { a: "\u00e9".repeat(8 * 1024) } }, "metadata"),
    "an array": rejected({ metadata: [] }, "metadata"),
    text: rejected({ metadata: "{}" }, "metadata"),
    "null, which is none": accepted({ metadata: null }, { metadata: {} }),
    "half a surrogate pair": rejected({ metadata: { a: "\ud800" } }, "metadata.a"),
    "a key __proto__ is a key like any other": step("POST /v0/files", {
      body: `{"drive_id":"{drive}","filename":"f","content":"","metadata":{"__proto__":{"admin":true}}}`,
      status: 201,
      contains: ['"__proto__":{"admin":true}'],
    }),
  });
});

describe("numbers in metadata come back as they were sent, or are refused", () => {
  const field = ["is a number that cannot be stored exactly"] as const;
  // All others are tried in test/properties/values.test.ts.
  const exact = ["-0", "1.0", "0e99999999999999999999", `1${"0".repeat(300)}`, `0.${"0".repeat(300)}1`];
  const inexact = ["9007199254740993", "1e400", "1e-400", "1e99999999999999999999"];
  const changed: readonly (readonly [metadata: string, at: string])[] = [
    ...inexact.map((number) => [`{"n":${number}}`, "metadata.n"] as const),
    ['{"a":{"b":[1,2,{"c d":3.00000000000000001}]}}', "metadata.a.b[2].c d"],
    ['{"__proto__":{"n":1e400}}', "metadata.__proto__.n"],
    ['{"ok":1,"n":1e400,"m":1e500}', "metadata.n"],
    ["12345678901234567890", "metadata"],
  ];
  type Asked = Pick<Step, "request" | "body" | "headers" | "status">;
  const request = ["POST", "/v0/files"] as const;
  const beside = `"drive_id":"{drive}","filename":"f.txt","content":""`;
  const made = { request: ["PATCH", "/v0/files/{made.id}"], status: 200 } as const;
  const ways: readonly (readonly [name: string, ask: (metadata: string) => Asked, files: string[]])[] = [
    ["JSON", (json) => ({ request, body: `{${beside},"metadata":${json}}`, status: 201 }), []],
    ["a form", (json) => ({ request, body: formWith(json), headers: FORM_TYPE, status: 201 }), []],
    ["PATCH", (json) => ({ ...made, body: `{"metadata":${json}}` }), ["f.txt"]],
  ];
  for (const [way, ask, files] of ways) {
    const given = files.map((path) => put(path, "", { keeps: "made" }));
    runEach(stage, exact, (number) => [
      `${way}: ${number.slice(0, 24)} is kept`,
      ...given,
      { ...ask(`{"n":${number}}`), json: { metadata: { n: Number(number) + 0 } } },
    ]);
    runEach(stage, changed, ([metadata, at]) => [
      `${way}: ${metadata} is refused`,
      ...given,
      { ...ask(metadata), ...invalid(at), contains: field },
      holds(...files),
    ]);
  }
  runScenarios(stage, {
    "digits in a text, and numbers that nobody keeps, are none of it": step("POST /v0/files", {
      headers: { prefer: "handling=lenient" },
      body: `{"other":1e400,"drive_id":"{drive}","filename":"f","content":"","metadata":{"a":"1e400","n":1}}`,
      status: 201,
      json: { metadata: { a: "1e400", n: 1 } },
    }),
    "of a field given twice the last counts, as everywhere in JSON": step("POST /v0/files", {
      body: `{"drive_id":"{drive}","filename":"f","content":"","metadata":{"n":1e400},"metadata":{"n":1e400,"n":2}}`,
      status: 201,
      json: { metadata: { n: 2 } },
    }),
  });
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
  runScenarios(stage, {
    "are checked like any other": step(`${PUT}&tags=a&tags=${LONG}`, { body: "x", ...invalid("tags[1]") }),
  });
  runEach(stage, tagged, ([name, query, tags]) => [
    name,
    step(`${PUT}&${query}`, { body: "x", status: 201, json: { tags } }),
  ]);
});

describe("tags", () => {
  const mixed = ["b", " a ", "b", "a"];
  runScenarios(stage, {
    "are trimmed, duplicates dropped, in their order": accepted({ tags: mixed }, { tags: ["b", "a"] }),
    "64": kept({ tags: manyTags(64) }),
    "64 and a duplicate": accepted({ tags: [...manyTags(64), "t0"] }, { tags: manyTags(64) }),
    "65": rejected({ tags: manyTags(65) }, "tags"),
    "64 characters, emoji counted as one": kept({ tags: [EMOJI.repeat(64)] }),
    "65 characters": rejected({ tags: ["ok", LONG] }, "tags[1]"),
    empty: rejected({ tags: [""] }, "tags[0]"),
    "only spaces": rejected({ tags: ["  "] }, "tags[0]"),
    "a number": rejected({ tags: ["a", 1] }, "tags[1]"),
    "control characters": rejected({ tags: ["a\u0007b"] }, "tags[0]"),
    "half a surrogate pair": rejected({ tags: ["\udc00"] }, "tags[0]"),
    text: rejected({ tags: "a,b" }, "tags"),
    "null, which is none": accepted({ tags: null }, { tags: [] }),
  });
});

describe("expires_at", () => {
  const good: [sent: string | null, shown: string | null][] = [
    ["2030-06-01T12:00:00Z", "2030-06-01T12:00:00.000Z"],
    ["2030-06-01T12:00:00.123456Z", "2030-06-01T12:00:00.123Z"],
    ["2030-06-01T12:00:00-0530", "2030-06-01T17:30:00.000Z"],
    [null, null],
  ];
  const past = ["2029-12-31T23:59:59Z", "2030-01-01T00:00:00.000Z", "1969-01-01T00:00:00Z"];
  const never = ["2031-02-30", "2031-02-29", "2031-13-01"].map((day) => `${day}T00:00:00Z`);
  const hours = ["2031-01-01T25:00:00Z", "2031-01-01T00:00:00+99:00", "+275761-01-01T00:00:00Z"];
  const others = ["tomorrow", "", "1893456000", "Sat, 01 Jun 2030 12:00:00 GMT", 1_900_000_000, true];
  const bad = [...past, ...never, ...hours, ...others];
  runEach(stage, good, ([sent, shown]) => [`${sent}`, accepted({ expires_at: sent }, { expires_at: shown })]);
  runEach(stage, bad, (sent) => [
    `${JSON.stringify(sent)} is refused`,
    ...rejected({ expires_at: sent }, "expires_at"),
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
  runAfter(stage, [given], {
    "by raw bytes: everything that is not given": replace("", record),
    "by raw bytes as a client sends them that knows no type": replace("", record, unknown),
    "by raw bytes with tags": replace("&tags=c", { ...record, tags: ["c"] }),
    "by raw bytes with no tags": replace("&tags=", { ...record, tags: [] }),
    "by raw bytes with an expiry": replace("&expires_at=2032-01-01", later),
    "by raw bytes with a type in the query": replace("&content_type=text/csv", csv),
    "by raw bytes with a type": replace("", csv, ofType("text/csv")),
    "in JSON: nothing": post({}, { status: 200, json: nothing }),
    "as a form: nothing": step("POST /v0/files", {
      headers: FORM_TYPE,
      body: formWith("{}"),
      json: { id: "{file.id}", ...nothing },
    }),
  });

  test("nothing of a file that has expired", async () => {
    const { id: drive, client } = await stage.ownDrive();
    const expiresAt = stage.coffer.clock.iso(1000);
    const first = await client.put(drive, "f", "x", 201, `&tags=a&expires_at=${expiresAt}`);
    stage.coffer.clock.advance(1000);
    const second = await client.put(drive, "f");
    expect(second).toMatchObject({ tags: [], expires_at: null });
    expect(second.id).not.toBe(first.id);
  });
});

/** A path of exactly so many bytes, in segments of at most 100. */
function pathOf(bytes: number): string {
  return `${"a".repeat(99)}/`.repeat(20).slice(0, bytes - 1) + "z";
}

const PATHS: [name: string, sent: string, kept: string][] = [
  ["a leading slash is dropped", "/a/b", "a/b"],
  ["a trailing slash is a folder", "a/b/", "a/b/f.txt"],
  ["the root", "/", "f.txt"],
  ["spaces stay", " a / b ", " a / b "],
  ["dots within names", ".a/..b/c../...", ".a/..b/c../..."],
  ["percent signs are characters", "%2e%2e/%00/%", "%2e%2e/%00/%"],
  ["quotes and the like", `a'"<>|?*:;&$\`#`, `a'"<>|?*:;&$\`#`],
  ["SQL's wildcards", "%_[a]", "%_[a]"],
  ["emoji", "\u{1F600}/\u{1F469}\u200D\u{1F680}", "\u{1F600}/\u{1F469}\u200D\u{1F680}"],
  ["Japanese", "\u8CC7\u6599/\u30E1\u30E2", "\u8CC7\u6599/\u30E1\u30E2"],
  ["decomposed letters are composed", "e\u0301/o\u0308", "\u00E9/\u00F6"],
  ["the last code point", "\u{10FFFF}", "\u{10FFFF}"],
  ["a private use character", "\uE000\uFFFD", "\uE000\uFFFD"],
  ["a segment of 255 bytes", `a/${"x".repeat(255)}`, `a/${"x".repeat(255)}`],
  ["1,024 bytes", pathOf(1024), pathOf(1024)],
];

// What a path or a name must not have is tried with any text in test/properties/paths.test.ts.
const BAD_PATHS: [name: string, sent: string][] = [
  ["climbing out", "../f.txt"],
  ["NUL", "a\u0000b"],
  ["half a surrogate pair", "a\ud800b"],
  ["1,025 bytes", pathOf(1025)],
  ["a segment of 256 bytes", `a/${"x".repeat(256)}`],
  ["a folder of 256 bytes", `${"x".repeat(256)}/a`],
  ["a segment of 256 bytes in 64 characters", "\u{1F600}".repeat(64)],
];

describe("path", () => {
  const PUT = "PUT /v0/files?drive_id={drive}";
  const replaced = { status: 200, json: { id: "{old.id}" } };
  runScenarios(stage, {
    "composed and decomposed letters are one file": [
      put("\u00E9.txt", "1", { keeps: "old" }),
      put("e\u0301.txt", "2", replaced),
    ],
    "with and without a leading slash are one file": [
      put("a/b", "1", { keeps: "old" }),
      put("/a/b", "2", replaced),
    ],
    "composing may save what is too long": step("POST /v0/files", {
      body: { drive_id: "{drive}", content: "", path: "e\u0301".repeat(120) },
      status: 201,
      json: { path: "\u00E9".repeat(120) },
    }),
    "what a path escapes to in a URL is what it is": step(`${PUT}&path=a%2Fb%20c+d%25`, {
      body: "x",
      status: 201,
      json: { path: "a/b c d%" },
    }),
  });
  runEach(stage, PATHS, ([name, path, stored]) => [
    name,
    accepted({ path }, { path: stored, filename: stored.slice(stored.lastIndexOf("/") + 1) }),
  ]);
  runEach(stage, BAD_PATHS, ([name, path]) => [`${name} is refused`, ...rejected({ path }, "path")]);
  runEach(stage, [5, true, [], {}], (path) => [
    `${JSON.stringify(path)} is refused`,
    ...rejected({ path }, "path"),
  ]);
  runEach(stage, ["%", "%zz", "%ff", "a%00b", "%ed%a0%80"], (path) => [
    `the query ${path} is refused`,
    step(`${PUT}&path=${path}`, { body: "x", ...invalid("path") }),
  ]);
});

const FILENAMES: [name: string, filename: string, path: string][] = [
  ["spaces stay", " a .txt", " a .txt"],
  ["255 bytes", "x".repeat(255), "x".repeat(255)],
  ["emoji", "\u{1F600}.txt", "\u{1F600}.txt"],
  ["it stays decomposed, the path does not", "e\u0301.txt", "\u00E9.txt"],
];

const BAD_FILENAMES: [name: string, filename: string][] = [
  ["empty", ""],
  ["a slash", "a/b"],
  ["NUL", "a\u0000"],
  ["half a surrogate pair", "\ud83d"],
  ["256 bytes", "x".repeat(256)],
  ["256 bytes in 64 characters", "\u{1F600}".repeat(64)],
  [". where it would be the path", "."],
  [".. where it would be the path", ".."],
  ["a backslash where it would be the path", "a\\b"],
];

describe("filename", () => {
  runScenarios(stage, {
    "the last segment of a path": accepted({ filename: "b.txt", path: "a/b.txt" }, { path: "a/b.txt" }),
    "decomposed beside a path": accepted({ filename: "e\u0301", path: "a/\u00E9" }, { filename: "e\u0301" }),
    "another than that of the path": rejected({ filename: "c", path: "a/b" }, "filename"),
    "another than that of the path, by raw bytes": step(
      "PUT /v0/files?drive_id={drive}&path=a/b&filename=c",
      {
        body: "x",
        ...invalid("filename"),
      },
    ),
    "a slash is refused beside a path as well": rejected({ filename: "a/b", path: "c" }, "filename"),
  });
  runEach(stage, FILENAMES, ([name, filename, path]) => [name, accepted({ filename }, { filename, path })]);
  runEach(stage, BAD_FILENAMES, ([name, filename]) => [
    `${name} is refused`,
    ...rejected({ filename }, "filename"),
  ]);
});
