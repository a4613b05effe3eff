import { Ajv2020, type ValidateFunction } from "ajv/dist/2020.js";

/** A JSON object. */
export type JsonObject = Readonly<Record<string, unknown>>;

const ANNOTATIONS = new Set(["description", "examples", "default", "title"]);
/** Keywords whose operand is a value, not a schema. */
const VALUES = new Set([...ANNOTATIONS, "const", "enum"]);
/** Own pattern, because `ajv-formats` also allows lower case, and a space instead of the `T`. */
const RFC3339 = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?(Z|[+-]\d\d:\d\d)$/;

export function isObject(value: unknown): value is JsonObject {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

/**
 * Checks values against the schemas of one OpenAPI document, by JSON Schema 2020-12. Stricter than the standard in one
 * point: properties that no schema names are refused. Unknown keywords and formats throw.
 */
export class SchemaChecker {
  readonly #document: JsonObject;
  readonly #validators = new Map<unknown, ValidateFunction>();
  readonly #ajv = new Ajv2020({
    allErrors: true,
    // Its other strict rules forbid what the standard allows, such as `required` without `properties`.
    strictSchema: true,
    strictTypes: false,
    formats: {
      binary: true,
      "date-time": (text: string) => RFC3339.test(text) && !Number.isNaN(Date.parse(text)),
    },
  });

  /** @param document the target of `$ref` */
  constructor(document: JsonObject) {
    this.#document = document;
    const { schemas = {} } = objectOf(document["components"] ?? {});
    for (const [name, schema] of Object.entries(objectOf(schemas))) {
      this.#ajv.addSchema(withClosedParts(schema), `#/components/schemas/${name}`);
    }
  }

  /** The errors of a value, one line each, starting with the place; empty if there are none. */
  faults(schema: unknown, value: unknown, at = "$"): string[] {
    const validate = this.#validators.get(schema) ?? this.#ajv.compile(closed(schema));
    this.#validators.set(schema, validate);
    if (validate(value)) return [];
    return (validate.errors ?? []).map(
      ({ instancePath, message, params }) => `${at}${instancePath} ${message}: ${JSON.stringify(params)}`,
    );
  }

  /** The node, or the target of its `$ref`. */
  resolve(node: unknown): JsonObject {
    const object = objectOf(node);
    const reference = object["$ref"];
    if (reference === undefined) return object;
    if (typeof reference !== "string") throw new Error("a reference is no text");
    let target: unknown = this.#document;
    for (const key of reference.replace(/^#\//, "").split("/")) {
      target = isObject(target) ? target[key.replaceAll("~1", "/").replaceAll("~0", "~")] : undefined;
    }
    if (target === undefined) throw new Error(`${reference} leads nowhere`);
    return this.resolve(target);
  }
}

/** The schema, which then refuses unknown properties at every depth. */
function closed(schema: unknown): JsonObject {
  return { ...withClosedParts(schema), unevaluatedProperties: false };
}

/**
 * The schema with its properties and items closed. It is not closed itself: if it is one of several for the same
 * object, as in `allOf`, the others name properties too.
 */
function withClosedParts(schema: unknown): JsonObject {
  return mapped(schema, (operand, keyword) => {
    switch (keyword) {
      case "properties":
      case "patternProperties":
        // In one that allows any value no property is unknown.
        return mapped(operand, (each) =>
          Object.keys(objectOf(each)).every((name) => ANNOTATIONS.has(name)) ? each : closed(each),
        );
      case "items":
        return closed(operand);
      case "allOf":
      case "anyOf":
        return [operand].flat().map((each) => withClosedParts(each));
      default:
        if (VALUES.has(keyword) || ![operand].flat().some((each) => isObject(each))) return operand;
        throw new Error(`a schema says ${keyword}, and nothing here closes the schemas in it`);
    }
  });
}

function mapped(object: unknown, change: (value: unknown, key: string) => unknown): JsonObject {
  return Object.fromEntries(
    Object.entries(objectOf(object)).map(([key, value]) => [key, change(value, key)]),
  );
}

function objectOf(node: unknown): JsonObject {
  if (!isObject(node)) throw new Error(`no object: ${JSON.stringify(node)}`);
  return node;
}
