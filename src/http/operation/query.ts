import { type Static, type TObject, type TSchema, Type } from "@sinclair/typebox";
import { invalid } from "../../domain/errors.ts";
import { compileValidator } from "./validate.ts";
import { sameName, type TakeUnknown } from "./names.ts";

const INTEGER = /^-?\d{1,16}$/;

/**
 * Makes the reader of a route's query, a raw string without `?`. It throws VALIDATION_ERROR with the name of the
 * parameter. Each is read as its schema's `type`: integers in decimal digits, booleans as `1`, `0`, `true` or `false`,
 * anything else as text. A missing one gets its schema's `default`. A repeated one is refused, unless its type is an
 * array; it may have another name that means the same. Unknown ones go to `take`, and are ignored unless it throws.
 */
export function compileQuery<S extends TObject>(schema: S): (query: string, take: TakeUnknown) => Static<S> {
  const validate = compileValidator(schema, "query");
  const properties = new Map<string, TSchema>(Object.entries(schema.properties));
  const defaults = [...properties].filter(([, property]) => property.default !== undefined);
  const nothing = Object.freeze(
    Object.fromEntries(defaults.map(([name, property]) => [name, property.default])),
  );
  const place = { noun: "parameter", before: "", known: [...properties.keys()] } as const;
  return (query, take) => {
    if (query === "") return validate(nothing);
    const values = new Map<string, unknown>();
    for (const pair of query.split("&")) {
      if (pair === "") continue;
      const equals = pair.indexOf("=");
      const sent = decode(equals === -1 ? pair : pair.slice(0, equals), "query");
      const name = properties.has(sent) ? sent : (sameName(sent, schema.properties) ?? sent);
      const property = properties.get(name);
      const encoded = equals === -1 ? "" : pair.slice(equals + 1);
      if (property === undefined) {
        take(name, decoded(encoded) ?? encoded, place);
        continue;
      }
      const text = decode(encoded, name);
      const earlier = values.get(name);
      if (property["type"] === "array") {
        values.set(name, Array.isArray(earlier) ? [...earlier, text] : [text]);
      } else {
        if (earlier !== undefined) throw invalid(name, "must be given only once");
        values.set(name, convert(text, property));
      }
    }
    for (const [name, property] of defaults) if (!values.has(name)) values.set(name, property.default);
    return validate(Object.fromEntries(values));
  };
}

function decode(text: string, field: string): string {
  const read = decoded(text);
  if (read === null) throw invalid(field, "must be percent-encoded UTF-8");
  return read;
}

/** The text that is percent-encoded, where `+` is a space (WHATWG URL, section 5.1); null if it is malformed. */
function decoded(text: string): string | null {
  try {
    return decodeURIComponent(text.replaceAll("+", " "));
  } catch (error) {
    if (error instanceof URIError) return null;
    throw error;
  }
}

/** Text that is not of the type is returned unchanged: validation then refuses it. */
function convert(text: string, { type }: TSchema): unknown {
  if (type === "integer" && INTEGER.test(text)) return Number(text);
  if (type === "boolean") {
    if (text === "1" || text === "true") return true;
    if (text === "0" || text === "false") return false;
  }
  return text;
}

/** The value of a field that may be in the query, in the body, or the same in both. Throws VALIDATION_ERROR. */
export function given<T>(field: string, inQuery: T | undefined, inBody: T | undefined): T | undefined {
  if (inQuery !== undefined && inBody !== undefined && inQuery !== inBody)
    throw invalid(field, "differs between the query and the body: send it once");
  return inQuery ?? inBody;
}

/** Like `given`, for a field that must be there. */
export function required<T>(field: string, inQuery: T | undefined, inBody: T | undefined): T {
  const value = given(field, inQuery, inBody);
  if (value === undefined) throw invalid(field, "is required, in the query or in the body");
  return value;
}

/** A longer value is not repeated in a response. */
const LONGEST = 512;

/** What a response says where a `+` of the query may have been meant as a plus sign. */
export const didYouMean = {
  did_you_mean: Type.Optional(
    Type.String({
      description:
        "Only if a `+` in the query, which is a space, may be meant as a plus sign: what to send then.",
    }),
  ),
};

/**
 * What a response has if a parameter that finds nothing was sent with a `+`: in a query that is a space (WHATWG URL,
 * section 5.1).
 *
 * @param query as it was sent
 * @param plus what may be meant so: for a path at which something was made, a single `+` is a space that was meant
 */
export function plusMeant(
  query: string,
  names: readonly string[],
  plus: RegExp = /\+/g,
): { did_you_mean?: string } {
  if (!query.includes("+")) return {};
  for (const pair of query.split("&")) {
    const equals = pair.indexOf("=");
    const [name, sent] = [pair.slice(0, equals), pair.slice(equals + 1)];
    if (!names.includes(name) || sent.length > LONGEST) continue;
    const meant = sent.replaceAll(plus, (signs) => "%2B".repeat(signs.length));
    if (meant === sent) continue;
    const whole = decodeURIComponent(meant.replaceAll("+", " "));
    return {
      did_you_mean: `In a query, + is a space. If you mean ${JSON.stringify(whole)}, send ${name}=${meant}.`,
    };
  }
  return {};
}
