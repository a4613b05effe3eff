/**
 * A value that takes long to make: made when first asked for, and kept. If `make` throws, the next call tries again.
 */
export function once<T>(make: () => T): () => T {
  let made: { readonly value: T } | null = null;
  return () => (made ??= { value: make() }).value;
}
