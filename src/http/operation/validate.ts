import type { Static, TSchema } from "@sinclair/typebox";
import { TypeCompiler, ValueErrorType } from "@sinclair/typebox/compiler";
import type { ValueError } from "@sinclair/typebox/compiler";
import { invalid } from "../../domain/errors.ts";
import { once } from "../../domain/once.ts";
import { type TakeUnknown, withKnownNames } from "./known-fields.ts";
import { withoutOptionalNulls } from "./optional-nulls.ts";

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
    throw invalid(fieldName(error.path, value) || root, problem(error));
  };
}

/** Like `compileValidator`, for a JSON body: `null` for an optional field means that it is left out. Unknown fields go to `take`. */
export function compileBodyValidator<S extends TSchema>(
  schema: S,
): (value: unknown, take: TakeUnknown) => Static<S> {
  const validate = compileValidator(schema, "body");
  return (value, take) =>
    validate(withoutOptionalNulls(schema, withKnownNames(schema, value, { noun: "field", take })));
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

function problem(error: ValueError): string {
  if (error.type === ValueErrorType.ObjectRequiredProperty) return "is required";
  return `must be ${expectation(error.schema)}`;
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
