import { describe } from "bun:test";
import { encoded } from "../../support/samples/encodings.ts";
import {
  type Expected,
  invalid,
  openStage,
  put,
  refuses,
  runEach,
  runScenarios,
  type Step,
  step,
} from "../../support/server/scenario.ts";

const stage = openStage();

const POEM = "one\ntwo\r\nthree\n";

function read(query: string, expected: Expected): Step {
  return step(`GET /v0/files/{file.id}/text${query}`, expected);
}

function text(content: string | Uint8Array<ArrayBuffer>, type = "text/plain"): Step {
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

describe("the lines of a text", () => {
  const contents: readonly (readonly [name: string, content: string, lines: readonly string[]])[] = [
    ["an empty file has none", "", []],
    ["the last needs no end", "a\nb", ["a", "b"]],
    ["nothing comes after the last end", "a\n", ["a"]],
    ["an empty one counts", "\n\n", ["", ""]],
    ["they end as lines do on any system", POEM, ["one", "two", "three"]],
    ["a carriage return alone ends none", "a\rb\n", ["a\rb"]],
    ["a mark is none of the text", "\ufeffa\n", ["a"]],
  ];
  runEach(stage, contents, ([name, content, found]) => {
    const json = { lines: lines(...found), total_lines: found.length, ...END };
    return [name, text(content), read("", { json })];
  });
});

describe("a part of a text", () => {
  const parts: readonly (readonly [name: string, query: string, json: object])[] = [
    ["from a line on", "?start_line=2", { lines: linesFrom(2, "two", "three"), ...END }],
    ["up to a line", "?end_line=2", { lines: lines("one", "two"), start_line: 1, end_line: 2, next_line: 3 }],
    ["one line", "?start_line=3&end_line=3", { lines: linesFrom(3, "three"), ...END }],
    ["after the end", "?start_line=4", { lines: [], start_line: 4, end_line: 3, total_lines: 3, ...END }],
    ["whole lines that fit", "?max_bytes=9", { lines: lines("one", "two"), next_line: 3, next_byte: null }],
    ["the start of a line that does not", "?max_bytes=2", { lines: lines("on"), next_line: 1, next_byte: 2 }],
    ["the rest of it", "?start_byte=2", { lines: lines("e", "two", "three"), ...END }],
    ["its rest alone", "?start_byte=2&max_bytes=2", { lines: lines("e"), next_line: 2, next_byte: null }],
  ];
  const wrong: readonly (readonly [query: string, field: string])[] = [
    ["?start_line=0", "start_line"],
    ["?start_line=x", "start_line"],
    ["?start_line=3&end_line=2", "end_line"],
    ["?max_bytes=0", "max_bytes"],
    ["?max_bytes=1048577", "max_bytes"],
    ["?start_byte=4", "start_byte"],
    ["?start_byte=-1", "start_byte"],
    ["?start_line=3&start_byte=9007199254740991", "start_byte"],
  ];
  runScenarios(stage, {
    "no more lines than one request may read": [
      text("\n".repeat(10_002)),
      read("", { json: { end_line: 10_000, total_lines: 10_002, next_line: 10_001 } }),
    ],
    "not from within a character": [
      text("\u00e9\n"),
      step("GET /v0/files/{file.id}/text?start_byte=1", invalid("start_byte")),
    ],
    "by path, with the ETag of the whole": [
      text(POEM),
      step(`${BY_PATH}&start_line=3`, {
        json: { lines: linesFrom(3, "three") },
        receives: { etag: `"${Bun.SHA256.hash(POEM, "hex")}"` },
      }),
    ],
    "asked for by HEAD": [text(POEM), step("HEAD /v0/files/{file.id}/text", { empty: true })],
  });
  runEach(stage, parts, ([name, query, json]) => [name, text(POEM), read(query, { json })]);
  runEach(stage, wrong, ([query, field]) => [
    `${query} is refused`,
    text(POEM),
    step(`GET /v0/files/{file.id}/text${query}`, invalid(field)),
  ]);
});

describe("encodings", () => {
  const latin1 = new Uint8Array(Buffer.from("caf\u00e9\n", "latin1"));
  const isText = { json: { lines: lines("caf\u00e9"), total_lines: 1 } };
  runScenarios(stage, {
    "UTF-8": [text("caf\u00e9\n"), read("", isText)],
    "UTF-16": [text(encoded("caf\u00e9\n", "utf-16le")), read("", isText)],
    "UTF-16, the other way": [text(encoded("caf\u00e9\n", "utf-16be")), read("", isText)],
    "Latin-1": [text(latin1), read("", { json: { encoding: "latin1", ...isText.json } })],
    "UTF-8 of unknown type": [
      put("Makefile", "all:\n", { json: { mime_type: "application/octet-stream" }, keeps: "file" }),
      read("", { json: { lines: lines("all:") } }),
    ],
  });
});

describe("what is no text is refused", () => {
  const withNul = new Uint8Array([0x61, 0x00, 0x62]);
  const notUtf8 = new Uint8Array([0xff, 0xd8, 0xff]);
  const contents = [
    ["a picture, by its type", text("x", "image/png"), "UNSUPPORTED_MEDIA_TYPE"],
    ["bytes of unknown type", put("unknown", notUtf8, { keeps: "file" }), "UNSUPPORTED_MEDIA_TYPE"],
    ["text that has a NUL", text(withNul), "EXTRACTION_FAILED"],
  ] as const;
  runEach(stage, contents, ([name, given, code]) => [
    name,
    given,
    refuses("GET /v0/files/{file.id}/text", code),
  ]);
});
