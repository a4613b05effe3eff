import { invalid } from "../../domain/errors.ts";
import { malformedJson } from "./json-fault.ts";
import { METADATA_BYTES } from "../../domain/limits.ts";

/** What may be half a surrogate pair: text that is well-formed UTF-8 has it only as an escape. */
const HALF_PAIRS = ["\\ud", "\\uD"];

/** Decodes UTF-8 strictly; a byte order mark is a character like any other. Throws VALIDATION_ERROR for `field`. */
export function decodeText(bytes: Uint8Array, field: string): string {
  try {
    return new TextDecoder("utf-8", { fatal: true, ignoreBOM: true }).decode(bytes);
  } catch (error) {
    if (error instanceof TypeError) throw invalid(field, "is not valid UTF-8: encode it as UTF-8");
    throw error;
  }
}

/** Text without a byte order mark at its start: before JSON it may be ignored (RFC 8259, section 8.1). */
export function withoutMark(text: string): string {
  return text.startsWith("\ufeff") ? text.slice(1) : text;
}

/**
 * `JSON.parse` for requests. Values are at most 64 levels deep, so later code can recurse into them, and not too many.
 * A key `__proto__` becomes an ordinary own property. Throws VALIDATION_ERROR for `field`.
 *
 * @param note is added to the place where the text is malformed
 */
export function parseJson(text: string, field: string, items: number, note = ""): unknown {
  refuseExcess(text, field, items);
  const value = parsed(text, field, note);
  if (HALF_PAIRS.some((start) => text.includes(start))) refuseIllFormed(value, field);
  return value;
}

function parsed(text: string, field: string, note: string): unknown {
  try {
    return JSON.parse(text);
  } catch (error) {
    if (error instanceof SyntaxError) throw invalid(field, malformedJson(text) + note);
    throw error;
  }
}

function refuseExcess(text: string, field: string, items: number): void {
  const excess = excessOf(text, items);
  if (excess === "depth") throw invalid(field, `must not be nested deeper than ${MAX_DEPTH} levels`);
  if (excess === "frame") throw invalid(field, `must have at most ${MAX_FRAME} characters outside of texts`);
  if (excess === "escapes")
    throw invalid(
      field,
      `must have at most ${MAX_ESCAPES} escapes in its texts: upload such a content as it is`,
    );
  if (excess === "items")
    throw invalid(field, `must hold at most ${items} values and names: send less at once`);
}

/** Strings with half a surrogate pair cannot be stored as UTF-8 and would be returned changed. */
function refuseIllFormed(value: unknown, field: string): void {
  if (typeof value === "string" && !value.isWellFormed()) throw invalid(field, "must be well-formed Unicode");
  if (typeof value !== "object" || value === null) return;
  if (Array.isArray(value)) {
    value.forEach((item, index) => refuseIllFormed(item, `${field}[${index}]`));
    return;
  }
  for (const [key, item] of Object.entries(value)) {
    if (!key.isWellFormed()) throw invalid(field, "must be well-formed Unicode");
    refuseIllFormed(item, field === "body" ? key : `${field}.${key}`);
  }
}

/** How much a text of JSON holds: what parsing it costs, and all that is done with the values later. */
type JsonExcess = "depth" | "items" | "frame" | "escapes" | null;

/** Values are at most so deep, so later code can recurse into them. */
const MAX_DEPTH = 64;

/** The most characters outside of texts: what is long is a text, and no number or white space. */
const MAX_FRAME = 256 * 1024;

/** The most escapes, such as `\n`: each takes as long to parse as dozens of other characters. */
export const MAX_ESCAPES = 256 * 1024;

const QUOTE = 0x22;
const COMMA = 0x2c;
const COLON = 0x3a;
const OPEN_BRACKET = 0x5b;
const BACKSLASH = 0x5c;
const CLOSE_BRACKET = 0x5d;
const OPEN_BRACE = 0x7b;
const CLOSE_BRACE = 0x7d;
const SPACE = 0x20;

/**
 * Whether a text of JSON holds more `items`, values and names of fields, than it may, before it is parsed: a megabyte
 * may be one text, which costs nothing, or half a million zeros. What is not JSON is left to `JSON.parse`.
 */
export function excessOf(text: string, items: number): JsonExcess {
  let [depth, found, strings, frame, escapes] = [0, 1, 0, 0, 0];
  /** The next one, from the last text on. */
  let backslash = -1;
  /** Whether a bracket was opened, so that what comes next is one more, unless it is the end. */
  let isFirst = false;
  for (let at = 0; at < text.length; at++) {
    if (++frame > MAX_FRAME) return "frame";
    const code = text.charCodeAt(at);
    if (code <= SPACE) continue;
    if (isFirst && code !== CLOSE_BRACKET && code !== CLOSE_BRACE) found++;
    isFirst = code === OPEN_BRACKET || code === OPEN_BRACE;
    if (isFirst && ++depth > MAX_DEPTH) return "depth";
    if (code === CLOSE_BRACKET || code === CLOSE_BRACE) depth--;
    else if (code === COMMA || code === COLON) found++;
    else if (code === QUOTE) {
      if (backslash <= at) backslash = placeOf("\\", text, at);
      const quote = placeOf('"', text, at + 1);
      // Most texts have no escapes: the runtime finds their ends much faster.
      if (quote < backslash) at = quote;
      else
        for (at++; at < text.length; at++) {
          const inside = text.charCodeAt(at);
          if (inside === QUOTE) break;
          if (inside !== BACKSLASH) continue;
          at++;
          if (++escapes > MAX_ESCAPES) return "escapes";
        }
      strings++;
    }
    if (found > items || strings > items) return "items";
  }
  return null;
}

/** The text's end if it is not there. */
function placeOf(character: string, text: string, from: number): number {
  const found = text.indexOf(character, from);
  return found === -1 ? text.length : found;
}

/** In place of a number that parsing changed. */
const CHANGED = Symbol("changed");

/**
 * Refuses numbers in metadata that would not be returned as they were sent. JSON.parse silently rounds to a double:
 * 12345678901234567890 becomes 12345678901234567000, and 1e400 is later written as null. Only the value counts, not
 * the notation: 1.0 is returned as 1. Throws VALIDATION_ERROR for the first, such as `metadata.sizes[2]`.
 */
export function requireExactNumbers(text: string, value: unknown, field: string): void {
  if (needsCheck(text, value)) refuseChanged(parseMarked(text), field);
}

/** The same for one field of the JSON object `text`. */
export function requireExactField(text: string, body: unknown, field: string): void {
  if (needsCheck(text, memberOf(body, field))) refuseChanged(memberOf(parseMarked(text), field), field);
}

/** A field of what is perhaps an object; undefined if it has none of this name. */
export function memberOf(value: unknown, name: string): unknown {
  return typeof value === "object" && value !== null && Object.hasOwn(value, name)
    ? Reflect.get(value, name)
    : undefined;
}

/** A number that may change: one with an exponent, or with more digits than a double surely keeps, which is 15. */
const MAY_CHANGE = /\d[eE]|[\d.]{16}/;

/** Parsing with the source of numbers is several times slower. Values that are too long are refused later. */
function needsCheck(text: string, value: unknown): boolean {
  return MAY_CHANGE.test(text) && holdsNumber(value) && JSON.stringify(value).length <= METADATA_BYTES;
}

function holdsNumber(value: unknown): boolean {
  if (typeof value !== "object" || value === null) return typeof value === "number";
  if (Array.isArray(value)) return value.some(holdsNumber);
  return Object.values(value).some(holdsNumber);
}

function parseMarked(text: string): unknown {
  return JSON.parse(text, (_key, value: unknown, context?: { readonly source?: string }) =>
    typeof value === "number" && !isExact(context?.source ?? "", value) ? CHANGED : value,
  );
}

function refuseChanged(value: unknown, field: string): void {
  if (value === CHANGED)
    throw invalid(field, "is a number that cannot be stored exactly; send it as a string");
  if (typeof value !== "object" || value === null) return;
  if (Array.isArray(value)) {
    value.forEach((item, index) => refuseChanged(item, `${field}[${index}]`));
    return;
  }
  for (const [key, item] of Object.entries(value)) refuseChanged(item, `${field}.${key}`);
}

/** Whether a JSON number has exactly the value of the double as it is written. */
function isExact(source: string, value: number): boolean {
  const written = String(value);
  return source === written || (Number.isFinite(value) && decimal(source) === decimal(written));
}

/** The normal form of a decimal number, without its sign: equal for equal values. */
function decimal(text: string): string {
  const [, whole = "", fraction = "", exponent = "0"] =
    /^-?(\d+)(?:\.(\d+))?(?:[eE]([+-]?\d+))?$/.exec(text) ?? [];
  const digits = (whole + fraction).replace(/^0+/, "");
  let length = digits.length;
  // Not /0+$/: it restarts at each zero, so a million zeros would take quadratic time.
  while (digits[length - 1] === "0") length -= 1;
  if (length === 0) return "0";
  return `${digits.slice(0, length)}e${Number(exponent) - fraction.length + digits.length - length}`;
}
