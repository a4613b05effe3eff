import { CofferError, invalid } from "../../errors.ts";
import { utf8Length } from "../texts/text.ts";
import { EDIT_BYTES, MIB, REPLACED_PLACES } from "../../limits.ts";
import { afterLineEnd, isLineStart, NEWLINE } from "../texts/lines.ts";
import { type Change, type Replacement, withReplacements } from "./changes.ts";
import { atOnce, copied, indexIn, LINE, Pace, type Paced } from "./pace.ts";

export type Edit = (
  | {
      readonly op: "str_replace";
      readonly oldString: string;
      readonly newString: string;
      /** Whether every place is replaced; else there must be exactly one. */
      readonly replaceAll: boolean;
    }
  /** Puts lines after the line with this number; 0 for the start of the text. */
  | { readonly op: "insert"; readonly line: number; readonly text: string }
  /** Adds exactly this text at the end. */
  | { readonly op: "append"; readonly text: string }
) & {
  /** Where it is in the request, for errors, such as `edits[2].`; none for the request itself. */
  readonly place?: string;
};

/** Checks the texts of edits. Throws VALIDATION_ERROR for what no text can hold. */
export function requireEdits(edits: readonly Edit[]): void {
  for (const edit of edits) {
    const { place = "" } = edit;
    if (edit.op === "str_replace") {
      requireText(`${place}old_string`, edit.oldString);
      requireText(`${place}new_string`, edit.newString);
    } else requireText(`${place}text`, edit.text);
  }
}

/** How many bytes the texts of edits have, as UTF-8. */
export function sentBytes(edits: readonly Edit[]): number {
  const texts = edits.map((edit) =>
    edit.op === "str_replace" ? edit.oldString + edit.newString : edit.text,
  );
  return texts.reduce((sum, text) => sum + utf8Length(text), 0);
}

function requireText(field: string, text: string): void {
  if (!text.isWellFormed()) throw invalid(field, "must be well-formed Unicode, without lone surrogates");
  if (text.includes("\0")) throw invalid(field, "must not contain NUL");
}

const RETURN = 0x0d;

/** Texts of this length have memory of their own. */
const LARGE_BYTES = MIB;

/** Longer texts are not searched again. */
const SEARCHED_BYTES = 256 * 1024;

const SPACE = 0x20;

const NAMED_LINES = 10;

/**
 * A text while it is edited, as UTF-8, which is searched byte by byte: no character begins within another.
 *
 * If all lines of the text end with `\r\n`, a `\n` in an edit stands for that, unless the edit has a `\r` as well. Only
 * what is appended is never changed.
 */
export class EditedText {
  readonly #original: Buffer<ArrayBuffer>;
  #text: Buffer<ArrayBuffer>;
  #changes: readonly Change[] = [];
  /** Null until it is asked for: to know it, each line is looked at. */
  #hasReturns: boolean | null = null;
  readonly #pace: Pace;

  constructor(original: Buffer<ArrayBuffer>, pace = new Pace()) {
    this.#original = original;
    this.#text = original;
    this.#pace = pace;
  }

  /** The text after the edits so far; gone after the next one. */
  get text(): Buffer<ArrayBuffer> {
    return this.#text;
  }

  get changes(): readonly Change[] {
    return this.#changes;
  }

  /** Applies an edit. Throws CONFLICT if the text is not as the edit needs it, VALIDATION_ERROR, PAYLOAD_TOO_LARGE. */
  apply(edit: Edit): void {
    atOnce(this.steps(edit));
  }

  *steps(edit: Edit): Paced<void> {
    const { place = "" } = edit;
    switch (edit.op) {
      case "str_replace":
        return yield* this.#replace(edit, place);
      case "insert":
        return yield* this.#insert(edit.line, edit.text, place);
      case "append":
        return yield* this.#put([this.#text.length], 0, Buffer.from(edit.text));
    }
  }

  *#replace(edit: Edit & { op: "str_replace" }, place: string): Paced<void> {
    if (edit.oldString === "") throw invalid(`${place}old_string`, "must not be empty");
    const isExact = edit.oldString.includes("\r") || edit.newString.includes("\r");
    const wanted = Buffer.from(isExact ? edit.oldString : yield* this.#adapted(edit.oldString));
    const replacement = Buffer.from(isExact ? edit.newString : yield* this.#adapted(edit.newString));
    const first = yield* indexIn(this.#text, wanted, 0, this.#pace);
    if (first === -1) throw this.#isMissing(wanted, place);
    if (edit.replaceAll) {
      const places = yield* this.#placesOf(wanted, first, place);
      return yield* this.#put(places, wanted.length, replacement);
    }
    const second = yield* indexIn(this.#text, wanted, first + 1, this.#pace);
    if (second !== -1) throw yield* this.#isAmbiguous(wanted, first, place);
    yield* this.#put([first], wanted.length, replacement);
  }

  *#placesOf(wanted: Buffer, first: number, place: string): Paced<number[]> {
    const places: number[] = [];
    for (let at = first; at !== -1; at = yield* indexIn(this.#text, wanted, at + wanted.length, this.#pace)) {
      places.push(at);
      if (places.length > REPLACED_PLACES) {
        throw invalid(
          `${place}replace_all`,
          `must not replace more than ${REPLACED_PLACES} places; upload the file anew`,
        );
      }
    }
    return places;
  }

  *#insert(line: number, text: string, place: string): Paced<void> {
    const at = yield* this.#afterLine(line, place);
    const isAtEnd = at === this.#text.length;
    const hasEnd = isLineStart(this.#text, at);
    const lineEnd = (yield* this.#endsWithReturns()) ? "\r\n" : "\n";
    const isWhole = text.endsWith("\n") || (isAtEnd && (at === 0 || !hasEnd));
    const lines = text.includes("\r") ? text : yield* this.#adapted(text);
    yield* this.#put([at], 0, Buffer.from((hasEnd ? "" : lineEnd) + lines + (isWhole ? "" : lineEnd)));
  }

  *#afterLine(line: number, place: string): Paced<number> {
    let at = 0;
    for (let passed = 0; passed < line; passed += 1) {
      const end = afterLineEnd(this.#text, "utf-8", at);
      const isLast = end === -1 && at < this.#text.length && passed === line - 1;
      if (end === -1 && !isLast) {
        const total = passed + (at < this.#text.length ? 1 : 0);
        throw invalid(
          `${place}line`,
          `must be at most ${total}, the number of lines; 0 inserts before the first`,
        );
      }
      const next = isLast ? this.#text.length : end;
      if (this.#pace.spend(next - at + LINE)) yield;
      at = next;
    }
    return at;
  }

  /** Puts bytes in the place of `length` others, at each of these places. */
  *#put(places: readonly number[], length: number, bytes: Buffer): Paced<void> {
    const size = this.#text.length + places.length * (bytes.length - length);
    if (size > EDIT_BYTES) {
      throw new CofferError(
        "PAYLOAD_TOO_LARGE",
        `The edited text would have ${size} bytes; the limit is ${EDIT_BYTES}. Put in less, or upload the whole text.`,
      );
    }
    const replacements: Replacement[] = [];
    const [before, now] = [this.#text, Buffer.allocUnsafeSlow(size)];
    let [from, to] = [0, 0];
    for (const start of places) {
      yield* copied(before, [from, start], now, to, this.#pace);
      to += start - from;
      yield* copied(bytes, [0, bytes.length], now, to, this.#pace);
      to += bytes.length;
      from = start + length;
      replacements.push({ start, end: from, length: bytes.length });
    }
    yield* copied(before, [from, before.length], now, to, this.#pace);
    this.#text = now;
    if (before !== this.#original) release(before);
    this.#changes = yield* withReplacements(this.#changes, replacements, this.#pace);
  }

  *#adapted(text: string): Paced<string> {
    return text.includes("\n") && (yield* this.#endsWithReturns()) ? text.replaceAll("\n", "\r\n") : text;
  }

  /** Whether the original has line ends, and all of them are `\r\n`. */
  *#endsWithReturns(): Paced<boolean> {
    return (this.#hasReturns ??= yield* endsWithReturns(this.#original, this.#pace));
  }

  #isMissing(wanted: Buffer, place: string): CofferError {
    const like = likeLine(this.#text, wanted);
    const hint =
      like === null
        ? "Read the file and copy the text exactly."
        : `From line ${like} on, the file differs from it only in spaces or line ends: copy them exactly.`;
    return new CofferError("CONFLICT", `${place}old_string is not in the file. Nothing was changed. ${hint}`);
  }

  *#isAmbiguous(wanted: Buffer, first: number, place: string): Paced<CofferError> {
    const lines: number[] = [];
    let [line, start] = [1, 0];
    let at = first;
    while (at !== -1 && lines.length < NAMED_LINES) {
      let next = afterLineEnd(this.#text, "utf-8", start);
      for (; next !== -1 && next <= at; next = afterLineEnd(this.#text, "utf-8", start)) {
        if (this.#pace.spend(next - start + LINE)) yield;
        line += 1;
        start = next;
      }
      lines.push(line);
      // Others in the same line need not be looked at.
      at = next === -1 ? -1 : yield* indexIn(this.#text, wanted, next, this.#pace);
    }
    const named = lines.join(", ") + (at === -1 ? "" : " and more");
    return new CofferError(
      "CONFLICT",
      `${place}old_string is in the file more than once, at line ${named}. Nothing was changed. Send more of the text around the place you mean, or \`replace_all\`.`,
    );
  }
}

/** Releases the memory of a long text, which the garbage collector would do much later. */
function release(text: Buffer<ArrayBuffer>): void {
  if (text.length >= LARGE_BYTES) text.buffer.transfer(0);
}

function* endsWithReturns(text: Buffer, pace: Pace): Paced<boolean> {
  let end = afterLineEnd(text, "utf-8", 0);
  if (end === -1) return false;
  for (let start = 0; end !== -1; end = afterLineEnd(text, "utf-8", start)) {
    if (text[end - 2] !== RETURN) return false;
    if (pace.spend(end - start + LINE)) yield;
    start = end;
  }
  return true;
}

/** The line where something is that differs from `wanted` only in spaces and line ends; null if nothing is. */
function likeLine(text: Buffer, wanted: Buffer): number | null {
  if (text.length > SEARCHED_BYTES) return null;
  const pattern = withoutSpaces(wanted);
  const found = pattern.length === 0 ? -1 : withoutSpaces(text).indexOf(pattern);
  if (found === -1) return null;
  let [line, passed] = [1, 0];
  for (let at = 0; at < text.length; at += 1) {
    const byte = text[at] ?? 0;
    if (byte === NEWLINE) line += 1;
    if (byte <= SPACE) continue;
    if (passed === found) return line;
    passed += 1;
  }
  return null;
}

/** A loop over bytes: `filter` takes ten times as long. */
function withoutSpaces(text: Buffer): Buffer {
  const kept = Buffer.allocUnsafe(text.length);
  let length = 0;
  for (let at = 0; at < text.length; at += 1) {
    const byte = text[at] ?? 0;
    if (byte > SPACE) kept[length++] = byte;
  }
  return kept.subarray(0, length);
}
