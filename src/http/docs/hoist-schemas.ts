interface Document {
  readonly components: {
    readonly schemas: Readonly<Record<string, object>>;
    readonly [kind: string]: object;
  };
  readonly [part: string]: unknown;
}

/**
 * Moves every schema with an `$id` to the document's components, once, and leaves a reference in its place. Throws if
 * two different schemas have the same `$id`.
 */
export function hoistSchemas(document: Document): object {
  const hoisted = new Map<string, object>(Object.entries(document.components.schemas));
  const visit = (node: unknown): unknown => {
    if (Array.isArray(node)) return node.map(visit);
    if (typeof node !== "object" || node === null) return node;
    const copy = Object.fromEntries(Object.entries(node).map(([key, value]) => [key, visit(value)]));
    const { $id: name, ...schema } = copy;
    if (typeof name !== "string") return copy;
    const known = hoisted.get(name);
    if (known !== undefined && !Bun.deepEquals(known, schema))
      throw new Error(`two schemas are named ${name}`);
    hoisted.set(name, schema);
    return { $ref: `#/components/schemas/${name}` };
  };
  const { components, ...rest } = document;
  const visited = Object.fromEntries(Object.entries(rest).map(([key, value]) => [key, visit(value)]));
  return { ...visited, components: { ...components, schemas: Object.fromEntries(hoisted) } };
}
