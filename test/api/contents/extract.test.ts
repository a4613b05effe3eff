import { describe, expect, test } from "bun:test";
import { docx, longSheet, wordParagraph } from "../../support/samples/documents.ts";
import {
  openStage,
  put,
  refused,
  runScenarios,
  type Expected,
  type Scenario,
  type Step,
} from "../../support/server/scenario.ts";

const stage = openStage();

const MIB = 1024 * 1024;

function upload(type: string, content: string | Uint8Array<ArrayBuffer>): Step {
  return put("f", content, { headers: { "content-type": type }, keeps: "file" });
}

function extract(expected: Expected): Step {
  return { request: ["POST", "/v0/files/{file.id}/extract"], status: 200, ...expected };
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
    ...texts.map((type): Scenario => ({
      name: `${type} is text`,
      given: [upload(type, '{"a":1}\n')],
      ...extract({
        json: { content: '{"a":1}\n', mime_type: type.replace(/^[^;]+/, (t) => t.toLowerCase()) },
      }),
    })),
    ...["application/json", "application/geo+json", "application/json; charset=utf-8", "text/json"].map(
      (type): Scenario => ({
        name: `${type} is JSON`,
        given: [upload(type, '{"a":[1,null,"x"]}\n')],
        ...extract({ json: { content: { a: [1, null, "x"] }, mime_type: type } }),
      }),
    ),
    ...others.map((type): Scenario => ({
      name: `${type} is refused`,
      given: [
        put("f", "x", {
          request: ["PUT", `/v0/files?drive_id={drive}&path=f&content_type=${encodeURIComponent(type)}`],
          keeps: "file",
        }),
      ],
      ...extract({ ...refused("UNSUPPORTED_MEDIA_TYPE"), contains: [type] }),
    })),
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
    ...cases.map(([name, content, text]): Scenario => ({
      name,
      given: [upload("text/plain", content)],
      ...extract({
        json: { content: text, mime_type: "text/plain" },
        receives: { "content-type": /^application\/json\b/ },
      }),
    })),
    {
      name: "with a NUL is none",
      given: [upload("text/plain", withNul)],
      ...extract(refused("EXTRACTION_FAILED")),
    },
    {
      name: "in UTF-16 without a mark is none",
      given: [upload("text/plain", new Uint8Array(Buffer.from("abc", "utf16le")))],
      ...extract(refused("EXTRACTION_FAILED")),
    },
    {
      name: "with a NUL in UTF-16 is none",
      given: [upload("text/plain", utf16("a\0b", false))],
      ...extract(refused("EXTRACTION_FAILED")),
    },
    {
      name: "with a NUL in Latin-1 is none",
      given: [upload("text/plain", new Uint8Array([0xe9, 0x00]))],
      ...extract(refused("EXTRACTION_FAILED")),
    },
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
    ...values.map(([text, content]): Scenario => ({
      name: JSON.stringify(text),
      given: [upload("application/json", text)],
      ...extract({ json: { content } }),
    })),
    {
      name: "numbers stay as they were written",
      given: [upload("application/json", '{"big":12345678901234567890,"huge":1e400}')],
      ...extract({ contains: ["12345678901234567890", "1e400"] }),
    },
    {
      name: "in UTF-16",
      given: [upload("application/json", utf16('{"a":"\u00e9"}', false))],
      ...extract({ json: { content: { a: "\u00e9" } } }),
    },
    ...malformed.map((text): Scenario => ({
      name: `${JSON.stringify(text)} is malformed`,
      given: [upload("application/json", text)],
      ...extract(refused("EXTRACTION_FAILED")),
    })),
    {
      name: "cannot add to the answer around it",
      given: [upload("application/json", '1,"mime_type":"text/evil"')],
      ...extract(refused("EXTRACTION_FAILED")),
    },
    {
      name: "nested as deep as may be breaks nothing",
      given: [upload("application/json", "[".repeat(MIB))],
      ...extract(refused("EXTRACTION_FAILED")),
      after: [{ request: ["GET", "/v0/drives"], status: 200, json: { data: [{ id: "{drive}" }] } }],
    },
    {
      name: "of 2 MiB",
      given: [upload("application/json", `"${"x".repeat(2 * MIB - 2)}"`)],
      ...extract({ contains: ["xxx"] }),
    },
    {
      name: "of more is to be downloaded",
      given: [upload("application/json", `"${"x".repeat(2 * MIB - 1)}"`)],
      ...extract({ ...refused("PAYLOAD_TOO_LARGE"), contains: ["download"] }),
    },
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
    {
      name: "of Word",
      given: [upload(DOCX, docx(wordParagraph('"One"')))],
      ...extract({ json: { content: '"One"\n', mime_type: DOCX } }),
    },
    {
      name: "in HTML",
      given: [upload("text/html; charset=utf-8", "<p>a &amp; b<script>no</script>")],
      ...extract({ json: { content: "a & b\n" } }),
    },
    {
      name: "with a password",
      given: [upload(DOCX, new Uint8Array([0xd0, 0xcf, 0x11, 0xe0]))],
      ...extract({ ...refused("EXTRACTION_FAILED"), contains: ["password", "download"] }),
    },
    {
      name: "that are malformed",
      given: [upload(DOCX, docx("<w:p>"))],
      ...extract({ ...refused("EXTRACTION_FAILED"), contains: ["malformed", "download"] }),
    },
    {
      name: "that are none",
      given: [upload(DOCX, "hello")],
      ...extract({ ...refused("UNSUPPORTED_MEDIA_TYPE"), contains: [DOCX, "no such document"] }),
    },
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
    {
      name: "with a read-only key, which may GET",
      as: "agentReader",
      request: ["GET", "/v0/files/{files.agent}/extract"],
      status: 200,
      contains: ["content"],
    },
    {
      name: "a body that has no fields is not looked at",
      given: [upload("text/plain", "x")],
      ...extract({ body: "[", json: { content: "x" } }),
    },
  ]);
});
