import { invalid } from "../../domain/errors.ts";
import { METADATA_BYTES } from "../../domain/limits.ts";

/** Stands where a number is not the one that was sent. */
const CHANGED = Symbol("changed");

/**
 * Makes sure that the numbers in metadata come back as they were sent. JSON.parse takes the nearest double in
 * silence: of 12345678901234567890 it makes 12345678901234567000, and 1e400 is later written as null.
 * What counts is the value, not how it is written: 1.0 comes back as 1, 1e2 as 100, and -0 as 0.
 *
 * @param text what `parseJson` made `value` of
 * @throws CofferError VALIDATION_ERROR on the first number that would change, such as `metadata.sizes[2]`
 */
export function requireExactNumbers(text: string, value: unknown, field: string): void {
  if (needsLook(value)) refuseChanged(parseMarked(text), field);
}

/** The same for one field of the JSON object `text`. */
export function requireExactField(text: string, body: unknown, field: string): void {
  if (needsLook(memberOf(body, field))) refuseChanged(memberOf(parseMarked(text), field), field);
}

function memberOf(value: unknown, name: string): unknown {
  return typeof value === "object" && value !== null && Object.hasOwn(value, name)
    ? Reflect.get(value, name)
    : undefined;
}

/**
 * To be told a number's text makes parsing several times slower, so only texts that need it are parsed again. What
 * is too long to be kept is refused for that.
 */
function needsLook(value: unknown): boolean {
  return holdsNumber(value) && JSON.stringify(value).length <= METADATA_BYTES;
}

function holdsNumber(value: unknown): boolean {
  if (typeof value !== "object" || value === null) return typeof value === "number";
  return Object.values(value).some(holdsNumber);
}

function parseMarked(text: string): unknown {
  return JSON.parse(text, (_key, value: unknown, context?: { readonly source?: string }) =>
    typeof value === "number" && !isExact(context?.source ?? "", value) ? CHANGED : value,
  );
}

function refuseChanged(value: unknown, field: string): void {
  if (value === CHANGED) throw invalid(field, "is a number that cannot be kept exactly; send it as a string");
  if (typeof value !== "object" || value === null) return;
  for (const [key, item] of Object.entries(value)) {
    refuseChanged(item, Array.isArray(value) ? `${field}[${key}]` : `${field}.${key}`);
  }
}

/** Whether a JSON number is worth exactly what the double is written as. */
function isExact(source: string, value: number): boolean {
  const written = String(value);
  return source === written || (Number.isFinite(value) && decimal(source) === decimal(written));
}

/** A decimal number without its sign, written in the one way that all of the same value share. */
function decimal(text: string): string {
  const [, whole = "", fraction = "", exponent = "0"] =
    /^-?(\d+)(?:\.(\d+))?(?:[eE]([+-]?\d+))?$/.exec(text) ?? [];
  const digits = (whole + fraction).replace(/^0+/, "");
  let length = digits.length;
  // No pattern: /0+$/ starts anew at each zero, of which a caller may send a million.
  while (digits[length - 1] === "0") length -= 1;
  if (length === 0) return "0";
  return `${digits.slice(0, length)}e${Number(exponent) - fraction.length + digits.length - length}`;
}
