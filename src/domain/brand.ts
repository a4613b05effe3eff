declare const brand: unique symbol;

/** A `T` that only its own parser or constructor returns. Two brands of one type cannot be mixed up. */
export type Brand<T, Name extends string> = T & { readonly [brand]: Name };
