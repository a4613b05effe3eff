/**
 * An object's fields as named parameters of a statement. Bindings must have an index signature: a mapped type has
 * one, an interface does not.
 */
export type Parameters<T> = { readonly [Name in keyof T]: T[Name] };
