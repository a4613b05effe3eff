import { hashSecret, type NewKeySecret, newKeySecret, type SecretHash } from "../api-key.ts";

/** How long an access token works, in milliseconds. */
export const ACCESS_LIFETIME_MS = 60 * 60 * 1000;
/** How long a client stays signed in after it last got an access token, in milliseconds. */
export const GRANT_LIFETIME_MS = 30 * 24 * 60 * 60 * 1000;
/** How long a client may take to exchange its code, in milliseconds. */
export const CODE_LIFETIME_MS = 60 * 1000;

/**
 * A refresh token: the name of its family, which stays, and a secret, which changes at each use. A token with the
 * name of a family and another secret is one that was used before.
 */
export interface RefreshToken {
  readonly family: SecretHash;
  readonly secret: SecretHash;
}

/** A new refresh token. */
export interface NewRefreshToken extends RefreshToken {
  /** Shown once to the client and then forgotten. */
  readonly token: string;
}

const FAMILY_BYTES = 16;
const SECRET_BYTES = 24;

/** Makes an access token: `<service>_at_<48 hex digits>`. */
export function newAccessToken(service: string): NewKeySecret {
  return newKeySecret(`${service}_at_`, 12);
}

/** Makes the first refresh token of a family: `<service>_rt_<80 hex digits>`. */
export function newRefreshToken(service: string): NewRefreshToken {
  return refreshTokenOf(`${service}_rt_${hexOf(FAMILY_BYTES)}`);
}

/** The refresh token that replaces one of the same family. */
export function nextRefreshToken(token: string): NewRefreshToken {
  return refreshTokenOf(token.slice(0, -2 * SECRET_BYTES));
}

/** Reads a refresh token; null if it cannot be one. */
export function parseRefreshToken(token: string): RefreshToken | null {
  if (!/^[a-z0-9]+_rt_[0-9a-f]{80}$/.test(token)) return null;
  return { family: hashSecret(token.slice(0, -2 * SECRET_BYTES)), secret: hashSecret(token) };
}

function refreshTokenOf(family: string): NewRefreshToken {
  const token = family + hexOf(SECRET_BYTES);
  return { token, family: hashSecret(family), secret: hashSecret(token) };
}

function hexOf(bytes: number): string {
  return crypto.getRandomValues(new Uint8Array(bytes)).toHex();
}
