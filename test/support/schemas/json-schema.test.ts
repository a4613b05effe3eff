import { expect, test } from "bun:test";
import { SchemaChecker } from "./json-schema.ts";

const checker = new SchemaChecker({
  components: {
    schemas: {
      Named: { type: "object", required: ["name"], properties: { name: { type: "string" } } },
      File: {
        allOf: [
          { $ref: "#/components/schemas/Named" },
          {
            type: "object",
            properties: {
              made: { type: "string", format: "date-time" },
              owner: { anyOf: [{ $ref: "#/components/schemas/Named" }, { type: "null" }] },
              parts: { type: "array", items: { $ref: "#/components/schemas/Named" } },
              anything: { description: "The caller's." },
            },
          },
        ],
      },
    },
  },
});

test.each<[value: unknown, fault: RegExp]>([
  [{ name: "a", made: "2030-01-31T12:00:00Z", owner: null, parts: [{ name: "b" }] }, /^$/],
  [{ name: "a", anything: { at: { all: [1] } } }, /^$/],
  [{}, /^\$ .*required.*"name".*$/],
  [{ name: 1 }, /^\$\/name must be string.*$/],
  [{ name: "a", made: "2030-13-31T12:00:00Z" }, /^\$\/made .*format.*$/],
  [{ name: "a", made: "2030-01-31 12:00:00Z" }, /^\$\/made .*format.*$/],
  [{ name: "a", other: 1 }, /^\$ .*unevaluated.*"other".*$/],
  [{ name: "a", owner: { name: "b", other: 1 } }, /^\$\/owner .*unevaluated.*$/],
  [{ name: "a", parts: [{ name: "b", other: 1 }] }, /^\$\/parts\/0 .*unevaluated.*$/],
])("of %j the schema says what is wrong, and what it does not name", (value, fault) => {
  const faults = checker.faults({ $ref: "#/components/schemas/File" }, value);
  expect(faults.join("\n")).toMatch(fault);
});

test.each<[schema: object, says: string]>([
  [{ type: "string", maxLenght: 3 }, "maxLenght"],
  [{ type: "string", format: "colour" }, "colour"],
  // A schema in a keyword that is not handled would still allow unknown properties.
  [{ type: "object", additionalProperties: { type: "object" } }, "additionalProperties"],
])("the schema %j is refused", (schema, says) => {
  expect(() => checker.faults(schema, {})).toThrow(says);
});
