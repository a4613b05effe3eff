import {
  KindGuard,
  type Static,
  type TObject,
  type TProperties,
  type TSchema,
  Type,
} from "@sinclair/typebox";

const EXAMPLE = Symbol("an example");

/** A schema that has an example: the API description shows it where the schema is what a request answers. */
export type Exampled<S extends TSchema> = S & { readonly [EXAMPLE]: Static<S> };

export function withExample<S extends TSchema>(schema: S, example: Static<S>): Exampled<S> {
  return Object.assign(schema, { [EXAMPLE]: example });
}

/** What a response shows of a thing, with the name that the API description gives it. */
export function record<P extends TProperties>($id: string, properties: P, example: Static<TObject<P>>) {
  return withExample(Type.Object(properties, { $id }), example);
}

/** The example of a schema. */
export function exampleOf<S extends TSchema>(schema: Exampled<S>): Static<S> {
  return schema[EXAMPLE];
}

/** The example of a schema, or else one that is made of those of its parts; undefined if one of these has none. */
export function shownExample(schema: TSchema): unknown {
  if (EXAMPLE in schema) return schema[EXAMPLE];
  if (KindGuard.IsArray(schema)) {
    const item = shownExample(schema.items);
    return item === undefined ? undefined : [item];
  }
  if (!KindGuard.IsObject(schema)) return undefined;
  const parts = Object.entries(schema.properties).map(([name, part]) => [name, shownExample(part)] as const);
  const isWhole = parts.length > 0 && parts.every(([, part]) => part !== undefined);
  return isWhole ? Object.fromEntries(parts) : undefined;
}
