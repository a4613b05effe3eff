/** Bytes of a large content. */
export const LARGE = 100 * 1024 * 1024;

/** Megabytes of a large content. */
export const LARGE_MB = LARGE / 1e6;

/** Other base64 each time: random bytes, repeated. */
export function largeBase64(): string {
  const piece = crypto.getRandomValues(new Uint8Array(48 * 1024)).toBase64();
  const length = Math.ceil(LARGE / 3) * 4;
  return piece.repeat(Math.ceil(length / piece.length)).slice(0, length - 4) + piece.slice(0, 4);
}

/** Other bytes each time: random ones, repeated. */
export function largeBytes(): Uint8Array<ArrayBuffer> {
  return Buffer.alloc(LARGE, crypto.getRandomValues(new Uint8Array(48 * 1024)));
}
