import type { JSONObject } from "@modelcontextprotocol/server";
import type { TObject } from "@sinclair/typebox";

/** What `tools/list` shows of the arguments of a tool. */
export type ShortSchema = {
  readonly type: "object";
  readonly properties: Record<string, JSONObject>;
  readonly required?: string[];
  readonly additionalProperties: false;
};

/** A schema of arguments in fewer words: each model that connects reads and pays for all of them. */
export function shortSchema(schema: TObject): ShortSchema {
  const text = JSON.stringify({ ...schema, additionalProperties: false });
  const short: ShortSchema = JSON.parse(text, (name, value: unknown) =>
    name === "maximum" && value === Number.MAX_SAFE_INTEGER ? undefined : (namesIn(value) ?? value),
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
