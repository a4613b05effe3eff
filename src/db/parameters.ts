/** An object's fields as named parameters of a statement; the mapped type gives interfaces the index that bindings want. */
export type Parameters<T> = { readonly [Name in keyof T]: T[Name] };
