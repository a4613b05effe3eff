import { describe, expect, test } from "bun:test";
import * as fc from "fast-check";
import { HELD_BYTES, readJsonUpload } from "../../../src/http/upload/json.ts";
import { anyText, forAllAsync } from "../../support/models/properties.ts";
import { readUpload } from "../../support/samples/upload-bodies.ts";

const SIZES = [1, 2, 3, 7, 1 << 20];

async function read(json: string | Uint8Array, size: number) {
  let largest = 0;
  const { content, ...upload } = await readUpload(Buffer.from(json), size, (body, write) =>
    readJsonUpload(body, (piece) => {
      largest = Math.max(largest, piece.length);
      return write(piece);
    }),
  );
  return { ...upload, content: content.toString(), largest };
}

/** Everything escaped that may be, or nothing. */
function spellings(text: string): string[] {
  const escaped = text.replaceAll(/[^]/g, (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, "0")}`);
  return [JSON.stringify(text), `"${escaped}"`];
}

const LONG = 'Ä line, "quoted" and with a \\.\n'.repeat(5000);

describe("a text is read", () => {
  test.each([
    ["as `text`", '{"text":"todo","path":"a"}', "todo"],
    ["empty", '{"text":""}', ""],
    [
      "with every escape",
      String.raw`{"text":"\"\\\/\b\f\n\r\t\u0041\u00e9\u65e5\ud83d\ude00\u0000"}`,
      '"\\/\b\f\n\r\tAé日😀\0',
    ],
    ["as it is", '{"text":"Grüße, 日本 😀"}', "Grüße, 日本 😀"],
    ["with a byte order mark of its own", '{"text":"\ufeffa"}', "\ufeffa"],
    ["beside a content that is null", '{"content":null,"text":"a"}', "a"],
    ["as content, the encoding before it", '{"encoding":"utf-8","content":"todo"}', "todo"],
    ["as content, the encoding behind it", '{"content":"some words","encoding":"utf8"}', "some words"],
    ["as content, called text", String.raw`{"content":"a \"b\"\n","encoding":"text"}`, 'a "b"\n'],
    ["out of base64 that says so, before it", '{"encoding":"base64","content":"todo"}', "\ufffd\ufffdh"],
    ["out of base64 that says so, behind it", '{"content":"YWJj","encoding":"base64"}', "abc"],
    ["out of `base64`", '{"base64":"YWJj"}', "abc"],
    ["out of base64 whose encoding is null", '{"content":"YWJj","encoding":null}', "abc"],
  ])("%s", async (_, json, content) => {
    for (const size of SIZES) expect(await read(json, size)).toMatchObject({ content });
  });

  test("as long as it is, in pieces", async () => {
    for (const spelling of spellings(LONG)) {
      for (const size of [1000, 65_536, 1 << 24]) {
        const upload = await read(`{"text":${spelling},"path":"a"}`, size);
        expect(upload.content === LONG).toBeTrue();
        expect(upload.largest).toBeLessThanOrEqual(48 * 1024);
        expect(upload.fields).toEqual({ text: "", path: "a" });
      }
    }
    const early = await read(`{"encoding":"text","content":${JSON.stringify(LONG)}}`, 1000);
    expect(early.content === LONG).toBeTrue();
  });

  test("as JSON.parse reads it, however it is cut", async () => {
    const cut = fc.integer({ min: 1, max: 20 });
    await forAllAsync(1, anyText(), cut, async (text, size) => {
      for (const spelling of spellings(text)) {
        const upload = await read(`{"text":${spelling}}`, size);
        if (text.isWellFormed()) expect(upload.content).toBe(text);
        else expect(upload.error).toMatchObject({ code: "VALIDATION_ERROR" });
      }
    });
  });
});

describe("a text is refused", () => {
  const late = `{"content":"${"YWJj".repeat(HELD_BYTES / 4 + 1)}","encoding":"text"}`;
  test.each<[name: string, json: string | Uint8Array, field: string]>([
    ["beside a content", '{"content":"YWJj","text":"abc"}', "text"],
    ["before a content", '{"text":"abc","content":"YWJj"}', "content"],
    ["sent twice", '{"text":"a","text":"b"}', "text"],
    ["beside base64", '{"base64":"YWJj","text":"abc"}', "text"],
    ["with an encoding of bytes", '{"text":"YWJj","encoding":"base64"}', "encoding"],
    ["as base64 with one of text", '{"base64":"YWJj","encoding":"utf-8"}', "encoding"],
    ["with half a surrogate pair", String.raw`{"text":"\ud83d"}`, "text"],
    ["with half a surrogate pair before a letter", String.raw`{"text":"\ud83da"}`, "text"],
    ["with two first halves", String.raw`{"text":"\ud83d\ud83d\ude00"}`, "text"],
    ["with a second half alone", String.raw`{"text":"\ude00"}`, "text"],
    ["with an escape that is none", String.raw`{"text":"\x41"}`, "body"],
    ["with an escape that is cut", String.raw`{"text":"\u00"}`, "body"],
    ["with a line end", '{"text":"a\nb"}', "body"],
    ["with bytes that are no UTF-8", Buffer.from('{"text":"a\xff"}', "latin1"), "body"],
    ["with a character that is cut", Buffer.from('{"text":"a\xc3"}', "latin1"), "body"],
    ["that does not end", '{"text":"abc', "body"],
    ["as a content that is plainly words", '{"content":"todo","filename":"a.md"}', "content"],
    ["as words on lines", String.raw`{"filename":"a.md","content":"Done\nlater\n"}`, "content"],
    ["as words with a path", '{"content":"and/or+more","path":"a/b.md","filename":"b"}', "content"],
    ["as words with capitals", '{"content":"TodoList","filename":"a.md"}', "content"],
    ["as a word with a number", '{"content":"test1234","filename":"a.txt"}', "content"],
    [
      "in an encoding that there is not",
      '{"content":"todo","filename":"a.md","encoding":"UTF-8"}',
      "encoding",
    ],
    ["in one that there is not, behind it", '{"encoding":"latin1","content":"a, b"}', "encoding"],
    ["as words of a given type", '{"content":"todo","filename":"a","content_type":"text/plain"}', "content"],
    ["in an encoding that comes too late", late, "encoding"],
  ])("%s", async (_, json, field) => {
    for (const size of json.length > 1000 ? [1000] : SIZES) {
      expect(await read(json, size)).toMatchObject({ error: { code: "VALIDATION_ERROR", field } });
    }
  });
});

describe("base64 that may look like words is taken", () => {
  test.each([
    ["if it is of a text", '{"content":"dGV4","filename":"a.md"}'],
    ["for a file of bytes", '{"content":"todo","filename":"a.png"}'],
    ["for a name that says nothing", '{"content":"todo","filename":"a"}'],
    ["of another given type", '{"content":"todo","filename":"a.md","content_type":"image/png"}'],
    ["if it says that it is", '{"content":"todo","filename":"a.md","encoding":"base64"}'],
    ["if it is mixed as words are not", '{"content":"6XTpToDo","filename":"a.txt"}'],
  ])("%s", async (_, json) => {
    expect(await read(json, 1 << 20)).toMatchObject({ contentKey: "content" });
  });

  test("whatever text it is of", async () => {
    await forAllAsync(1, anyText(), async (text) => {
      const content = Buffer.from(text.toWellFormed()).toString("base64");
      const upload = await read(JSON.stringify({ content, filename: "a.md" }), 1 << 20);
      expect(upload.content).toBe(text.toWellFormed());
    });
  });
});
