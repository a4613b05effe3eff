/**
 * An object's fields as named parameters of a statement. A binding has to have an index signature, which an
 * interface lacks and a mapped type of it has.
 */
export type Parameters<T> = { readonly [Name in keyof T]: T[Name] };
