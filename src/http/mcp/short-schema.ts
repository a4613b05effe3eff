import type { JSONObject } from "@modelcontextprotocol/server";
import type { TObject } from "@sinclair/typebox";

/** What `tools/list` shows of the arguments of a tool. */
export type ShortSchema = {
  readonly type: "object";
  readonly properties: Record<string, JSONObject>;
  readonly required?: string[];
  readonly additionalProperties: false;
};

/** Limits that say nothing: without them an empty text or list means what it says, and is refused all the same. */
const PLAIN: Readonly<Record<string, unknown>> = {
  maximum: Number.MAX_SAFE_INTEGER,
  minLength: 1,
  minItems: 1,
};

/** A schema of arguments in fewer words: each model that connects reads and pays for all of them. */
export function shortSchema(schema: TObject): ShortSchema {
  const told = new Set(Object.values(schema.properties).map(({ description }) => description));
  // What is said of an argument is not said again of the same in a list.
  const withoutTold = (name: string, value: unknown) =>
    name === "description" && typeof value === "string" && told.has(value) ? undefined : value;
  const items = (name: string, value: unknown): unknown =>
    name === "items" ? JSON.parse(JSON.stringify(value, withoutTold)) : value;
  const text = JSON.stringify({ ...schema, additionalProperties: false }, items);
  const short: ShortSchema = JSON.parse(text, (name, value: unknown) =>
    name in PLAIN && value === PLAIN[name] ? undefined : (namesIn(value) ?? value),
  );
  return short;
}

/** `{"anyOf": [{"const": "a"}, ...]}` as `{"enum": ["a", ...]}`; null for anything else. */
function namesIn(value: unknown): object | null {
  if (typeof value !== "object" || value === null || !("anyOf" in value)) return null;
  const { anyOf, ...rest } = value;
  if (!Array.isArray(anyOf)) return null;
  const names = anyOf.map((each: unknown) =>
    typeof each === "object" && each !== null && "const" in each ? each.const : null,
  );
  return names.includes(null) ? null : { type: "string", enum: names, ...rest };
}
