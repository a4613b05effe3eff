import { describe, expect, test } from "bun:test";
import { docx, longSheet, wordParagraph } from "../../support/samples/documents.ts";
import {
  type Expected,
  openStage,
  put,
  refused,
  row,
  runScenarios,
  type Scenario,
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
function extracts(name: string, file: Step, expected: Expected): Scenario {
  return row(name, extract(expected), { given: [file] });
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
  runScenarios(stage, [
    ...texts.map((type) => {
      const mime_type = type.replace(/^[^;]+/, (t) => t.toLowerCase());
      const content = '{"a":1}\n';
      return extracts(`${type} is text`, upload(type, content), { json: { content, mime_type } });
    }),
    ...jsons.map((type) =>
      extracts(`${type} is JSON`, upload(type, '{"a":[1,null,"x"]}\n'), {
        json: { content: { a: [1, null, "x"] }, mime_type: type },
      }),
    ),
    ...others.map((type) => {
      const path = `/v0/files?drive_id={drive}&path=f&content_type=${encodeURIComponent(type)}`;
      return extracts(`${type} is refused`, put("f", "x", { request: ["PUT", path], keeps: "file" }), {
        ...refused("UNSUPPORTED_MEDIA_TYPE"),
        contains: [type],
      });
    }),
  ]);
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
  runScenarios(stage, [
    ...cases.map(([name, content, text]) =>
      extracts(name, plain(content), {
        json: { content: text, mime_type: "text/plain" },
        receives: { "content-type": /^application\/json\b/ },
      }),
    ),
    extracts("with a NUL is none", plain(withNul), FAILED),
    extracts(
      "in UTF-16 without a mark is none",
      plain(new Uint8Array(Buffer.from("abc", "utf16le"))),
      FAILED,
    ),
    extracts("with a NUL in UTF-16 is none", plain(utf16("a\0b", false)), FAILED),
    extracts("with a NUL in Latin-1 is none", plain(new Uint8Array([0xe9, 0x00])), FAILED),
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
  runScenarios(stage, [
    ...values.map(([text, content]) => extracts(JSON.stringify(text), json(text), { json: { content } })),
    extracts("numbers stay as they were written", numbers, { contains: ["12345678901234567890", "1e400"] }),
    extracts("in UTF-16", json(utf16('{"a":"\u00e9"}', false)), { json: { content: { a: "\u00e9" } } }),
    ...malformed.map((text) => extracts(`${JSON.stringify(text)} is malformed`, json(text), FAILED)),
    extracts("cannot add to the answer around it", json('1,"mime_type":"text/evil"'), FAILED),
    row("nested as deep as may be breaks nothing", extract(FAILED), {
      given: [json("[".repeat(MIB))],
      after: [step("GET /v0/drives", { json: { data: [{ id: "{drive}" }] } })],
    }),
    extracts("of 2 MiB", json(longest), { contains: ["xxx"] }),
    extracts("of more is to be downloaded", json(`${longest.slice(0, -1)}x"`), {
      ...refused("PAYLOAD_TOO_LARGE"),
      contains: ["download"],
    }),
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
  runScenarios(stage, [
    extracts("of Word", upload(DOCX, docx(wordParagraph('"One"'))), {
      json: { content: '"One"\n', mime_type: DOCX },
    }),
    extracts("in HTML", html, { json: { content: "a & b\n" } }),
    extracts("with a password", withPassword, { ...FAILED, contains: ["password", "download"] }),
    extracts("that are malformed", upload(DOCX, docx("<w:p>")), {
      ...FAILED,
      contains: ["malformed", "download"],
    }),
    extracts("that are none", upload(DOCX, "hello"), {
      ...refused("UNSUPPORTED_MEDIA_TYPE"),
      contains: [DOCX, "no such document"],
    }),
  ]);

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
  runScenarios(stage, [
    row("another's file", "POST /v0/files/{files.ada}/extract", refused("NOT_FOUND")),
    row("no file", "POST /v0/files/nonsense/extract", refused("NOT_FOUND")),
    row(
      "with a read-only key, which does not POST",
      "agentReader POST /v0/files/{files.agent}/extract",
      refused("FORBIDDEN"),
    ),
    row("with a read-only key, which may GET", "agentReader GET /v0/files/{files.agent}/extract", {
      contains: ["content"],
    }),
    extracts("a body that has no fields is not looked at", plain("x"), { body: "[", json: { content: "x" } }),
  ]);
});
