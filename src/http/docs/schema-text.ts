import type { TSchema } from "@sinclair/typebox";

/** The fields of an object in one line, `?` after those that may be left out: `{name, tags?}`. */
export function fieldNames(schema: TSchema): string {
  const kinds = partsOf(schema).map((part) => {
    const required = requiredIn(part);
    const names = propertiesOf(part).map(([name]) => (required.has(name) ? name : `${name}?`));
    return `{${names.join(", ")}}`;
  });
  return [...new Set(kinds)].join(" or ");
}

/** All fields of what is sent or answered, as a list in Markdown; those of each object that it may be. */
export function fieldLists(schema: TSchema): string[] {
  return partsOf(schema)
    .map((part) => fieldList(part, "").join("\n"))
    .filter((list) => list !== "");
}

/** The fields of an object as the items of a list, those of its parts indented below them. */
function fieldList(schema: TSchema, indent: string): string[] {
  const required = requiredIn(schema);
  return propertiesOf(schema).flatMap(([name, property]) => [
    `${indent}- ${fieldText(name, property, required.has(name))}`,
    ...partsOf(property).flatMap((part) => fieldList(part, `${indent}  `)),
  ]);
}

/** A field or parameter, with its type and what it is about. @param place such as `query` */
export function fieldText(name: string, schema: TSchema, isRequired: boolean, place?: string): string {
  const facts = [
    ...(place === undefined ? [] : [place]),
    typeText(schema),
    ...(isRequired ? [] : ["optional"]),
  ];
  const described = [schema, ...listIn(schema["anyOf"])].find((each) => each.description !== undefined);
  const about = described === undefined ? "" : `: ${described.description}`;
  return `\`${name}\` (${facts.join(", ")})${about}`;
}

/** What a schema allows, in words. */
export function typeText(schema: TSchema): string {
  const options = listIn(schema["anyOf"]);
  if (options.length > 0) return options.map(typeText).join(" or ");
  if ("const" in schema) return JSON.stringify(schema["const"]);
  if (schema["format"] === "binary") return "bytes";
  const types = typesOf(schema);
  if (types.includes("array")) return `array of ${typeText(schema["items"])}`;
  const type = types.length === 0 ? "anything" : types.join(" or ");
  return [type, ...boundsOf(schema)].join(" ");
}

/** Without `null` beside another type, with which optional fields say that it counts as left out: all do. */
function typesOf(schema: TSchema): unknown[] {
  if (Array.isArray(schema["allOf"])) return ["object"];
  const type: unknown = schema["type"];
  return Array.isArray(type) ? type.filter((each) => each !== "null") : type === undefined ? [] : [type];
}

function boundsOf(schema: TSchema): string[] {
  const { minimum, maximum, format } = schema;
  const range =
    typeof minimum === "number" && typeof maximum === "number" ? [`${minimum} to ${maximum}`] : [];
  const fallback = schema.default === undefined ? [] : [`default ${JSON.stringify(schema.default)}`];
  return [...(typeof format === "string" ? [format] : []), ...range, ...fallback];
}

/** The objects that a field consists of: itself, its items, or what it may be. */
function partsOf(schema: TSchema): TSchema[] {
  const types = typesOf(schema);
  if (types.includes("array")) return partsOf(schema["items"]);
  const options = listIn(schema["anyOf"]);
  return options.length > 0 ? options.flatMap(partsOf) : types.includes("object") ? [schema] : [];
}

function propertiesOf(schema: TSchema): [string, TSchema][] {
  const properties: Readonly<Record<string, TSchema>> = schema["properties"] ?? {};
  return [...listIn(schema["allOf"]).flatMap(propertiesOf), ...Object.entries(properties)];
}

function requiredIn(schema: TSchema): ReadonlySet<unknown> {
  const own: unknown = schema["required"];
  return new Set([
    ...listIn(schema["allOf"]).flatMap((part) => [...requiredIn(part)]),
    ...(Array.isArray(own) ? own : []),
  ]);
}

function listIn(value: unknown): TSchema[] {
  return Array.isArray(value) ? value : [];
}
