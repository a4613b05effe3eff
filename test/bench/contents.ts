/** Bytes of a large content. */
export const LARGE = 100 * 1024 * 1024;

/** Megabytes of a large content. */
export const LARGE_MB = LARGE / 1e6;

/** Other bytes each time: random ones, repeated. */
export function largeBytes(): Uint8Array<ArrayBuffer> {
  return Buffer.alloc(LARGE, crypto.getRandomValues(new Uint8Array(48 * 1024)));
}

/** The same in base64, as JSON has it. */
export function largeBase64(): Uint8Array<ArrayBuffer> {
  // Without padding, a multiple of four characters: nearly 100 MiB.
  return Buffer.alloc(
    Math.floor(LARGE / 3) * 4,
    crypto.getRandomValues(new Uint8Array(48 * 1024)).toBase64(),
  );
}
