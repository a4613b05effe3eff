import { characters } from "../../src/domain/text.ts";

/** A JSON object. */
export type JsonObject = Readonly<Record<string, unknown>>;

/** What a schema has to say about one value. */
interface Finding {
  readonly faults: string[];
  /** The properties of the value, itself an object, that the schema names. */
  readonly named: Set<string>;
}

const ANNOTATIONS = new Set(["description", "examples", "default", "title"]);
const RFC3339 = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?(Z|[+-]\d\d:\d\d)$/;

export function isObject(value: unknown): value is JsonObject {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

/**
 * Checks values against the schemas of one document: JSON Schema 2020-12, as far as ours use it; a keyword
 * it does not know throws. Stricter than the standard in one point: an object may have no property that
 * none of its schemas names, as if each said `unevaluatedProperties: false`.
 */
export class SchemaChecker {
  readonly #document: JsonObject;

  /** @param document what `$ref` leads into */
  constructor(document: JsonObject) {
    this.#document = document;
  }

  /** What is wrong with a value, a line each, which begins with where; empty when nothing is. */
  faults(schema: unknown, value: unknown, at = "$"): string[] {
    const { faults, named } = this.#find(schema, value, at);
    const strangers = isObject(value) ? Object.keys(value).filter((name) => !named.has(name)) : [];
    return [...faults, ...strangers.map((name) => `${at}.${name}: the schema does not name it`)];
  }

  /** The node, or what it refers to. */
  resolve(node: unknown): JsonObject {
    if (!isObject(node)) throw new Error(`not a schema: ${JSON.stringify(node)}`);
    const reference = node["$ref"];
    if (reference === undefined) return node;
    if (typeof reference !== "string") throw new Error("a reference is no text");
    let target: unknown = this.#document;
    for (const key of reference.replace(/^#\//, "").split("/")) {
      target = isObject(target) ? target[key.replaceAll("~1", "/").replaceAll("~0", "~")] : undefined;
    }
    if (target === undefined) throw new Error(`${reference} leads nowhere`);
    return this.resolve(target);
  }

  #find(node: unknown, value: unknown, at: string): Finding {
    const schema = this.resolve(node);
    const finding: Finding = { faults: [], named: new Set() };
    for (const [keyword, operand] of Object.entries(schema)) {
      if (ANNOTATIONS.has(keyword)) continue;
      if (["allOf", "anyOf"].includes(keyword)) this.#combine(keyword, operand, value, at, finding);
      else if (["properties", "patternProperties"].includes(keyword)) {
        this.#descend(keyword, operand, value, at, finding);
      } else if (keyword === "items") {
        if (!Array.isArray(value)) continue;
        value.forEach((item, index) => finding.faults.push(...this.faults(operand, item, `${at}[${index}]`)));
      } else if (!holds(keyword, operand, value)) {
        finding.faults.push(`${at}: ${keyword} ${JSON.stringify(operand)} does not hold`);
      }
    }
    return finding;
  }

  #combine(keyword: string, operand: unknown, value: unknown, at: string, { faults, named }: Finding): void {
    const findings = list(operand).map((schema) => this.#find(schema, value, at));
    const holding = findings.filter((each) => each.faults.length === 0);
    if (keyword === "allOf" || holding.length === 0) faults.push(...findings.flatMap((each) => each.faults));
    for (const each of keyword === "allOf" ? findings : holding) {
      for (const name of each.named) named.add(name);
    }
  }

  #descend(keyword: string, operand: unknown, value: unknown, at: string, { faults, named }: Finding): void {
    if (!isObject(value) || !isObject(operand)) return;
    for (const [name, item] of Object.entries(value)) {
      for (const [key, schema] of Object.entries(operand)) {
        if (keyword === "properties" ? key !== name : !new RegExp(key, "u").test(name)) continue;
        named.add(name);
        // What stands in a property that takes anything is the caller's: nothing of it is a stranger.
        const isOpen = Object.keys(this.resolve(schema)).every((each) => ANNOTATIONS.has(each));
        if (!isOpen) faults.push(...this.faults(schema, item, `${at}.${name}`));
      }
    }
  }
}

/** Whether an assertion holds; one about values of another type always does. */
function holds(keyword: string, operand: unknown, value: unknown): boolean {
  switch (keyword) {
    case "type":
      return list(operand).some((type) => isOfType(value, type));
    case "const":
      return Bun.deepEquals(value, operand);
    case "enum":
      return list(operand).some((each) => Bun.deepEquals(value, each));
    case "required":
      return !isObject(value) || list(operand).every((name) => typeof name === "string" && name in value);
    case "minimum":
      return typeof value !== "number" || value >= Number(operand);
    case "maximum":
      return typeof value !== "number" || value <= Number(operand);
    case "minLength":
      return typeof value !== "string" || characters(value) >= Number(operand);
    case "maxLength":
      return typeof value !== "string" || characters(value) <= Number(operand);
    case "maxItems":
      return !Array.isArray(value) || value.length <= Number(operand);
    case "pattern":
      return typeof value !== "string" || new RegExp(String(operand), "u").test(value);
    case "format":
      return typeof value !== "string" || isOfFormat(value, operand);
    default:
      throw new Error(`a schema says ${keyword}, which nothing here checks`);
  }
}

function isOfType(value: unknown, type: unknown): boolean {
  switch (type) {
    case "null":
      return value === null;
    case "object":
      return isObject(value);
    case "array":
      return Array.isArray(value);
    case "integer":
      return Number.isInteger(value);
    default:
      return typeof value === type;
  }
}

function isOfFormat(value: string, format: unknown): boolean {
  switch (format) {
    case "date-time":
      return RFC3339.test(value) && !Number.isNaN(Date.parse(value));
    case "binary":
      return true;
    default:
      throw new Error(`a schema says the format ${String(format)}, which nothing here checks`);
  }
}

function list(operand: unknown): readonly unknown[] {
  return Array.isArray(operand) ? operand : [operand];
}
