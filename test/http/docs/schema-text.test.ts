import { expect, test } from "bun:test";
import { Type } from "@sinclair/typebox";
import { fieldLists, fieldNames, typeText } from "../../../src/http/docs/schema-text.ts";

const part = Type.Object({ line: Type.Integer({ minimum: 1, maximum: 9, default: 3 }) });

test("an object of two parts has the fields of both", () => {
  const both = Type.Intersect([Type.Object({ id: Type.String() }), part]);
  expect(fieldNames(both)).toBe("{id, line}");
  expect(fieldLists(Type.Object({ data: Type.Array(both, { description: "Files." }) }))).toEqual([
    "- `data` (array of object): Files.\n  - `id` (string)\n  - `line` (integer 1 to 9 default 3)",
  ]);
});

test("what may be one of several objects has the fields of each", () => {
  const either = Type.Union([part, Type.Object({ edits: Type.Optional(Type.Array(part)) })]);
  expect(fieldNames(either)).toBe("{line} or {edits?}");
  expect(fieldLists(either)).toHaveLength(2);
});

test("types are told in words", () => {
  expect(typeText(Type.Union([Type.Literal("a"), Type.Null()]))).toBe('"a" or null');
  expect(typeText(Type.Array(Type.String()))).toBe("array of string");
  expect(typeText(Type.Unknown())).toBe("anything");
});
