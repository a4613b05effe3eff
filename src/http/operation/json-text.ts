import { type CofferError, invalid } from "../../domain/errors.ts";
import { malformedJson } from "./json-fault.ts";

const MAX_DEPTH = 64;

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
 * `JSON.parse` for requests. Values are at most 64 levels deep, so later code can recurse into them; `JSON.parse` alone
 * accepts a million levels. A key `__proto__` becomes an ordinary own property.
 *
 * @param note is added to the place where the text is malformed
 * @throws CofferError VALIDATION_ERROR for `field` if the text is malformed or nested too deeply
 */
export function parseJson(text: string, field: string, note = ""): unknown {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch (error) {
    if (error instanceof SyntaxError) throw invalid(field, malformedJson(text) + note);
    if (error instanceof RangeError) throw nestedTooDeeply(field);
    throw error;
  }
  if (isDeeperThan(value, MAX_DEPTH)) throw nestedTooDeeply(field);
  return value;
}

function nestedTooDeeply(field: string): CofferError {
  return invalid(field, `must not be nested deeper than ${MAX_DEPTH} levels`);
}

function isDeeperThan(value: unknown, levels: number): boolean {
  if (typeof value !== "object" || value === null) return false;
  return levels === 0 || Object.values(value).some((inner) => isDeeperThan(inner, levels - 1));
}
