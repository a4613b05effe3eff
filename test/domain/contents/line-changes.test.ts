import { expect, test } from "bun:test";
import * as fc from "fast-check";
import { type Change, lineChanges } from "../../../src/domain/contents/edit/changes.ts";
import { unifiedDiff } from "../../../src/domain/contents/edit/unified-diff.ts";
import { forAll } from "../../support/models/properties.ts";

/** The new text, made of the original and what changed. */
function applied(original: Buffer, now: Buffer, changes: readonly Change[]): string {
  const parts: Buffer[] = [];
  let at = 0;
  for (const { oldStart, oldEnd, newStart, newEnd } of changes) {
    parts.push(original.subarray(at, oldStart), now.subarray(newStart, newEnd));
    at = oldEnd;
  }
  return Buffer.concat([...parts, original.subarray(at)]).toString();
}

function diff(before: string, after: string, steps?: number): string {
  const [original, now] = [Buffer.from(before), Buffer.from(after)];
  const changes = lineChanges(original, now, steps);
  return unifiedDiff({ path: "f", original, now, changes, firstLine: 1 }).text;
}

/** The length of the longest common subsequence, slowly. */
function longestCommon(a: readonly string[], b: readonly string[]): number {
  let row = Array.from({ length: b.length + 1 }, () => 0);
  for (const line of a) {
    const next = [0];
    for (const [j, other] of b.entries())
      next.push(line === other ? (row[j] ?? 0) + 1 : Math.max(row[j + 1] ?? 0, next[j] ?? 0));
    row = next;
  }
  return row.at(-1) ?? 0;
}

function linesOf(text: string): string[] {
  return text.match(/[^\n]*\n|[^\n]+$/g) ?? [];
}

/** Many lines, each another one. */
function manyLines(seed: number): string {
  return Array.from({ length: 5000 }, (_, n) => `${(n * seed) % 4999}`).join("\n");
}

const text = fc
  .array(fc.constantFrom("", "a", "b", "c", "ä"), { maxLength: 12 })
  .map((lines) => lines.join("\n"));

test("what changed makes the new text of the old one, in order, and is as little as it can be", () => {
  forAll(1, text, text, (before, after) => {
    const [original, now] = [Buffer.from(before), Buffer.from(after)];
    const changes = lineChanges(original, now);
    expect(applied(original, now, changes)).toBe(after);
    const removed = changes.flatMap((c) => linesOf(original.toString("utf8", c.oldStart, c.oldEnd)));
    const added = changes.flatMap((c) => linesOf(now.toString("utf8", c.newStart, c.newEnd)));
    const [a, b] = [linesOf(before), linesOf(after)];
    expect(removed.length + added.length).toBe(a.length + b.length - 2 * longestCommon(a, b));
  });
});

test("however few steps there are, what changed makes the new text of the old one", () => {
  forAll(1, text, text, fc.nat(20), (before, after, steps) => {
    const [original, now] = [Buffer.from(before), Buffer.from(after)];
    expect(applied(original, now, lineChanges(original, now, steps))).toBe(after);
  });
});

test("a diff of two texts shows each place that differs", () => {
  const before = ["one", ...Array.from({ length: 20 }, (_, n) => `line ${n}`), "last"].join("\n");
  const after = before.replace("one", "1").replace("line 10\n", "").replace("last", "last\n");
  expect(diff(before, after)).toBe(
    `--- a/f\n+++ b/f\n@@ -1,4 +1,4 @@\n-one\n+1\n line 0\n line 1\n line 2\n@@ -9,7 +9,6 @@\n line 7\n line 8\n line 9\n-line 10\n line 11\n line 12\n line 13\n@@ -19,4 +18,4 @@\n line 17\n line 18\n line 19\n-last\n\\ No newline at end of file\n+last\n`,
  );
  expect(diff(before, before)).toBe("");
});

test("texts that differ too much are one change, within the steps given", () => {
  const [original, now] = [
    Buffer.from(`same\n${manyLines(7)}\nend`),
    Buffer.from(`same\n${manyLines(11)}\nend`),
  ];
  const changes = lineChanges(original, now, 10_000);
  expect(changes).toHaveLength(1);
  expect(applied(original, now, changes)).toBe(now.toString());
});
