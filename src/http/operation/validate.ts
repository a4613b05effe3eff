import { KindGuard, type Static, type TSchema, Type } from "@sinclair/typebox";
import { TypeCompiler, ValueErrorType } from "@sinclair/typebox/compiler";
import { invalid } from "../../domain/errors.ts";
import { once } from "../../domain/once.ts";
import { type NamePlace, sameName, type TakeUnknown } from "./names.ts";

/**
 * Compiles a schema into its check, which throws VALIDATION_ERROR with the name of the first invalid field. `root` names
 * the whole value there (`body`, `query`). Unknown fields are kept, and nothing is coerced or defaulted. The value's
 * depth must be limited, as by `parseJson`.
 */
export function compileValidator<S extends TSchema>(schema: S, root: string): (value: unknown) => Static<S> {
  const compiled = once(() => TypeCompiler.Compile(schema));
  return (value) => {
    const check = compiled();
    if (check.Check(value)) return value;
    const error = check.Errors(value).First();
    if (error === undefined) throw new Error("a schema refused a value without an error");
    const isMissing = error.type === ValueErrorType.ObjectRequiredProperty;
    const problem = isMissing ? "is required" : `must be ${expectation(error.schema)}`;
    throw invalid(fieldName(error.path, value) || root, problem);
  };
}

/**
 * Like `compileValidator`, for a JSON body, or the arguments of a tool: `null` for an optional field means that it is
 * left out. Unknown fields go to `take`. @param also names that mean the same as others at its top alone, and these
 */
export function compileBodyValidator<S extends TSchema>(
  schema: S,
  noun: "field" | "argument" = "field",
  also?: OtherNames["also"],
): (value: unknown, take: TakeUnknown) => Static<S> {
  const validate = compileValidator(schema, noun === "field" ? "body" : "arguments");
  return (value, take) =>
    validate(withoutOptionalNulls(schema, withKnownNames(schema, value, { noun, take, also })));
}

/** `/tags/2` as `tags[2]`; the value tells an array's index from an object's key that is a number. */
function fieldName(pointer: string, value: unknown): string {
  let name = "";
  let parent = value;
  for (const escaped of pointer.split("/").slice(1)) {
    const key = escaped.replaceAll("~1", "/").replaceAll("~0", "~");
    if (Array.isArray(parent)) {
      name += `[${key}]`;
      parent = parent[Number(key)];
    } else {
      name += name === "" ? key : `.${key}`;
      parent = typeof parent === "object" && parent !== null ? Reflect.get(parent, key) : undefined;
    }
  }
  return name;
}

/** What a schema expects, to complete the sentence "... must be". */
function expectation(schema: TSchema): string {
  const options: unknown = schema["anyOf"];
  if (Array.isArray(options)) return options.map(expectation).join(" or ");
  if ("const" in schema) return JSON.stringify(schema["const"]);
  switch (schema["type"]) {
    case "string":
      return schema["format"] === "date-time"
        ? "an ISO 8601 time such as 2030-01-31T12:00:00Z"
        : `a string${range(schema["minLength"], schema["maxLength"], "of", " characters")}`;
    case "integer":
      return `an integer${range(schema["minimum"], schema["maximum"], "from")}`;
    case "number":
      return `a number${range(schema["minimum"], schema["maximum"], "from")}`;
    case "boolean":
      return "true or false";
    case "array":
      return `an array${range(schema["minItems"], schema["maxItems"], "of", " items")}`;
    case "object":
      return `an object${range(schema["minProperties"], schema["maxProperties"], "of", " names")}`;
    case "null":
      return "null";
    default:
      return "of another type";
  }
}

function range(least: unknown, most: unknown, preposition: string, unit = ""): string {
  const from = typeof least === "number" ? least : undefined;
  const to = typeof most === "number" ? most : undefined;
  if (from !== undefined && to !== undefined) return ` ${preposition} ${from} to ${to}${unit}`;
  if (from !== undefined) return ` of at least ${from}${unit}`;
  if (to !== undefined) return ` of at most ${to}${unit}`;
  return "";
}

/** What becomes of the names of an object from outside that its schema does not have. */
interface OtherNames {
  readonly noun: NamePlace["noun"];
  readonly take: TakeUnknown;
  readonly also: Readonly<Record<string, string>> | undefined;
}

/**
 * An object from outside in which names that mean the same as those of its schema are replaced by these. Those that are
 * not known at all go to `take`, and stay unless it throws. What the schema leaves free, as metadata is, stays as it is.
 *
 * @param at the name of the value within the object; empty for the whole
 */
function withKnownNames(schema: TSchema, value: unknown, names: OtherNames, at = ""): unknown {
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
    } else if ((Reflect.get(value, known) ?? null) !== null) {
      throw invalid(before + name, `means the same as ${known}: send only that`);
    }
    return [known ?? name, inner];
  });
  return Object.fromEntries(entries);
}

/**
 * A JSON body without the fields that are `null` although their schema does not allow it, if they are optional: they
 * count as left out. Required and unknown fields stay as they are.
 */
function withoutOptionalNulls(schema: TSchema, value: unknown): unknown {
  if (typeof value !== "object" || value === null) return value;
  if (KindGuard.IsUnion(schema))
    return schema.anyOf.reduce<unknown>((left, option) => withoutOptionalNulls(option, left), value);
  if (KindGuard.IsArray(schema) && Array.isArray(value))
    return value.map((item) => withoutOptionalNulls(schema.items, item));
  if (!KindGuard.IsObject(schema) || Array.isArray(value)) return value;
  // The fields of the schema, which are few, and not those of the value.
  let left: object = value;
  for (const [name, field] of Object.entries(schema.properties)) {
    if (!Object.hasOwn(value, name)) continue;
    const sent: unknown = Reflect.get(value, name);
    const inner = withoutOptionalNulls(field, sent);
    if (inner === null && takesNull(field)) {
      if (left === value) left = { ...value };
      Reflect.deleteProperty(left, name);
    } else if (inner !== sent) {
      left = { ...left, [name]: inner };
    }
  }
  return left;
}

/**
 * The schema of the bodies that a route takes, for the API description.
 *
 * @param how whether unknown names are refused, and whether it is JSON, in which `null` may stand for what is left out
 */
export function takenSchema(
  schema: TSchema,
  how: { readonly isStrict: boolean; readonly isJson: boolean },
): TSchema {
  const within = (inner: TSchema) => takenSchema(inner, how);
  if (KindGuard.IsUnion(schema)) return { ...schema, anyOf: schema.anyOf.map(within) };
  if (KindGuard.IsArray(schema)) return { ...schema, items: within(schema.items) };
  if (!KindGuard.IsObject(schema)) return schema;
  const properties = Object.entries(schema.properties).map(([name, field]) => [
    name,
    how.isJson && takesNull(field) ? orNull(within(field)) : within(field),
  ]);
  const closed = how.isStrict ? { additionalProperties: false } : {};
  return { ...schema, properties: Object.fromEntries(properties), ...closed };
}

/** Whether `null` for the field of an object means that it is left out. */
function takesNull(field: TSchema): boolean {
  return KindGuard.IsOptional(field) && !allowsNull(field);
}

function allowsNull(schema: TSchema): boolean {
  return KindGuard.IsNull(schema) || (KindGuard.IsUnion(schema) && schema.anyOf.some(allowsNull));
}

function orNull(schema: TSchema): TSchema {
  if (KindGuard.IsUnion(schema)) return { ...schema, anyOf: [...schema.anyOf, Type.Null()] };
  if (KindGuard.IsLiteral(schema)) return Type.Union([schema, Type.Null()]);
  return { ...schema, type: [schema["type"], "null"] };
}
