import { describe, expect, test } from "bun:test";
import type { Comment } from "../../web/lib/api/types.ts";
import { linesOf, placeInWords, threadsOf, typedLines } from "../../web/lib/comments.ts";

const by = { type: "key", id: "1", name: "agent" } as const;
const COMMENT: Comment = {
  id: "1",
  drive_id: "",
  file_id: "",
  path: "a.txt",
  reply_to: null,
  version: 2,
  start_line: null,
  end_line: null,
  text: "Hm.",
  mentions: [],
  by,
  resolved_at: null,
  resolved_by: null,
  created_at: "2030-01-31T12:00:00.000Z",
  updated_at: "2030-01-31T12:00:00.000Z",
  current_start_line: null,
  current_end_line: null,
  outdated: false,
};

const at = (start: number, end: number, more: Partial<Comment> = {}): Comment => ({
  ...COMMENT,
  start_line: start,
  end_line: end,
  current_start_line: start,
  current_end_line: end,
  ...more,
});

const GONE = { current_start_line: null, current_end_line: null };

test.each([
  ["of the whole file", COMMENT, ""],
  ["of one line", at(3, 3), "Line 3"],
  ["of several", at(3, 5), "Lines 3–5"],
  ["of what has moved", at(3, 3, { current_start_line: 7, current_end_line: 8 }), "Lines 7–8"],
  ["of what is gone", at(3, 5, { ...GONE, outdated: true }), "On lines 3–5, since removed"],
  ["of what nobody can find", at(3, 3, { ...GONE, outdated: null }), "On line 3 of version 2"],
])("the place %s", (_, comment, words) => {
  expect(placeInWords(comment)).toBe(words);
});

test("what is open comes in the order of its lines, what is resolved the last first, each with its replies", () => {
  const resolved_at = "2030-01-31T12:00:00.000Z";
  const comments = [
    at(9, 9, { id: "9" }),
    at(2, 3, { id: "2" }),
    { ...COMMENT, id: "reply", reply_to: "9" },
    { ...COMMENT, id: "old", resolved_at },
    { ...COMMENT, id: "older", resolved_at },
    { ...COMMENT, id: "file" },
  ];
  const { open, resolved } = threadsOf(comments);
  expect(open.map(({ first, replies }) => [first.id, ...replies.map(({ id }) => id)])).toEqual([
    ["file"],
    ["2"],
    ["9", "reply"],
  ]);
  expect(resolved.map(({ first }) => first.id)).toEqual(["older", "old"]);
  expect(linesOf(open)).toEqual([
    { start: 2, end: 3 },
    { start: 9, end: 9 },
  ]);
});

describe("typed lines:", () => {
  test.each([
    ["", null],
    [" 12 ", { start: 12, end: 12 }],
    ["12-15", { start: 12, end: 15 }],
    ["12 – 15", { start: 12, end: 15 }],
  ])("%j", (text, lines) => {
    expect(typedLines(text)).toEqual(lines);
  });

  test.each(["x", "1,2", "-1", "1-", "1-2-3", "1234567890"])("%j is refused", (text) => {
    expect(() => typedLines(text)).toThrow("Give one line");
  });
});
