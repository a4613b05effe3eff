declare const brand: unique symbol;

/** A `T` that only its own parser or maker hands out, so that look-alike strings are not mixed up. */
export type Brand<T, Name extends string> = T & { readonly [brand]: Name };
