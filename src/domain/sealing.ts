import { once } from "./once.ts";

/** Loaded when it is first used: with what it needs it takes milliseconds of a start. */
const nodeCrypto = once(() => process.getBuiltinModule("node:crypto"));

const CIPHER = "aes-256-gcm";
const KEY_BYTES = 32;
const NONCE_BYTES = 12;
const TAG_BYTES = 16;

/** What a key is derived from, what it is for, and its length in bytes. */
interface Derivation {
  readonly from: Uint8Array | string;
  readonly salt: Uint8Array | string;
  readonly purpose: string;
  readonly length: number;
}

/** Derives a key (HKDF-SHA-256, RFC 5869). */
export function deriveKey({ from, salt, purpose, length }: Derivation): Uint8Array<ArrayBuffer> {
  return new Uint8Array(nodeCrypto().hkdfSync("sha256", from, salt, purpose, length));
}

/** Derives a key to seal with from the server's secret. @param purpose what is sealed with it */
export function sealingKey(secret: Uint8Array, purpose: string): Uint8Array {
  return deriveKey({ from: secret, salt: "", purpose: `coffer ${purpose}`, length: KEY_BYTES });
}

/** Encrypts bytes (AES-256-GCM): nonce, ciphertext and tag, in this order. */
export function seal(key: Uint8Array, bytes: Uint8Array): Uint8Array {
  const nonce = crypto.getRandomValues(new Uint8Array(NONCE_BYTES));
  const cipher = nodeCrypto().createCipheriv(CIPHER, key, nonce);
  return Buffer.concat([nonce, cipher.update(bytes), cipher.final(), cipher.getAuthTag()]);
}

/** Decrypts what `seal` made; throws if it was changed or the key is another one. */
export function unseal(key: Uint8Array, sealed: Uint8Array): Uint8Array {
  const decipher = nodeCrypto().createDecipheriv(CIPHER, key, sealed.subarray(0, NONCE_BYTES), {
    authTagLength: TAG_BYTES,
  });
  decipher.setAuthTag(sealed.subarray(-TAG_BYTES));
  const text = decipher.update(sealed.subarray(NONCE_BYTES, -TAG_BYTES));
  return Buffer.concat([text, decipher.final()]);
}
