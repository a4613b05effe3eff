import { KindGuard, type TSchema } from "@sinclair/typebox";
import { invalid } from "../../domain/errors.ts";
import { type NamePlace, sameName } from "./names.ts";

/** Takes a name that is not known where it stands, and its value. Throws VALIDATION_ERROR if it is refused. */
export type TakeUnknown = (name: string, value: unknown, place: NamePlace) => void;

/** What becomes of the names of an object from outside that its schema does not have. */
interface OtherNames {
  readonly noun: NamePlace["noun"];
  readonly take: TakeUnknown;
  /** Names that mean the same as others at the top of this object alone, and these. */
  readonly also?: Readonly<Record<string, string>>;
}

/**
 * An object from outside in which names that mean the same as those of its schema are replaced by these. Those that are
 * not known at all go to `take`, and stay unless it throws. What the schema leaves free, as metadata is, stays as it is.
 *
 * @param at the name of the value within the object; empty for the whole
 */
export function withKnownNames(schema: TSchema, value: unknown, names: OtherNames, at = ""): unknown {
  if (typeof value !== "object" || value === null) return value;
  if (KindGuard.IsArray(schema) && Array.isArray(value)) {
    // Long lists are of texts.
    if (!KindGuard.IsObject(schema.items)) return value;
    return value.map((item, index) => withKnownNames(schema.items, item, names, `${at}[${index}]`));
  }
  if (!KindGuard.IsObject(schema) || Array.isArray(value)) return value;
  const { properties } = schema;
  const before = at === "" ? "" : `${at}.`;
  const entries = Object.entries(value).map(([name, inner]): [string, unknown] => {
    const field = Object.hasOwn(properties, name) ? properties[name] : undefined;
    if (field !== undefined) return [name, withKnownNames(field, inner, names, before + name)];
    const also = at === "" && names.also !== undefined && Object.hasOwn(names.also, name);
    const known = also ? (names.also?.[name] ?? null) : sameName(name, properties);
    if (known === null) {
      names.take(name, inner, { noun: names.noun, before, known: Object.keys(properties) });
    } else if (isGiven(value, known)) {
      throw invalid(before + name, `means the same as ${known}: send only that`);
    }
    return [known ?? name, inner];
  });
  return Object.fromEntries(entries);
}

/** The schema of what `withKnownNames` lets pass, for the API description. */
export function withoutOtherNames(schema: TSchema): TSchema {
  if (KindGuard.IsArray(schema)) return { ...schema, items: withoutOtherNames(schema.items) };
  if (!KindGuard.IsObject(schema)) return schema;
  const properties = Object.entries(schema.properties).map(([name, field]) => [
    name,
    withoutOtherNames(field),
  ]);
  return { ...schema, properties: Object.fromEntries(properties), additionalProperties: false };
}

function isGiven(value: object, name: string): boolean {
  return (Reflect.get(value, name) ?? null) !== null;
}
