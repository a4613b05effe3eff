/**
 * A value that is made when it is first asked for, and kept: for what takes long to make, so that the start of the
 * server need not wait for it. If `make` throws, the next call tries again.
 */
export function once<T>(make: () => T): () => T {
  let made: { readonly value: T } | null = null;
  return () => (made ??= { value: make() }).value;
}
