import { createCipheriv, createDecipheriv, hkdfSync, randomBytes } from "node:crypto";

const CIPHER = "aes-256-gcm";
const KEY_BYTES = 32;
const NONCE_BYTES = 12;
const TAG_BYTES = 16;

/** Derives a key to seal with from the server's secret (HKDF-SHA-256, RFC 5869). @param purpose what is sealed with it */
export function sealingKey(secret: Uint8Array, purpose: string): Uint8Array {
  return new Uint8Array(hkdfSync("sha256", secret, "", `coffer ${purpose}`, KEY_BYTES));
}

/** Encrypts bytes (AES-256-GCM): nonce, ciphertext and tag, in this order. */
export function seal(key: Uint8Array, bytes: Uint8Array): Uint8Array {
  const nonce = randomBytes(NONCE_BYTES);
  const cipher = createCipheriv(CIPHER, key, nonce);
  return Buffer.concat([nonce, cipher.update(bytes), cipher.final(), cipher.getAuthTag()]);
}

/** Decrypts what `seal` made; throws if it was changed or the key is another one. */
export function unseal(key: Uint8Array, sealed: Uint8Array): Uint8Array {
  const decipher = createDecipheriv(CIPHER, key, sealed.subarray(0, NONCE_BYTES), {
    authTagLength: TAG_BYTES,
  });
  decipher.setAuthTag(sealed.subarray(-TAG_BYTES));
  const text = decipher.update(sealed.subarray(NONCE_BYTES, -TAG_BYTES));
  return Buffer.concat([text, decipher.final()]);
}
