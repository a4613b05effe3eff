import { invalid } from "../../domain/errors.ts";
import { malformedJson } from "./json-fault.ts";
import { excessOf, MAX_DEPTH, MAX_ESCAPES, MAX_FRAME } from "./json-measure.ts";

/** What may be half a surrogate pair: text that is well-formed UTF-8 has it only as an escape. */
const HALF_PAIRS = ["\\ud", "\\uD"];

/**
 * Decodes UTF-8 strictly; a byte order mark is a character like any other.
 * @throws CofferError VALIDATION_ERROR for `field` if the bytes are not well-formed UTF-8
 */
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
 * A key `__proto__` becomes an ordinary own property.
 *
 * @param items see `excessOf`
 * @param note is added to the place where the text is malformed
 * @throws CofferError VALIDATION_ERROR for `field` if the text is malformed, nested too deeply, or holds too many items
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
