import { CofferError, invalid } from "../errors.ts";
import { EDIT_BYTES, MIB, REPLACED_PLACES } from "../limits.ts";
import { afterLineEnd, NEWLINE } from "../texts/lines.ts";
import { type Change, type Replacement, withReplacements } from "./change.ts";
import type { Edit } from "./edit.ts";
import { likeLine } from "./like-line.ts";

const RETURN = 0x0d;

/** Texts of this length have memory of their own. */
const LARGE_BYTES = MIB;

/** So many lines are passed in a millisecond or two. */
const LINES_AT_ONCE = 20_000;

/** How many of the lines that match an error names. */
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
  readonly #hasReturns: boolean;

  constructor(original: Buffer<ArrayBuffer>) {
    this.#original = original;
    this.#text = original;
    this.#hasReturns = endsWithReturns(original);
  }

  /** The text after the edits so far; gone after the next one. */
  get text(): Buffer<ArrayBuffer> {
    return this.#text;
  }

  /** What differs from the original, in order. */
  get changes(): readonly Change[] {
    return this.#changes;
  }

  /**
   * Applies an edit.
   *
   * @throws CofferError CONFLICT if the text is not as the edit needs it, VALIDATION_ERROR, PAYLOAD_TOO_LARGE
   */
  apply(edit: Edit): void {
    const steps = this.steps(edit);
    while (steps.next().done !== true);
  }

  /** Applies an edit in steps of a millisecond or two. Throws as `apply`. */
  *steps(edit: Edit): Generator<void, void> {
    const { place = "" } = edit;
    switch (edit.op) {
      case "str_replace":
        return yield* this.#replace(edit, place);
      case "insert":
        return yield* this.#insert(edit.line, edit.text, place);
      case "append":
        return this.#put([this.#text.length], 0, Buffer.from(edit.text));
    }
  }

  *#replace(edit: Edit & { op: "str_replace" }, place: string): Generator<void, void> {
    if (edit.oldString === "") throw invalid(`${place}old_string`, "must not be empty");
    const isExact = edit.oldString.includes("\r") || edit.newString.includes("\r");
    const wanted = Buffer.from(isExact ? edit.oldString : this.#adapted(edit.oldString));
    const replacement = Buffer.from(isExact ? edit.newString : this.#adapted(edit.newString));
    const first = this.#text.indexOf(wanted);
    if (first === -1) throw this.#isMissing(wanted, place);
    yield;
    if (edit.replaceAll) {
      const places = this.#placesOf(wanted, place);
      yield;
      return this.#put(places, wanted.length, replacement);
    }
    if (this.#text.indexOf(wanted, first + 1) !== -1) throw yield* this.#isAmbiguous(wanted, first, place);
    yield;
    this.#put([first], wanted.length, replacement);
  }

  #placesOf(wanted: Buffer, place: string): number[] {
    const places: number[] = [];
    let at = this.#text.indexOf(wanted);
    for (; at !== -1; at = this.#text.indexOf(wanted, at + wanted.length)) {
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

  *#insert(line: number, text: string, place: string): Generator<void, void> {
    const at = yield* this.#afterLine(line, place);
    const isAtEnd = at === this.#text.length;
    const hasEnd = at === 0 || this.#text[at - 1] === NEWLINE;
    const lineEnd = this.#hasReturns ? "\r\n" : "\n";
    const isWhole = text.endsWith("\n") || (isAtEnd && (at === 0 || !hasEnd));
    const lines = text.includes("\r") ? text : this.#adapted(text);
    this.#put([at], 0, Buffer.from((hasEnd ? "" : lineEnd) + lines + (isWhole ? "" : lineEnd)));
  }

  *#afterLine(line: number, place: string): Generator<void, number> {
    let at = 0;
    for (let passed = 0; passed < line; passed += 1) {
      if (passed % LINES_AT_ONCE === LINES_AT_ONCE - 1) yield;
      const end = afterLineEnd(this.#text, "utf-8", at);
      const isLast = end === -1 && at < this.#text.length && passed === line - 1;
      if (end === -1 && !isLast) {
        const total = passed + (at < this.#text.length ? 1 : 0);
        throw invalid(
          `${place}line`,
          `must be at most ${total}, the number of lines; 0 inserts before the first`,
        );
      }
      at = isLast ? this.#text.length : end;
    }
    return at;
  }

  /** Puts bytes in the place of `length` others, at each of these places. */
  #put(places: readonly number[], length: number, bytes: Buffer): void {
    const size = this.#text.length + places.length * (bytes.length - length);
    if (size > EDIT_BYTES) {
      throw new CofferError(
        "PAYLOAD_TOO_LARGE",
        `The edited text would have ${size} bytes; the limit is ${EDIT_BYTES}. Put in less, or upload the whole text.`,
      );
    }
    const parts: Buffer[] = [];
    const replacements: Replacement[] = [];
    let from = 0;
    for (const start of places) {
      parts.push(this.#text.subarray(from, start), bytes);
      from = start + length;
      replacements.push({ start, end: from, length: bytes.length });
    }
    const before = this.#text;
    this.#text = Buffer.concat([...parts, before.subarray(from)], size);
    if (before !== this.#original) release(before);
    this.#changes = withReplacements(this.#changes, replacements);
  }

  #adapted(text: string): string {
    return this.#hasReturns ? text.replaceAll("\n", "\r\n") : text;
  }

  #isMissing(wanted: Buffer, place: string): CofferError {
    const like = likeLine(this.#text, wanted);
    const hint =
      like === null
        ? "Read the file and copy the text exactly."
        : `From line ${like} on, the file differs from it only in spaces or line ends: copy them exactly.`;
    return new CofferError("CONFLICT", `${place}old_string is not in the file. Nothing was changed. ${hint}`);
  }

  *#isAmbiguous(wanted: Buffer, first: number, place: string): Generator<void, CofferError> {
    const lines: number[] = [];
    let [line, start] = [1, 0];
    let at = first;
    while (at !== -1 && lines.length < NAMED_LINES) {
      let next = afterLineEnd(this.#text, "utf-8", start);
      for (; next !== -1 && next <= at; next = afterLineEnd(this.#text, "utf-8", start)) {
        line += 1;
        start = next;
        if (line % LINES_AT_ONCE === 0) yield;
      }
      lines.push(line);
      // Others in the same line need not be looked at.
      at = next === -1 ? -1 : this.#text.indexOf(wanted, next);
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

/** Whether there are line ends, and all of them are `\r\n`. */
function endsWithReturns(text: Buffer): boolean {
  let end = afterLineEnd(text, "utf-8", 0);
  if (end === -1) return false;
  for (; end !== -1; end = afterLineEnd(text, "utf-8", end)) if (text[end - 2] !== RETURN) return false;
  return true;
}
