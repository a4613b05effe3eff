/** A public key of minisign, which releases are signed with. */
export interface ReleaseKey {
  /** What its signatures name it by: 8 bytes in hexadecimal digits. */
  readonly id: string;
  /** The 32 bytes of the Ed25519 key, in base64url: the `x` of a JSON Web Key (RFC 8037). */
  readonly point: string;
}

/** The name of the algorithm, the id, the key. */
const KEY_BYTES = 2 + 8 + 32;
const KEY = /^[A-Za-z0-9+/]{56}$/;

/** Reads the second line of a file that `minisign -G` has made, such as `RWQ...`; null for any other text. */
export function parseReleaseKey(text: string): ReleaseKey | null {
  const bytes = KEY.test(text) ? Buffer.from(text, "base64") : Buffer.alloc(0);
  if (bytes.length !== KEY_BYTES || bytes.toString("latin1", 0, 2) !== "Ed") return null;
  return { id: bytes.toString("hex", 2, 10), point: bytes.toString("base64url", 10) };
}
