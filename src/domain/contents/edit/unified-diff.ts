import { DIFF_BYTES } from "../../limits.ts";
import { afterLineEnd, isLineStart, NEWLINE } from "../texts/lines.ts";
import { startOf, utf8Length } from "../texts/text.ts";
import type { Change } from "./changes.ts";
import { atOnce, CALL, LINE, lineStart, nextLine, Pace, type Paced, sameBytes } from "./pace.ts";

const CONTEXT = 3;

interface Compared {
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
  return atOnce(unifiedDiffSteps(compared, new Pace()));
}

export function* unifiedDiffSteps(compared: Compared, pace: Pace): Paced<Diff> {
  const { path, original } = compared;
  const hunks = yield* inHunks(yield* wholeLines(compared, pace), original, pace);
  if (hunks.length === 0) return { text: "", isCut: false };
  const output = new Output(pace);
  output.add(`--- a/${path}\n+++ b/${path}\n`);
  const position = { at: 0, oldLine: compared.firstLine, newLine: compared.firstLine };
  for (const hunk of hunks) {
    if (output.isFull) break;
    yield* addHunk(output, hunk, compared, position, pace);
  }
  return output.diff();
}

/** The changes as whole lines. Of a long line, however many there are in it, the ends are looked for once. */
function* wholeLines({ original, now, changes }: Compared, pace: Pace): Paced<Lines[]> {
  const found: Lines[] = [];
  for (const change of changes) {
    const part = yield* differing(change, original, now, pace);
    if (part === null) continue;
    const last = found.at(-1);
    const isSeparate =
      last === undefined || (part.oldStart >= last.oldEnd && isLineStart(original, last.oldEnd));
    // Both texts are the same around a change, so both have the same line ends there.
    const before = isSeparate ? part.oldStart - (yield* lineStart(original, part.oldStart, pace)) : 0;
    const oldEnd =
      last !== undefined && part.oldEnd < last.oldEnd
        ? last.oldEnd
        : yield* lineEnd(part, original, now, pace);
    const newEnd = part.newEnd + (oldEnd - part.oldEnd);
    if (isSeparate)
      found.push({ oldStart: part.oldStart - before, newStart: part.newStart - before, oldEnd, newEnd });
    else found[found.length - 1] = { ...last, oldEnd, newEnd };
  }
  return found;
}

/** A change without what is the same at its start and end; null if it is the same all through. */
function* differing(change: Change, original: Buffer, now: Buffer, pace: Pace): Paced<Change | null> {
  const most = Math.min(change.oldEnd - change.oldStart, change.newEnd - change.newStart);
  const before = yield* sameBytes([original, change.oldStart], [now, change.newStart], most, 1, pace);
  const after = yield* sameBytes([original, change.oldEnd], [now, change.newEnd], most - before, -1, pace);
  const [oldStart, newStart] = [change.oldStart + before, change.newStart + before];
  const [oldEnd, newEnd] = [change.oldEnd - after, change.newEnd - after];
  return oldStart === oldEnd && newStart === newEnd ? null : { oldStart, oldEnd, newStart, newEnd };
}

function* lineEnd({ oldEnd, newEnd }: Change, original: Buffer, now: Buffer, pace: Pace): Paced<number> {
  if (isLineStart(original, oldEnd) && isLineStart(now, newEnd)) return oldEnd;
  return yield* nextLine(original, oldEnd, pace);
}

/** Changes whose context would meet belong to one hunk. */
function* inHunks(changed: readonly Lines[], original: Buffer, pace: Pace): Paced<Lines[][]> {
  const hunks: Lines[][] = [];
  for (const lines of changed) {
    const hunk = hunks.at(-1);
    const last = hunk?.at(-1);
    const isNear =
      last !== undefined && (yield* linesAfter(original, last.oldEnd, 2 * CONTEXT, pace)) >= lines.oldStart;
    if (hunk !== undefined && isNear) hunk.push(lines);
    else hunks.push([lines]);
  }
  return hunks;
}

interface Position {
  /** In `original`, at the start of a line. */
  at: number;
  oldLine: number;
  newLine: number;
}

function* addHunk(
  output: Output,
  hunk: readonly Lines[],
  { original, now }: Compared,
  position: Position,
  pace: Pace,
): Paced<void> {
  const [first, last] = [hunk[0], hunk.at(-1)];
  if (first === undefined || last === undefined) throw new Error("a hunk has no changes");
  const start = yield* linesBefore(original, first.oldStart, CONTEXT, pace);
  const end = yield* linesAfter(original, last.oldEnd, CONTEXT, pace);
  const newStart = first.newStart - (first.oldStart - start);
  const newEnd = last.newEnd + (end - last.oldEnd);
  const passed = yield* countLines(original, position.at, start, pace);
  const oldLines = yield* countLines(original, start, end, pace);
  const newLines = yield* countLines(now, newStart, newEnd, pace);
  const [oldLine, newLine] = [position.oldLine + passed, position.newLine + passed];
  output.add(`@@ -${rangeOf(oldLine, oldLines)} +${rangeOf(newLine, newLines)} @@\n`);
  let at = start;
  for (const lines of hunk) {
    yield* output.addLines(" ", original.subarray(at, lines.oldStart));
    yield* output.addLines("-", original.subarray(lines.oldStart, lines.oldEnd));
    yield* output.addLines("+", now.subarray(lines.newStart, lines.newEnd));
    at = lines.oldEnd;
  }
  yield* output.addLines(" ", original.subarray(at, end));
  Object.assign(position, { at: end, oldLine: oldLine + oldLines, newLine: newLine + newLines });
}

/** A range without lines is shown by the line before it. */
function rangeOf(line: number, count: number): string {
  return `${count === 0 ? line - 1 : line},${count}`;
}

function* linesBefore(text: Buffer, from: number, count: number, pace: Pace): Paced<number> {
  let at = from;
  for (let left = count; left > 0 && at > 0; left -= 1) at = yield* lineStart(text, at - 1, pace);
  return at;
}

function* linesAfter(text: Buffer, from: number, count: number, pace: Pace): Paced<number> {
  let at = from;
  for (let left = count; left > 0 && at < text.length; left -= 1) at = yield* nextLine(text, at, pace);
  return at;
}

function* countLines(text: Buffer, from: number, to: number, pace: Pace): Paced<number> {
  const part = text.subarray(from, to);
  let [count, at] = [0, 0];
  for (let end = afterLineEnd(part, "utf-8", 0); end !== -1; end = afterLineEnd(part, "utf-8", end)) {
    if (pace.spend(end - at + LINE)) yield;
    count += 1;
    at = end;
  }
  return at < part.length ? count + 1 : count;
}

class Output {
  readonly #parts: string[] = [];
  readonly #pace: Pace;
  #room = DIFF_BYTES;
  #isCut = false;

  constructor(pace: Pace) {
    this.#pace = pace;
  }

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

  *addLines(mark: string, lines: Buffer): Paced<void> {
    for (let at = 0; at < lines.length && !this.#isCut;) {
      const end = yield* nextLine(lines, at, this.#pace);
      // More of a long line is not shown anyway.
      const line = lines.subarray(at, Math.min(end, at + DIFF_BYTES)).toString();
      this.add(mark + line);
      if (end === lines.length && lines[end - 1] !== NEWLINE) this.add("\n\\ No newline at end of file\n");
      if (this.#pace.spend(line.length + 2 * CALL)) yield;
      at = end;
    }
  }
}
