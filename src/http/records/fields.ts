import { type TObject, Type } from "@sinclair/typebox";
import { invalid } from "../../domain/errors.ts";
import { nearest } from "../../domain/nearest.ts";

/** The names of the fields that are wanted of each record; null for all. */
export type Fields = ReadonlySet<string> | null;

/** Every field of some records. */
export function namesIn(...schemas: readonly TObject[]): readonly string[] {
  return schemas.flatMap(({ properties }) => Object.keys(properties));
}

/** The parameter of a query by which a client takes less of each record. */
export const fieldsParameter = Type.Optional(
  Type.String({
    description: "Only these fields of each record, with commas between them. Default: all.",
    examples: ["path,size"],
  }),
);

/** Reads the parameter. Throws VALIDATION_ERROR for a name that is none of these. */
export function fieldsIn(sent: string | undefined, known: readonly string[]): Fields {
  if (sent === undefined) return null;
  const names = sent.split(",").map((name) => name.trim());
  const unknown = names.find((name) => !known.includes(name));
  if (unknown === undefined) return new Set(names);
  const meant = nearest(unknown, known);
  const hint = meant === null ? "" : ` Did you mean ${meant}?`;
  throw invalid("fields", `must name fields of the record: ${known.join(", ")}.${hint}`);
}

/** The fields of a record that are wanted. */
export function picked(record: object, fields: Fields): object {
  if (fields === null) return record;
  return Object.fromEntries(Object.entries(record).filter(([name]) => fields.has(name)));
}
