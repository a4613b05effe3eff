import { expect, test } from "bun:test";
import * as fc from "fast-check";
import { plainLine } from "../../src/domain/grep/lines.ts";
import { GREP, GREP_BOUNDS } from "../../src/domain/limits.ts";
import type { Scanned, ScanParts } from "../../src/services/grep/file-scan.ts";
import { Budget, FILE_START, FileScan } from "../../src/services/grep/file-scan.ts";
import { Pattern } from "../../src/services/grep/file-scan.ts";
import type { LineMatch } from "../../src/services/grep/request.ts";
import { anyOf, runs } from "../support/models/properties.ts";
import { encoded, ENCODINGS } from "../support/samples/encodings.ts";

/** Patterns that mean the same to every engine. */
const PATTERNS = ["a", "^b", "a$", "b+a", "^$", "(a|b)*c", "é|😀", "[^a]", "\\bab", "^.b.*$", ""];

const anyLine = fc.string({ unit: fc.oneof(anyOf("abcé "), fc.constantFrom("😀", "\r")), maxLength: 9 });
const anyEnded = fc.tuple(anyLine, fc.constantFrom("\n", "\r\n")).map((parts) => parts.join(""));
const anyText = fc
  .tuple(fc.string({ unit: anyEnded, maxLength: 30 }), anyLine)
  .map((parts) => parts.join(""));

interface Search {
  readonly bytes: Uint8Array;
  readonly pattern: string;
  readonly context: number;
  /** How many matches are taken at once. */
  readonly matches: number;
  readonly blockBytes: number;
}

/** Searches, stopping and going on as often as the bound of matches says. */
async function found({
  bytes,
  pattern,
  context,
  matches,
  blockBytes,
}: Search): Promise<readonly LineMatch[]> {
  const source = {
    size: bytes.length,
    read: (at: number, length: number) => bytes.subarray(at, at + length),
  };
  const bounds = { ...GREP_BOUNDS, time: 60_000, matches, blockBytes };
  const searched = new Pattern({ pattern, ignoreCase: false });
  const all: LineMatch[] = [];
  for (let from: ScanParts["from"] | null = FILE_START; from !== null;) {
    const budget = new Budget({ bounds, stop: new Int32Array(1) });
    const parts: ScanParts = { source, pattern: searched, context, budget, blockBytes, from };
    const scanned: Scanned | null = await new FileScan(parts).run();
    if (scanned === null) throw new Error("the text is not text");
    all.push(...scanned.matches);
    from = scanned.rest;
  }
  return all;
}

/** The same, as simply as possible. */
function expected(
  lines: readonly (readonly [number, string])[],
  pattern: string,
  context: number,
): LineMatch[] {
  // Of RE2, a dot matches a CR.
  const re = new RegExp(pattern, "su");
  const texts = lines.map(([, text]) => text);
  return lines.flatMap(([line, text], at) => {
    const before = texts.slice(Math.max(0, at - context), at);
    const after = texts.slice(at + 1, at + 1 + context);
    return re.test(text) ? [{ line, text, before, after }] : [];
  });
}

function linesOf(text: string): (readonly [number, string])[] {
  const lines = text.split("\n");
  if (lines.at(-1) === "") lines.pop();
  return lines.map((line, at) => [at + 1, line.endsWith("\r") ? line.slice(0, -1) : line]);
}

test("finds the lines that match, whatever the encoding, and wherever it stops and goes on", async () => {
  const anySearch = fc.record({
    text: anyText,
    encoding: fc.constantFrom(...ENCODINGS),
    pattern: fc.constantFrom(...PATTERNS),
    context: fc.integer({ min: 0, max: 4 }),
    matches: fc.integer({ min: 1, max: 5 }),
    blockBytes: fc.integer({ min: 64, max: 200 }),
  });
  const rule = fc.asyncProperty(anySearch, async ({ text, encoding, pattern, ...search }) => {
    const bytes = encoded(text, encoding);
    // A mark alone is the empty first line.
    const lines = linesOf(text === "" && bytes.length > 0 ? "\n" : text);
    expect(await found({ ...search, pattern, bytes })).toEqual(expected(lines, pattern, search.context));
  });
  await fc.assert(rule, runs(5));
});

test("passes over a text of many lines only if none of them matches", async () => {
  const tricky = String.raw`
    \Ab b\z (?-m)^b (?-m:b$) (?i-m)B$ (?m)^b (?s)a.b a\sb [^b]b \Bb b\B ^$ b$|^c (^b) (b$)
    \ba\b (?s).$ \x0a a[\s\S]*b \x{FEFF}a $ \Qa\Ab`;
  const anyLines = fc.array(fc.string({ unit: anyOf("ab\r\uFEFF"), maxLength: 3 }), { maxLength: 3 });
  const rule = fc.property(
    fc.constantFrom(...tricky.trim().split(/\s+/)),
    fc.boolean(),
    anyLines,
    (pattern, ignoreCase, lines) => {
      const searched = new Pattern({ pattern, ignoreCase });
      const text = lines.join("\n");
      const matches = text.split("\n").some((line) => searched.matches(plainLine(line)));
      expect(searched.mayMatchIn(text) || !matches).toBe(true);
    },
  );
  fc.assert(rule, runs(20));
});

/** The lines, and the pieces of those that are longer than a block. */
function piecesOf(text: string, blockBytes: number): (readonly [number, string])[] {
  const lines = text.match(/[^\n]*\n|[^\n]+$/g) ?? [];
  return lines.flatMap((line, at) => {
    const starts = Array.from({ length: Math.ceil(line.length / blockBytes) }, (_, n) => n * blockBytes);
    const pieces = starts.map((start) => line.slice(start, start + blockBytes));
    return pieces.map((piece): [number, string] => [at + 1, piece.replace(/\r?\n$|\r$/, "")]);
  });
}

test("searches a line that is longer than a block in pieces", async () => {
  const anySearch = fc.record({
    text: fc.string({ unit: anyOf("aabbc\n"), maxLength: 120 }),
    pattern: fc.constantFrom("a", "^b", "a$", "b+a", "(a|b)*c"),
    context: fc.integer({ min: 0, max: 3 }),
    matches: fc.integer({ min: 1, max: 4 }),
    blockBytes: fc.integer({ min: 4, max: 24 }),
  });
  const rule = fc.asyncProperty(anySearch, async ({ text, ...search }) => {
    const pieces = piecesOf(text, search.blockBytes);
    const bytes = Buffer.from(text);
    expect(await found({ ...search, bytes })).toEqual(
      expected(pieces, search.pattern, search.context).slice(0, GREP.fileMatches),
    );
  });
  await fc.assert(rule, runs(5));
});

test("shows at most so much of a line, with the start of its match, and no half characters", () => {
  const anyPlace = fc.record({
    before: fc.string({ unit: anyOf("a b"), maxLength: 2000 }),
    after: fc.string({ unit: anyOf("a b"), maxLength: 2000 }),
    filler: fc.constantFrom("x", "é", "😀"),
  });
  const rule = fc.asyncProperty(anyPlace, async ({ before, after, filler }) => {
    const line = `${before.replaceAll("a", filler)}needle${after.replaceAll("a", filler)}`;
    const search = { pattern: "needle", context: 0, matches: 1, blockBytes: 100_000 };
    const [match] = await found({ ...search, bytes: Buffer.from(line) });
    const shown = match?.text ?? "";
    expect(shown).toContain("needle");
    expect(shown.isWellFormed() && !shown.includes("\uFFFD")).toBe(true);
    expect(shown.length).toBeLessThanOrEqual(GREP.lineCharacters + 3);
    const plain = shown.replace(/^…/, "").replace(/…$/, "");
    expect(line).toContain(plain);
    expect(shown === plain).toBe(line.length <= GREP.lineCharacters);
  });
  return fc.assert(rule, runs());
});
