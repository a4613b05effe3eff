import { describe, expect, test } from "bun:test";
import { docx, longSheet, wordParagraph } from "../../support/samples/documents.ts";
import {
  type Expected,
  openStage,
  put,
  refused,
  refuses,
  runEach,
  runScenarios,
  step,
  type Step,
} from "../../support/server/scenario.ts";

const stage = openStage();

const MIB = 1024 * 1024;

function upload(type: string, content: string | Uint8Array<ArrayBuffer>): Step {
  return put("f", content, { headers: { "content-type": type }, keeps: "file" });
}

function extract(expected: Expected): Step {
  return step("POST /v0/files/{file.id}/extract", expected);
}

/** What becomes of a file that is extracted. */
function extracts(file: Step, expected: Expected): Step[] {
  return [file, extract(expected)];
}

const plain = (content: string | Uint8Array<ArrayBuffer>) => upload("text/plain", content);
const json = (content: string | Uint8Array<ArrayBuffer>) => upload("application/json", content);
const FAILED = refused("EXTRACTION_FAILED");

function utf16(text: string, isBigEndian: boolean): Uint8Array<ArrayBuffer> {
  const bytes = Buffer.from(`\ufeff${text}`, "utf16le");
  return new Uint8Array(isBigEndian ? bytes.swap16() : bytes);
}

const latin1 = new Uint8Array(Buffer.from("caf\u00e9, na\u00efve", "latin1"));
const withNul = new Uint8Array([0x61, 0x00, 0x62]);

describe("types", () => {
  const texts = [
    "text/plain",
    "text/plain; charset=utf-8",
    "text/csv",
    "text/markdown",
    "text/html",
    "TEXT/X-Whatever",
    "application/xml",
    "application/yaml",
    "application/x-ndjson",
    "image/svg+xml",
  ];
  const others = [
    "application/octet-stream",
    "application/pdf",
    "image/png",
    "application/zip",
    "application/jsonish",
    "video/mp4",
  ];
  const jsons = ["application/json", "application/geo+json", "application/json; charset=utf-8", "text/json"];
  runEach(stage, texts, (type) => {
    const mime_type = type.replace(/^[^;]+/, (t) => t.toLowerCase());
    const content = '{"a":1}\n';
    return [`${type} is text`, ...extracts(upload(type, content), { json: { content, mime_type } })];
  });
  runEach(stage, jsons, (type) => [
    `${type} is JSON`,
    ...extracts(upload(type, '{"a":[1,null,"x"]}\n'), {
      json: { content: { a: [1, null, "x"] }, mime_type: type },
    }),
  ]);
  runEach(stage, others, (type) => {
    const path = `/v0/files?drive_id={drive}&path=f&content_type=${encodeURIComponent(type)}`;
    return [
      `${type} is refused`,
      ...extracts(put("f", "x", { request: ["PUT", path], keeps: "file" }), {
        ...refused("UNSUPPORTED_MEDIA_TYPE"),
        contains: [type],
      }),
    ];
  });
});

describe("text", () => {
  const cases: [name: string, content: string | Uint8Array<ArrayBuffer>, text: string][] = [
    ["empty", "", ""],
    ["UTF-8", "\u{1F600} \u8CC7\u6599 \u00e9\n", "\u{1F600} \u8CC7\u6599 \u00e9\n"],
    ["UTF-8 with a byte order mark", "\ufeffa", "a"],
    ["UTF-16, little-endian, with a mark", utf16("a\u{1F600}\u00e9", false), "a\u{1F600}\u00e9"],
    ["UTF-16, big-endian, with a mark", utf16("a\u{1F600}\u00e9", true), "a\u{1F600}\u00e9"],
    ["Latin-1", latin1, "caf\u00e9, na\u00efve"],
    ["UTF-8 that breaks off in a character", new Uint8Array([0x61, 0xe2, 0x82]), "a\u00e2\u201a"],
    ["what JSON escapes", '"\\\u0001\u001f\u2028\r\n\t', '"\\\u0001\u001f\u2028\r\n\t'],
  ];
  runScenarios(stage, {
    "with a NUL is none": extracts(plain(withNul), FAILED),
    "in UTF-16 without a mark is none": extracts(
      plain(new Uint8Array(Buffer.from("abc", "utf16le"))),
      FAILED,
    ),
    "with a NUL in UTF-16 is none": extracts(plain(utf16("a\0b", false)), FAILED),
    "with a NUL in Latin-1 is none": extracts(plain(new Uint8Array([0xe9, 0x00])), FAILED),
  });
  runEach(stage, cases, ([name, content, text]) => [
    name,
    ...extracts(plain(content), {
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

  test("of more than 64 MiB is to be downloaded", async () => {
    const own = await stage.ownDrive();
    const file = await own.client.put(own.id, "f.txt", new Uint8Array(64 * MIB + 1).fill(0x61));
    const answer = await own.client.send("POST", `/v0/files/${file.id}/extract`);
    expect([answer.status, answer.text]).toEqual([413, expect.stringContaining("download")]);
  });
});

describe("documents", () => {
  const DOCX = "application/vnd.openxmlformats-officedocument.wordprocessingml.document";
  const withPassword = upload(DOCX, new Uint8Array([0xd0, 0xcf, 0x11, 0xe0]));
  const html = upload("text/html; charset=utf-8", "<p>a &amp; b<script>no</script>");
  runScenarios(stage, {
    "of Word": extracts(upload(DOCX, docx(wordParagraph('"One"'))), {
      json: { content: '"One"\n', mime_type: DOCX },
    }),
    "in HTML": extracts(html, { json: { content: "a & b\n" } }),
    "with a password": extracts(withPassword, { ...FAILED, contains: ["password", "download"] }),
    "that are malformed": extracts(upload(DOCX, docx("<w:p>")), {
      ...FAILED,
      contains: ["malformed", "download"],
    }),
    "that are none": extracts(upload(DOCX, "hello"), {
      ...refused("UNSUPPORTED_MEDIA_TYPE"),
      contains: [DOCX, "no such document"],
    }),
  });

  test("with more text than is given", async () => {
    const { id: drive, client } = await stage.ownDrive();
    const { id } = await client.put(drive, "f.xlsx", longSheet());
    const answer = await client.post<{ truncated: boolean }>(`/v0/files/${id}/extract`, undefined, 200);
    expect(answer.truncated).toBe(true);
  });

  test("of more than 64 MiB are to be downloaded", async () => {
    const { id: drive, client } = await stage.ownDrive();
    const { id } = await client.put(drive, "f.pdf", new Uint8Array(64 * MIB + 1));
    const answer = await client.send("POST", `/v0/files/${id}/extract`);
    expect([answer.status, answer.text]).toEqual([413, expect.stringContaining("download")]);
  });
});

describe("whose", () => {
  runScenarios(stage, {
    "another's file": refuses("POST /v0/files/{files.ada}/extract", "NOT_FOUND"),
    "no file": refuses("POST /v0/files/nonsense/extract", "NOT_FOUND"),
    "with a read-only key, which does not POST": refuses(
      "agentReader POST /v0/files/{files.agent}/extract",
      "FORBIDDEN",
    ),
    "with a read-only key, which may GET": step("agentReader GET /v0/files/{files.agent}/extract", {
      contains: ["content"],
    }),
    "a body that has no fields is not looked at": extracts(plain("x"), { body: "[", json: { content: "x" } }),
  });
});
