import { describe, expect, test } from "bun:test";
import { docx, longSheet, wordParagraph } from "../../support/samples/documents.ts";
import {
  type Expected,
  openStage,
  put,
  refused,
  row,
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
  runScenarios(stage, [
    ...texts.map((type) =>
      row(
        `${type} is text`,
        extract({
          json: { content: '{"a":1}\n', mime_type: type.replace(/^[^;]+/, (t) => t.toLowerCase()) },
        }),
        { given: [upload(type, '{"a":1}\n')] },
      ),
    ),
    ...["application/json", "application/geo+json", "application/json; charset=utf-8", "text/json"].map(
      (type) =>
        row(`${type} is JSON`, extract({ json: { content: { a: [1, null, "x"] }, mime_type: type } }), {
          given: [upload(type, '{"a":[1,null,"x"]}\n')],
        }),
    ),
    ...others.map((type) =>
      row(`${type} is refused`, extract({ ...refused("UNSUPPORTED_MEDIA_TYPE"), contains: [type] }), {
        given: [
          put("f", "x", {
            request: ["PUT", `/v0/files?drive_id={drive}&path=f&content_type=${encodeURIComponent(type)}`],
            keeps: "file",
          }),
        ],
      }),
    ),
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
      row(
        name,
        extract({
          json: { content: text, mime_type: "text/plain" },
          receives: { "content-type": /^application\/json\b/ },
        }),
        { given: [upload("text/plain", content)] },
      ),
    ),
    row("with a NUL is none", extract(refused("EXTRACTION_FAILED")), {
      given: [upload("text/plain", withNul)],
    }),
    row("in UTF-16 without a mark is none", extract(refused("EXTRACTION_FAILED")), {
      given: [upload("text/plain", new Uint8Array(Buffer.from("abc", "utf16le")))],
    }),
    row("with a NUL in UTF-16 is none", extract(refused("EXTRACTION_FAILED")), {
      given: [upload("text/plain", utf16("a\0b", false))],
    }),
    row("with a NUL in Latin-1 is none", extract(refused("EXTRACTION_FAILED")), {
      given: [upload("text/plain", new Uint8Array([0xe9, 0x00]))],
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
  runScenarios(stage, [
    ...values.map(([text, content]) =>
      row(JSON.stringify(text), extract({ json: { content } }), {
        given: [upload("application/json", text)],
      }),
    ),
    row("numbers stay as they were written", extract({ contains: ["12345678901234567890", "1e400"] }), {
      given: [upload("application/json", '{"big":12345678901234567890,"huge":1e400}')],
    }),
    row("in UTF-16", extract({ json: { content: { a: "\u00e9" } } }), {
      given: [upload("application/json", utf16('{"a":"\u00e9"}', false))],
    }),
    ...malformed.map((text) =>
      row(`${JSON.stringify(text)} is malformed`, extract(refused("EXTRACTION_FAILED")), {
        given: [upload("application/json", text)],
      }),
    ),
    row("cannot add to the answer around it", extract(refused("EXTRACTION_FAILED")), {
      given: [upload("application/json", '1,"mime_type":"text/evil"')],
    }),
    row("nested as deep as may be breaks nothing", extract(refused("EXTRACTION_FAILED")), {
      given: [upload("application/json", "[".repeat(MIB))],
      after: [step("GET /v0/drives", { json: { data: [{ id: "{drive}" }] } })],
    }),
    row("of 2 MiB", extract({ contains: ["xxx"] }), {
      given: [upload("application/json", `"${"x".repeat(2 * MIB - 2)}"`)],
    }),
    row("of more is to be downloaded", extract({ ...refused("PAYLOAD_TOO_LARGE"), contains: ["download"] }), {
      given: [upload("application/json", `"${"x".repeat(2 * MIB - 1)}"`)],
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
    const own = await stage.ownDrive();
    const file = await own.client.json<{ id: string }>(
      201,
      "PUT",
      `/v0/files?drive_id=${own.id}&path=f.txt`,
      { body: bytes, headers: { "content-type": "text/plain" } },
    );
    const { content } = await own.client.json<{ content: string }>(
      200,
      "POST",
      `/v0/files/${file.id}/extract`,
    );
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
  runScenarios(stage, [
    row("of Word", extract({ json: { content: '"One"\n', mime_type: DOCX } }), {
      given: [upload(DOCX, docx(wordParagraph('"One"')))],
    }),
    row("in HTML", extract({ json: { content: "a & b\n" } }), {
      given: [upload("text/html; charset=utf-8", "<p>a &amp; b<script>no</script>")],
    }),
    row("with a password", extract({ ...refused("EXTRACTION_FAILED"), contains: ["password", "download"] }), {
      given: [upload(DOCX, new Uint8Array([0xd0, 0xcf, 0x11, 0xe0]))],
    }),
    row(
      "that are malformed",
      extract({ ...refused("EXTRACTION_FAILED"), contains: ["malformed", "download"] }),
      { given: [upload(DOCX, docx("<w:p>"))] },
    ),
    row(
      "that are none",
      extract({ ...refused("UNSUPPORTED_MEDIA_TYPE"), contains: [DOCX, "no such document"] }),
      { given: [upload(DOCX, "hello")] },
    ),
  ]);

  test("with more text than is given", async () => {
    const own = await stage.ownDrive();
    const target = `/v0/files?drive_id=${own.id}&path=f.xlsx`;
    const { id } = await own.client.json<{ id: string }>(201, "PUT", target, { body: longSheet() });
    const answer = await own.client.json<{ truncated: boolean }>(200, "POST", `/v0/files/${id}/extract`);
    expect(answer.truncated).toBe(true);
  });

  test("of more than 64 MiB are to be downloaded", async () => {
    const own = await stage.ownDrive();
    const target = `/v0/files?drive_id=${own.id}&path=f.pdf`;
    const body = new Uint8Array(64 * MIB + 1);
    const { id } = await own.client.json<{ id: string }>(201, "PUT", target, { body });
    const answer = await own.client.send("POST", `/v0/files/${id}/extract`);
    expect([answer.status, answer.text]).toEqual([413, expect.stringContaining("download")]);
  });
});

describe("whose", () => {
  runScenarios(stage, [
    {
      name: "another's file",
      ...extract(refused("NOT_FOUND")),
      request: ["POST", "/v0/files/{files.ada}/extract"],
    },
    { name: "no file", ...extract(refused("NOT_FOUND")), request: ["POST", "/v0/files/nonsense/extract"] },
    {
      name: "with a read-only key, which does not POST",
      as: "agentReader",
      ...extract(refused("FORBIDDEN")),
      request: ["POST", "/v0/files/{files.agent}/extract"],
    },
    row("with a read-only key, which may GET", "agentReader GET /v0/files/{files.agent}/extract", {
      contains: ["content"],
    }),
    row("a body that has no fields is not looked at", extract({ body: "[", json: { content: "x" } }), {
      given: [upload("text/plain", "x")],
    }),
  ]);
});
