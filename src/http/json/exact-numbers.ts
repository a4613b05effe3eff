import { invalid } from "../../domain/errors.ts";
import { METADATA_BYTES } from "../../domain/limits.ts";

/** Marks a number that parsing changed. */
const CHANGED = Symbol("changed");

/**
 * Refuses numbers in metadata that would not be returned as they were sent. JSON.parse silently rounds to a double:
 * 12345678901234567890 becomes 12345678901234567000, and 1e400 is later written as null. Only the value counts, not
 * the notation: 1.0 is returned as 1, 1e2 as 100, and -0 as 0.
 *
 * @param text from which `parseJson` made `value`
 * @throws CofferError VALIDATION_ERROR for the first number that would change, such as `metadata.sizes[2]`
 */
export function requireExactNumbers(text: string, value: unknown, field: string): void {
  if (needsCheck(text, value)) refuseChanged(parseMarked(text), field);
}

/** The same for one field of the JSON object `text`. */
export function requireExactField(text: string, body: unknown, field: string): void {
  if (needsCheck(text, memberOf(body, field))) refuseChanged(memberOf(parseMarked(text), field), field);
}

function memberOf(value: unknown, name: string): unknown {
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
