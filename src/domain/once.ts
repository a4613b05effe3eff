/** A value that takes long to make: made when first asked for, then kept. If `make` throws, it is tried again. */
export function once<T>(make: () => T): () => T {
  let made: { readonly value: T } | null = null;
  return () => (made ??= { value: make() }).value;
}
