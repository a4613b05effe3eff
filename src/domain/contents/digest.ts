import type { Brand } from "../brand.ts";

/** SHA-256 of a blob, as 64 lower-case hex digits: its name in the store, and the ETag of what it is the content of. */
export type Digest = Brand<string, "Digest">;

const DIGEST = /^[0-9a-f]{64}$/;

function isDigest(text: string): text is Digest {
  return DIGEST.test(text);
}

/** Reads a digest from a file name or a row; null if it is not one. */
export function parseDigest(text: string): Digest | null {
  return isDigest(text) ? text : null;
}
