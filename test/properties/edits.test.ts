import { expect, test } from "bun:test";
import * as fc from "fast-check";
import { type Edit, EditedText } from "../../src/domain/contents/edit/edited-text.ts";
import { atOnce, Pace } from "../../src/domain/contents/edit/pace.ts";
import { unifiedDiff, unifiedDiffSteps } from "../../src/domain/contents/edit/unified-diff.ts";
import { forAll, unlessRefused } from "../support/models/properties.ts";

/** Applies a unified diff to a text, as `patch` does. Throws if the diff is not about this text. */
function patched(text: string, diff: string): string {
  const lines = linesOf(text);
  const result: string[] = [];
  let at = 0;
  let lastMark = "";
  for (const line of linesOf(diff).slice(2)) {
    const hunk = /^@@ -(\d+),(\d+) \+(\d+),(\d+) @@\n$/.exec(line);
    const [mark, rest] = [line.charAt(0), line.slice(1)];
    if (hunk !== null) {
      const [oldLine, oldCount, newLine, newCount] = hunk.slice(1).map(Number);
      const start = Number(oldLine) - (oldCount === 0 ? 0 : 1);
      result.push(...lines.slice(at, start));
      at = start;
      if (result.length !== Number(newLine) - (newCount === 0 ? 0 : 1))
        throw new Error(`wrong place: ${line}`);
    } else if (mark === "\\") {
      // The line before has no end, in the text that it is of.
      if (lastMark !== "-") result.push((result.pop() ?? "").slice(0, -1));
    } else if (mark === "+") result.push(rest);
    else {
      const found = lines[at] ?? "";
      if (found !== rest && `${found}\n` !== rest) throw new Error(`${JSON.stringify(found)} is not ${line}`);
      if (mark === " ") result.push(rest);
      at += 1;
    }
    lastMark = mark;
  }
  return [...result, ...lines.slice(at)].join("");
}

function linesOf(text: string): string[] {
  return text.match(/[^\n]*\n|[^\n]+$/g) ?? [];
}

function comparing(original: Buffer, { text, changes }: EditedText) {
  return { path: "f", original, now: text, changes, firstLine: 1 };
}

/** A text after an edit, in the simplest way; null if the edit is refused. */
function edited(text: string, edit: Edit, hasReturns: boolean): string | null {
  const adapted = (part: string, isExact: boolean) =>
    hasReturns && !isExact ? part.replaceAll("\n", "\r\n") : part;
  switch (edit.op) {
    case "append":
      return text + edit.text;
    case "str_replace": {
      const isExact = /\r/.test(edit.oldString + edit.newString);
      const [wanted, by] = [adapted(edit.oldString, isExact), adapted(edit.newString, isExact)];
      const first = text.indexOf(wanted);
      if (wanted === "" || first === -1) return null;
      if (edit.replaceAll) return text.split(wanted).join(by);
      return text.includes(wanted, first + 1)
        ? null
        : text.slice(0, first) + by + text.slice(first + wanted.length);
    }
    case "insert": {
      const lines = linesOf(text);
      if (edit.line > lines.length) return null;
      const end = hasReturns ? "\r\n" : "\n";
      const added = adapted(edit.text, edit.text.includes("\r"));
      const before = lines.slice(0, edit.line).join("");
      const after = lines.slice(edit.line).join("");
      if (before !== "" && !before.endsWith("\n")) return before + end + added;
      return before + (text === "" || added.endsWith("\n") ? added : added + end) + after;
    }
  }
}

// Few different characters, so that much of it is there more than once.
const anyText = fc.string({
  unit: fc.constantFrom("a", "b", "\u00e9", "\u{1f600}", "\n", "\n", "\r\n", " "),
  maxLength: 30,
});
/** As `anyText`, but all its lines end as on another system. */
const withReturns = anyText.map((text) => text.replaceAll(/\r?\n/g, "\r\n"));
const anyPart = fc.string({ unit: fc.constantFrom("a", "b", "\u00e9", "\n", "\r\n", " "), maxLength: 3 });
const anyEdit: fc.Arbitrary<Edit> = fc.oneof(
  fc.record({ op: fc.constant("append"), text: anyPart }),
  fc.record({ op: fc.constant("insert"), line: fc.nat(8), text: anyPart }),
  fc.record({
    op: fc.constant("str_replace"),
    oldString: anyPart,
    newString: anyPart,
    replaceAll: fc.boolean(),
  }),
);

test("edits do to bytes what they would do to a string, and the diff leads from one to the other", () => {
  forAll(
    5,
    fc.oneof(anyText, withReturns),
    fc.array(anyEdit, { minLength: 1, maxLength: 6 }),
    fc.integer({ min: 1, max: 40 }),
    (text, edits, pieceBytes) => {
      const hasReturns = text.includes("\n") && !/(?<!\r)\n/.test(text);
      const original = Buffer.from(text);
      const pace = new Pace(pieceBytes);
      const now = new EditedText(original, pace);
      let expected = text;
      for (const edit of edits) {
        const after = edited(expected, edit, hasReturns);
        const isDone = unlessRefused(() => (now.apply(edit), true)) ?? false;
        expect([edit, isDone]).toEqual([edit, after !== null]);
        expected = after ?? expected;
        expect(now.text.toString()).toBe(expected);
      }
      const diff = atOnce(unifiedDiffSteps(comparing(original, now), pace));
      expect(patched(text, diff.text)).toBe(expected);
    },
  );
});

test("however many places change, the diff leads from one to the other until it is cut", () => {
  const text = Array.from({ length: 6000 }, (_, line) => `line ${line}${line % 18 === 0 ? " x" : ""}\n`).join(
    "",
  );
  const original = Buffer.from(text);
  const now = new EditedText(original);
  now.apply({ op: "str_replace", oldString: "x\n", newString: "y\n", replaceAll: true });
  const { text: diff, isCut } = unifiedDiff(comparing(original, now));
  expect(isCut).toBe(false);
  expect(patched(text, diff)).toBe(text.replaceAll("x\n", "y\n"));
  now.apply({ op: "str_replace", oldString: "l", newString: "L", replaceAll: true });
  const all = unifiedDiff(comparing(original, now));
  expect([all.isCut, Buffer.byteLength(all.text)]).toEqual([true, 64 * 1024]);
});

test.each([
  ["inserted far down", { op: "insert", line: 199_999, text: "y" }],
  ["ambiguous far down", { op: "str_replace", oldString: "z", newString: "y", replaceAll: false }],
] as const)("an edit of many lines lets others go first: %s", (_, edit) => {
  const text = new EditedText(Buffer.from(`${"x\n".repeat(199_998)}zz\n`));
  let steps = 0;
  const run = () => {
    for (const made = text.steps(edit); made.next().done !== true; steps += 1);
  };
  if (edit.op === "insert") run();
  else expect(run).toThrow("more than once");
  expect(steps).toBeGreaterThan(5);
});

test("a diff far down a text lets others go first, while it counts the lines before", () => {
  const original = Buffer.from("x\n".repeat(200_000));
  const now = new EditedText(original);
  now.apply({ op: "append", text: "y" });
  let steps = 0;
  for (
    const made = unifiedDiffSteps(comparing(original, now), new Pace());
    made.next().done !== true;
    steps += 1
  );
  expect(steps).toBeGreaterThan(3);
});
