import { DIFF_BYTES } from "../limits.ts";
import { afterLineEnd, NEWLINE } from "../texts/lines.ts";
import { startOf, utf8Length } from "../texts/text.ts";
import type { Change } from "./change.ts";

/** How many lines are shown before and after those that differ. */
const CONTEXT = 3;

/** What a diff is made of. */
export interface Compared {
  /** The path of the file. */
  readonly path: string;
  /** UTF-8, as is `now`. */
  readonly original: Buffer;
  readonly now: Buffer;
  readonly changes: readonly Change[];
  /** The number of the first line of `original`, which may be the end of a longer text. */
  readonly firstLine: number;
}

/** A diff in the unified format; empty if nothing differs. */
export interface Diff {
  readonly text: string;
  /** Whether it was too long, so its end is left out. */
  readonly isCut: boolean;
}

/** Whole lines that differ: where they begin and end in both texts. */
type Lines = Change;

/** Shows changes as `diff -u` does, without the time. Its cost grows with the texts, not with how they differ. */
export function unifiedDiff(compared: Compared): Diff {
  const { path, original } = compared;
  const hunks = inHunks(wholeLines(compared), original);
  if (hunks.length === 0) return { text: "", isCut: false };
  const output = new Output();
  output.add(`--- a/${path}\n+++ b/${path}\n`);
  const position = { at: 0, oldLine: compared.firstLine, newLine: compared.firstLine };
  for (const hunk of hunks) {
    if (output.isFull) break;
    addHunk(output, hunk, compared, position);
  }
  return output.diff();
}

/** The changes as whole lines. Of a long line, however many there are in it, the ends are looked for once. */
function wholeLines({ original, now, changes }: Compared): Lines[] {
  const found: Lines[] = [];
  for (const change of changes) {
    const part = differing(change, original, now);
    if (part === null) continue;
    const last = found.at(-1);
    const isSeparate =
      last === undefined || (part.oldStart >= last.oldEnd && isLineStart(original, last.oldEnd));
    // Both texts are the same around a change, so both have the same line ends there.
    const before = isSeparate ? part.oldStart - lineStart(original, part.oldStart) : 0;
    const oldEnd =
      last !== undefined && part.oldEnd < last.oldEnd ? last.oldEnd : lineEnd(part, original, now);
    const newEnd = part.newEnd + (oldEnd - part.oldEnd);
    if (isSeparate)
      found.push({ oldStart: part.oldStart - before, newStart: part.newStart - before, oldEnd, newEnd });
    else found[found.length - 1] = { ...last, oldEnd, newEnd };
  }
  return found;
}

/** A change without what is the same at its start and end; null if it is the same all through. */
function differing(change: Change, original: Buffer, now: Buffer): Change | null {
  let { oldStart, oldEnd, newStart, newEnd } = change;
  while (oldStart < oldEnd && newStart < newEnd && original[oldStart] === now[newStart]) {
    oldStart += 1;
    newStart += 1;
  }
  while (oldStart < oldEnd && newStart < newEnd && original[oldEnd - 1] === now[newEnd - 1]) {
    oldEnd -= 1;
    newEnd -= 1;
  }
  return oldStart === oldEnd && newStart === newEnd ? null : { oldStart, oldEnd, newStart, newEnd };
}

/** Where the last line of a change ends in the original. */
function lineEnd({ oldEnd, newEnd }: Change, original: Buffer, now: Buffer): number {
  return isLineStart(original, oldEnd) && isLineStart(now, newEnd) ? oldEnd : nextLine(original, oldEnd);
}

function isLineStart(text: Buffer, at: number): boolean {
  return at === 0 || text[at - 1] === NEWLINE;
}

function lineStart(text: Buffer, at: number): number {
  return at === 0 ? 0 : text.lastIndexOf(NEWLINE, at - 1) + 1;
}

/** The start of the line after that of a position; the text's end if there is none. */
function nextLine(text: Buffer, at: number): number {
  const end = text.indexOf(NEWLINE, at);
  return end === -1 ? text.length : end + 1;
}

/** Changes whose context would meet belong to one hunk. */
function inHunks(changed: readonly Lines[], original: Buffer): Lines[][] {
  const hunks: Lines[][] = [];
  for (const lines of changed) {
    const hunk = hunks.at(-1);
    const last = hunk?.at(-1);
    const isNear = last !== undefined && linesAfter(original, last.oldEnd, 2 * CONTEXT) >= lines.oldStart;
    if (hunk !== undefined && isNear) hunk.push(lines);
    else hunks.push([lines]);
  }
  return hunks;
}

/** How far the diff is shown. */
interface Position {
  /** In `original`, at the start of a line. */
  at: number;
  oldLine: number;
  newLine: number;
}

function addHunk(
  output: Output,
  hunk: readonly Lines[],
  { original, now }: Compared,
  position: Position,
): void {
  const [first, last] = [hunk[0], hunk.at(-1)];
  if (first === undefined || last === undefined) throw new Error("a hunk has no changes");
  const start = linesBefore(original, first.oldStart, CONTEXT);
  const end = linesAfter(original, last.oldEnd, CONTEXT);
  const newStart = first.newStart - (first.oldStart - start);
  const newEnd = last.newEnd + (end - last.oldEnd);
  const passed = countLines(original, position.at, start);
  const oldLines = countLines(original, start, end);
  const newLines = countLines(now, newStart, newEnd);
  const [oldLine, newLine] = [position.oldLine + passed, position.newLine + passed];
  output.add(`@@ -${rangeOf(oldLine, oldLines)} +${rangeOf(newLine, newLines)} @@\n`);
  let at = start;
  for (const lines of hunk) {
    output.addLines(" ", original.subarray(at, lines.oldStart));
    output.addLines("-", original.subarray(lines.oldStart, lines.oldEnd));
    output.addLines("+", now.subarray(lines.newStart, lines.newEnd));
    at = lines.oldEnd;
  }
  output.addLines(" ", original.subarray(at, end));
  Object.assign(position, { at: end, oldLine: oldLine + oldLines, newLine: newLine + newLines });
}

/** A range without lines is shown by the line before it. */
function rangeOf(line: number, count: number): string {
  return `${count === 0 ? line - 1 : line},${count}`;
}

function linesBefore(text: Buffer, from: number, count: number): number {
  let at = from;
  for (let left = count; left > 0 && at > 0; left -= 1) at = lineStart(text, at - 1);
  return at;
}

function linesAfter(text: Buffer, from: number, count: number): number {
  let at = from;
  for (let left = count; left > 0 && at < text.length; left -= 1) at = nextLine(text, at);
  return at;
}

function countLines(text: Buffer, from: number, to: number): number {
  const part = text.subarray(from, to);
  let [count, at] = [0, 0];
  for (let end = afterLineEnd(part, "utf-8", 0); end !== -1; end = afterLineEnd(part, "utf-8", end)) {
    count += 1;
    at = end;
  }
  return at < part.length ? count + 1 : count;
}

/** Collects a diff up to its limit. */
class Output {
  readonly #parts: string[] = [];
  #room = DIFF_BYTES;
  #isCut = false;

  get isFull(): boolean {
    return this.#isCut;
  }

  diff(): Diff {
    return { text: this.#parts.join(""), isCut: this.#isCut };
  }

  add(text: string): void {
    const bytes = utf8Length(text);
    this.#isCut ||= bytes > this.#room;
    const kept = this.#isCut ? startOf(text, this.#room) : text;
    this.#parts.push(kept);
    this.#room -= utf8Length(kept);
  }

  /** Adds whole lines, each with a mark before it. */
  addLines(mark: string, lines: Buffer): void {
    for (let at = 0; at < lines.length && !this.#isCut;) {
      const end = nextLine(lines, at);
      // More of a long line is not shown anyway.
      const line = lines.subarray(at, Math.min(end, at + DIFF_BYTES)).toString();
      this.add(mark + line);
      if (end === lines.length && lines[end - 1] !== NEWLINE) this.add("\n\\ No newline at end of file\n");
      at = end;
    }
  }
}
