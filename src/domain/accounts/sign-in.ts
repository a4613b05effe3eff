import { hashSecret, randomBytes } from "./api-key.ts";
import { asHash, type Brand, type SessionId } from "../id.ts";

/** How long a session lives after its last use, in milliseconds. */
export const SESSION_LIFETIME_MS = 30 * 24 * 60 * 60 * 1000;

/** A use is stored, and the session extended, when the last stored use is this old, in milliseconds. */
export const SESSION_TOUCH_MS = 60 * 60 * 1000;

/** The most sessions of one user: at the next sign-in the oldest ends. */
export const SESSIONS_A_USER = 500;

export const USER_AGENT_CHARACTERS = 256;

export interface Session {
  readonly id: SessionId;
  /** The User-Agent at sign-in; empty if there was none. */
  readonly userAgent: string;
  /** Times are milliseconds since the epoch. */
  readonly createdAt: number;
  readonly lastUsedAt: number;
}

/** One of a user's sessions. `isCurrent` marks the one that sent the request. */
export interface ListedSession extends Session {
  readonly isCurrent: boolean;
}

const TOKEN_BYTES = 32;

/** Makes the token of a session or of a setup link: 43 characters of base64url, shown once and then forgotten. */
export function newToken() {
  const token = randomBytes(TOKEN_BYTES).toBase64({ alphabet: "base64url", omitPadding: true });
  return { token, hash: hashSecret(token) };
}

/** A client and an account, as the database stores them; it reveals neither. Hex. */
export type KnownClientHash = Brand<string, "KnownClientHash">;

/** How many are remembered; the least recently used are dropped first. */
export const KNOWN_CLIENTS = 100_000;
/** How long one is remembered after its last use, in milliseconds. */
export const KNOWN_CLIENT_LIFETIME_MS = 90 * 24 * 60 * 60 * 1000;
/** The stored last use is updated when it is this old, in milliseconds. */
export const KNOWN_CLIENT_TOUCH_MS = 24 * 60 * 60 * 1000;

export interface PasswordSender {
  readonly purpose: "sign in" | "change the password";
  /** Its address, as the rate limit counts it. */
  readonly client: string;
  /** Identifies the account, whether it exists or not. */
  readonly account: string;
}

/** HMAC-SHA-256 (RFC 2104): addresses and usernames could be guessed from a plain hash. */
export function hashPasswordSender(
  secret: Uint8Array,
  { purpose, client, account }: PasswordSender,
): KnownClientHash {
  const text = JSON.stringify(["coffer known client", purpose, client, account]);
  return asHash<KnownClientHash>(new Bun.CryptoHasher("sha256", secret).update(text).digest("hex"));
}
