import { expect, test } from "bun:test";
import * as fc from "fast-check";
import { malformedJson } from "../../../src/http/json/json-fault.ts";
import { forAll } from "../../support/models/properties.ts";

const QUOTES = "put names and texts in double quotes";
const SHORT = "it ends too early: send the whole of it";
const COMMA = "remove the comma before the bracket";

test.each<[text: string, line: number, column: number, advice: string]>([
  ["", 1, 1, SHORT],
  ["{", 1, 2, SHORT],
  ['{"a":', 1, 6, SHORT],
  ['{"a":"x', 1, 8, "a text is not closed: send the whole of it, up to its double quote"],
  ["[1,]", 1, 4, COMMA],
  ['{\n  "a": 1,\n}', 3, 1, COMMA],
  ["{'a':1}", 1, 2, QUOTES],
  ["{a:1}", 1, 2, QUOTES],
  ['{"a":b}', 1, 6, QUOTES],
  ["'{}'", 1, 1, QUOTES],
  ["undefined", 1, 1, QUOTES],
  ['{"a":1, "b": "x\ny"}', 1, 16, "write a line break in a text as \\n, and a tab as \\t"],
  ['{"a":"C:\\dir"}', 1, 9, "write a backslash in a text twice"],
  ['{"a" 1}', 1, 6, "a colon is missing after the name"],
  ['{"a":1 "b":2}', 1, 8, "a comma or a closing bracket is missing"],
  ['{"a":}', 1, 6, "a value is missing"],
  ['{"a":1}}', 1, 8, "nothing may follow the end of the JSON"],
  ['{"a":1}\r\n{"b":2}', 2, 1, "nothing may follow the end of the JSON"],
])("%j is malformed at line %d, column %d", (text, line, column, advice) => {
  expect(malformedJson(text)).toBe(`is malformed JSON at line ${line}, column ${column}: ${advice}`);
});

test.each([
  ["name=My+drive&x=1", "looks like a form"],
  [" drive%5Fid=1", "looks like a form"],
  ["name=", "looks like a form"],
  ["--boundary\r\nContent-Disposition: form-data", "looks like a multipart form"],
  ["\ufeff{}", "starts with a byte order mark"],
])("%j is known for what it is", (text, start) => {
  expect(malformedJson(text)).toStartWith(start);
});

test("every text that JSON.parse refuses is refused at a place, and none before what is right", () => {
  forAll(1, fc.json(), fc.nat(), fc.constantFrom("", ",", "}", "]", '"', "x", ":"), (json, at, cut) => {
    const place = at % (json.length + 1);
    const text = json.slice(0, place) + cut + json.slice(place + 1);
    let isRefused = false;
    try {
      JSON.parse(text);
    } catch {
      isRefused = true;
    }
    if (isRefused) expect(malformedJson(text)).toMatch(/^(is malformed JSON at|looks like a form)/);
  });
});

test("only the start of a long text is looked at", () => {
  for (const text of [
    "[".repeat(1e6),
    `{"a":[${"1,".repeat(5e5)}}`,
    `${" ".repeat(1e6)}x`,
    "\n".repeat(1e6),
  ]) {
    expect(malformedJson(text)).toBe("is malformed JSON, after its first 65536 characters");
  }
});
