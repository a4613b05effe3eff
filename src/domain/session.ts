import { hashSecret, type SecretHash } from "./api-key.ts";
import type { SessionId } from "./id.ts";

/** How long a session lives after its last use, in milliseconds. */
export const SESSION_LIFETIME_MS = 30 * 24 * 60 * 60 * 1000;

/** A use is written down, and the session's life prolonged, when the last one noted is this old, in milliseconds. */
export const SESSION_TOUCH_MS = 60 * 60 * 1000;

/** How many sessions a user has at most: signing in once more ends the oldest. */
export const SESSIONS_A_USER = 500;

/** What is kept of a session's User-Agent. */
export const USER_AGENT_CHARACTERS = 256;

/** A signed-in browser, as its owner sees it. */
export interface Session {
  readonly id: SessionId;
  /** As the browser called itself at sign-in; empty where it did not. */
  readonly userAgent: string;
  /** Times are milliseconds since the epoch. */
  readonly createdAt: number;
  readonly lastUsedAt: number;
}

/** One of a user's sessions, and whether it is the one that asks. */
export interface ListedSession extends Session {
  readonly isCurrent: boolean;
}

/** A random token and what may be kept of it. */
export interface NewToken {
  /** 43 characters of base64url; shown once and then forgotten. */
  readonly token: string;
  readonly hash: SecretHash;
}

const TOKEN_BYTES = 32;

/** Makes the token of a session or of a setup link. */
export function newToken(): NewToken {
  const token = crypto
    .getRandomValues(new Uint8Array(TOKEN_BYTES))
    .toBase64({ alphabet: "base64url", omitPadding: true });
  return { token, hash: hashSecret(token) };
}
