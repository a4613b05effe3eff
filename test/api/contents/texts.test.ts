import { describe, expect, test } from "bun:test";
import { encoded } from "../../support/samples/encodings.ts";
import { openStage, runEach, runScenarios, runAfter } from "../../support/server/scenario.ts";
import type { Expected, Step } from "../../support/server/steps.ts";
import { invalid, refuses, step, refused, wrongQueries } from "../../support/server/steps.ts";
import { put } from "../../support/server/uploads.ts";
import { docx, longSheet, wordParagraph } from "../../support/samples/documents.ts";

const stage = openStage();

type Content = string | Uint8Array<ArrayBuffer>;

const withNul = new Uint8Array([0x61, 0x00, 0x62]);
const latin1 = (text: string) => new Uint8Array(Buffer.from(text, "latin1"));

const POEM = "one\ntwo\r\nthree\n";

function read(query: string, expected: Expected): Step {
  return step(`GET /v0/files/{file.id}/text${query}`, expected);
}

function textFile(content: Content, type = "text/plain"): Step {
  return put("f.txt", content, { headers: { "content-type": type }, keeps: "file" });
}

/** Lines from the first on, or from another. */
function lines(...texts: string[]): object[] {
  return linesFrom(1, ...texts);
}

function linesFrom(first: number, ...texts: string[]): object[] {
  return texts.map((each, index) => ({ number: first + index, text: each }));
}

const BY_PATH = "GET /v0/files/by-path/text?drive_id={drive}&path=f.txt";
const END = { next_line: null, next_byte: null };

// Which lines there are, in which parts and encodings, is tried with all in test/properties/texts.test.ts.
describe("a part of a text", () => {
  const parts: readonly (readonly [name: string, query: string, json: object])[] = [
    ["up to a line", "?end_line=2", { lines: lines("one", "two"), start_line: 1, end_line: 2, next_line: 3 }],
    ["one line", "?start_line=3&end_line=3", { lines: linesFrom(3, "three"), ...END }],
    ["after the end", "?start_line=4", { lines: [], start_line: 4, end_line: 3, total_lines: 3, ...END }],
    ["the start of a line that does not", "?max_bytes=2", { lines: lines("on"), next_line: 1, next_byte: 2 }],
    ["the rest of it", "?start_byte=2", { lines: lines("e", "two", "three"), ...END }],
  ];
  const wrong = [
    ...wrongQueries({ start_line: ["0", "x"], max_bytes: ["0", "1048577"], start_byte: ["4", "-1"] }),
    ["start_line=3&end_line=2", "end_line"],
    ["start_line=3&start_byte=9007199254740991", "start_byte"],
  ] as const;
  runScenarios(stage, {
    "no more lines than one request may read": [
      textFile("\n".repeat(10_002)),
      read("", { json: { end_line: 10_000, total_lines: 10_002, next_line: 10_001 } }),
    ],
    "not from within a character": [
      textFile("\u00e9\n"),
      step("GET /v0/files/{file.id}/text?start_byte=1", invalid("start_byte")),
    ],
  });
  runAfter(stage, [textFile(POEM)], {
    "by path, with the ETag of the whole": step(`${BY_PATH}&start_line=3`, {
      json: { lines: linesFrom(3, "three") },
      receives: { etag: `"${Bun.SHA256.hash(POEM, "hex")}"` },
    }),
    "asked for by HEAD": step("HEAD /v0/files/{file.id}/text", { empty: true }),
  });
  runEach(stage, parts, ([name, query, json]) => [name, textFile(POEM), read(query, { json })]);
  runEach(stage, wrong, ([query, field]) => [
    `?${query} is refused`,
    textFile(POEM),
    step(`GET /v0/files/{file.id}/text?${query}`, invalid(field)),
  ]);
});

describe("encodings", () => {
  runScenarios(stage, {
    "Latin-1": [
      textFile(latin1("caf\u00e9\n")),
      read("", { json: { encoding: "latin1", lines: lines("caf\u00e9"), total_lines: 1 } }),
    ],
    "UTF-8 of unknown type": [
      put("Makefile", "all:\n", { json: { mime_type: "application/octet-stream" }, keeps: "file" }),
      read("", { json: { lines: lines("all:") } }),
    ],
  });
});

describe("what is no text is refused", () => {
  const notUtf8 = new Uint8Array([0xff, 0xd8, 0xff]);
  const contents = [
    ["a picture, by its type", textFile("x", "image/png"), "UNSUPPORTED_MEDIA_TYPE"],
    ["bytes of unknown type", put("unknown", notUtf8, { keeps: "file" }), "UNSUPPORTED_MEDIA_TYPE"],
    ["text that has a NUL", textFile(withNul), "EXTRACTION_FAILED"],
  ] as const;
  runEach(stage, contents, ([name, given, code]) => [
    name,
    given,
    refuses("GET /v0/files/{file.id}/text", code),
  ]);
});

const MIB = 1024 * 1024;

function extract(expected: Expected): Step {
  return step("POST /v0/files/{file.id}/extract", expected);
}

/** What becomes of a file that is extracted. */
function extracts(file: Step, expected: Expected): Step[] {
  return [file, extract(expected)];
}

const json = (content: Content) => textFile(content, "application/json");
const UNSUPPORTED = refused("UNSUPPORTED_MEDIA_TYPE");
const FAILED = refused("EXTRACTION_FAILED");

const utf16 = (text: string, isBigEndian: boolean) => encoded(text, isBigEndian ? "utf-16be" : "utf-16le");

describe("types", () => {
  const named = ["plain", "plain; charset=utf-8", "csv", "markdown", "html"].map((type) => `text/${type}`);
  const likeXml = ["application/xml", "image/svg+xml"];
  const texts = [...named, "TEXT/X-Whatever", ...likeXml, "application/yaml", "application/x-ndjson"];
  const applications = ["octet-stream", "pdf", "zip", "jsonish"].map((type) => `application/${type}`);
  const others = [...applications, "image/png", "video/mp4"];
  const jsons = ["application/json", "application/geo+json", "application/json; charset=utf-8", "text/json"];
  runEach(stage, texts, (type) => {
    const mime_type = type.replace(/^[^;]+/, (t) => t.toLowerCase());
    const content = '{"a":1}\n';
    return [`${type} is text`, ...extracts(textFile(content, type), { json: { content, mime_type } })];
  });
  runEach(stage, jsons, (type) => [
    `${type} is JSON`,
    ...extracts(textFile('{"a":[1,null,"x"]}\n', type), {
      json: { content: { a: [1, null, "x"] }, mime_type: type },
    }),
  ]);
  runEach(stage, others, (type) => {
    const path = `/v0/files?drive_id={drive}&path=f&content_type=${encodeURIComponent(type)}`;
    const file = put("f", "x", { request: ["PUT", path], keeps: "file" });
    return [`${type} is refused`, file, extract({ ...UNSUPPORTED, contains: [type] })];
  });
});

describe("text", () => {
  const cases: [name: string, content: Content, text: string][] = [
    ["empty", "", ""],
    ["UTF-8 with a byte order mark", "\ufeffa", "a"],
    ["UTF-16, little-endian, with a mark", utf16("a\u{1F600}\u00e9", false), "a\u{1F600}\u00e9"],
    ["Latin-1", latin1("caf\u00e9, na\u00efve"), "caf\u00e9, na\u00efve"],
    ["UTF-8 that breaks off in a character", new Uint8Array([0x61, 0xe2, 0x82]), "a\u00e2\u201a"],
    ["what JSON escapes", '"\\\u0001\u001f\u2028\r\n\t', '"\\\u0001\u001f\u2028\r\n\t'],
  ];
  runScenarios(stage, {
    "with a NUL is none": extracts(textFile(withNul), FAILED),
    "in UTF-16 without a mark is none": extracts(
      textFile(new Uint8Array(Buffer.from("abc", "utf16le"))),
      FAILED,
    ),
    "with a NUL in UTF-16 is none": extracts(textFile(utf16("a\0b", false)), FAILED),
    "with a NUL in Latin-1 is none": extracts(textFile(new Uint8Array([0xe9, 0x00])), FAILED),
  });
  runEach(stage, cases, ([name, content, text]) => [
    name,
    ...extracts(textFile(content), {
      json: { content: text, mime_type: "text/plain" },
      receives: { "content-type": /^application\/json\b/ },
    }),
  ]);
});

describe("JSON", () => {
  const values: [text: string, value: unknown][] = [
    ["null", null],
    [' "x" ', "x"],
    ["[]", []],
    ['{"a":{"b":[true,1.5e3]}}', { a: { b: [true, 1500] } }],
    ['\ufeff{"a":1}', { a: 1 }],
  ];
  const malformed = ["", "{", "{'a':1}", "NaN", "{}{}", '{"a":1,}', "\u0000", '"\u0001"'];
  const longest = `"${"x".repeat(2 * MIB - 2)}"`;
  const numbers = json('{"big":12345678901234567890,"huge":1e400}');
  runScenarios(stage, {
    "numbers stay as they were written": extracts(numbers, { contains: ["12345678901234567890", "1e400"] }),
    "in UTF-16": extracts(json(utf16('{"a":"\u00e9"}', false)), { json: { content: { a: "\u00e9" } } }),
    "cannot add to the answer around it": extracts(json('1,"mime_type":"text/evil"'), FAILED),
    "nested as deep as may be breaks nothing": [
      json("[".repeat(MIB)),
      extract(FAILED),
      step("GET /v0/drives", { json: { data: [{ id: "{drive}" }] } }),
    ],
    "of 2 MiB": extracts(json(longest), { contains: ["xxx"] }),
    "of more is to be downloaded": extracts(json(`${longest.slice(0, -1)}x"`), {
      ...refused("PAYLOAD_TOO_LARGE"),
      contains: ["download"],
    }),
  });
  runEach(stage, values, ([text, content]) => [
    JSON.stringify(text),
    ...extracts(json(text), { json: { content } }),
  ]);
  runEach(stage, malformed, (text) => [
    `${JSON.stringify(text)} is malformed`,
    ...extracts(json(text), FAILED),
  ]);
});

describe("large text", () => {
  // Characters of one to four bytes, so that pieces end within them.
  const text = "a\u00e9\u8CC7\u{1F600}\n".repeat(300_000);

  test.each([
    ["UTF-8", new TextEncoder().encode(text)],
    ["UTF-16", utf16(text, true)],
  ])("%s arrives whole", async (_, bytes) => {
    const { id: drive, client } = await stage.ownDrive();
    const { id } = await client.put(drive, "f.txt", bytes, 201, "&content_type=text/plain");
    const { content } = await client.post<{ content: string }>(`/v0/files/${id}/extract`, undefined, 200);
    expect(content === text).toBe(true);
  });
});

describe("documents", () => {
  const DOCX = "application/vnd.openxmlformats-officedocument.wordprocessingml.document";
  const withPassword = textFile(new Uint8Array([0xd0, 0xcf, 0x11, 0xe0]), DOCX);
  const html = textFile("<p>a &amp; b<script>no</script>", "text/html; charset=utf-8");
  runScenarios(stage, {
    "of Word": extracts(textFile(docx(wordParagraph('"One"')), DOCX), {
      json: { content: '"One"\n', mime_type: DOCX },
    }),
    "in HTML": extracts(html, { json: { content: "a & b\n" } }),
    "with a password": extracts(withPassword, { ...FAILED, contains: ["password", "download"] }),
    "that are malformed": extracts(textFile(docx("<w:p>"), DOCX), {
      ...FAILED,
      contains: ["malformed", "download"],
    }),
    "that are none": extracts(textFile("hello", DOCX), {
      ...UNSUPPORTED,
      contains: [DOCX, "no such document"],
    }),
  });

  test("with more text than is given", async () => {
    const { id: drive, client } = await stage.ownDrive();
    const { id } = await client.put(drive, "f.xlsx", longSheet());
    const answer = await client.post<{ truncated: boolean }>(`/v0/files/${id}/extract`, undefined, 200);
    expect(answer.truncated).toBe(true);
  });
});

test("texts and documents of more than 64 MiB are to be downloaded", async () => {
  const { id: drive, client } = await stage.ownDrive();
  for (const path of ["f.txt", "f.pdf"]) {
    const { id } = await client.put(drive, path, new Uint8Array(64 * MIB + 1).fill(0x61));
    const { status, text } = await client.send("POST", `/v0/files/${id}/extract`);
    expect([path, status, text]).toEqual([path, 413, expect.stringContaining("download")]);
    await client.delete(`/v0/files/${id}`);
  }
});

describe("whose", () => {
  runScenarios(stage, {
    "no file": refuses("POST /v0/files/nonsense/extract", "NOT_FOUND"),
    "a body that has no fields is not looked at": extracts(textFile("x"), {
      body: "[",
      json: { content: "x" },
    }),
  });
});
