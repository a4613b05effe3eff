import type { Brand } from "../brand.ts";

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
  const hash = new Bun.CryptoHasher("sha256", secret).update(text).digest("hex");
  if (!isHash(hash)) throw new Error("the runtime made a malformed HMAC");
  return hash;
}

function isHash(text: string): text is KnownClientHash {
  return text.length === 64;
}
