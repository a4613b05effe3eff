import type { NewKeySecret, SecretHash } from "../accounts/api-key.ts";
import { hashSecret, newKeySecret, randomBytes, SECRET_BYTES } from "../accounts/api-key.ts";
import { deriveKey } from "../sealing.ts";

/** How long an access token works, in milliseconds. */
export const ACCESS_LIFETIME_MS = 60 * 60 * 1000;
/** How long a client stays signed in after it last got an access token, in milliseconds. */
export const GRANT_LIFETIME_MS = 30 * 24 * 60 * 60 * 1000;
/** How long a client may take to exchange its code, in milliseconds. */
export const CODE_LIFETIME_MS = 60 * 1000;
/** How long after its use a refresh token can be sent once more, for an answer that was lost, in milliseconds. */
export const REPEAT_LIFETIME_MS = 30 * 1000;

/** A token's family, and a secret that changes at each use: another secret is one that was used before. */
export interface RefreshToken {
  readonly family: SecretHash;
  readonly secret: SecretHash;
}

interface NewRefreshToken extends RefreshToken {
  /** Shown once to the client and then forgotten. */
  readonly token: string;
}

const FAMILY_BYTES = 16;
/** Of what an answer is derived with. */
export const SALT_BYTES = 32;

/** Makes an access token: `<service>_at_<48 hex digits>`. */
export function newAccessToken(service: string): NewKeySecret {
  return newKeySecret(`${service}_at_`, 12);
}

/** Makes the first refresh token of a family: `<service>_rt_<80 hex digits>`. */
export function newRefreshToken(service: string): NewRefreshToken {
  return refreshTokenOf(`${service}_rt_${randomBytes(FAMILY_BYTES).toHex()}`, randomBytes(SECRET_BYTES));
}

/** Derived from the token and a salt: whoever sends it again is given the same, while only hashes are stored. */
export function nextTokens(service: string, token: string, salt: Uint8Array) {
  const bytes = deriveKey({ from: token, salt, purpose: "coffer oauth tokens", length: 2 * SECRET_BYTES });
  return {
    access: newKeySecret(`${service}_at_`, 12, bytes.subarray(0, SECRET_BYTES)),
    refresh: refreshTokenOf(token.slice(0, -2 * SECRET_BYTES), bytes.subarray(SECRET_BYTES)),
  };
}

export function parseRefreshToken(token: string): RefreshToken | null {
  if (!/^[a-z0-9]+_rt_[0-9a-f]{80}$/.test(token)) return null;
  return { family: hashSecret(token.slice(0, -2 * SECRET_BYTES)), secret: hashSecret(token) };
}

function refreshTokenOf(family: string, secret: Uint8Array): NewRefreshToken {
  const token = family + secret.toHex();
  return { token, family: hashSecret(family), secret: hashSecret(token) };
}
