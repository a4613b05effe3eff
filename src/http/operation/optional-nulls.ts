import { KindGuard, type TSchema, Type } from "@sinclair/typebox";

/**
 * A JSON body without the fields that are `null` although their schema does not allow it, if they are optional: they
 * count as left out. Required and unknown fields stay as they are.
 */
export function withoutOptionalNulls(schema: TSchema, value: unknown): unknown {
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

/** The schema of what `withoutOptionalNulls` takes, for the API description. */
export function withOptionalNulls(schema: TSchema): TSchema {
  if (KindGuard.IsUnion(schema)) return { ...schema, anyOf: schema.anyOf.map(withOptionalNulls) };
  if (KindGuard.IsArray(schema)) return { ...schema, items: withOptionalNulls(schema.items) };
  if (!KindGuard.IsObject(schema)) return schema;
  const properties = Object.entries(schema.properties).map(([name, field]) => {
    const inner = withOptionalNulls(field);
    return [name, takesNull(field) ? orNull(inner) : inner];
  });
  return { ...schema, properties: Object.fromEntries(properties) };
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
