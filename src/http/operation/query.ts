import type { Static, TObject, TSchema } from "@sinclair/typebox";
import { invalid } from "../../domain/errors.ts";
import type { TakeUnknown } from "./known-fields.ts";
import { sameName } from "./names.ts";
import { compileValidator } from "./validate.ts";

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
