import { createHmac } from "node:crypto";
import type { Brand } from "./brand.ts";

/** What stands for a client and an account in the database; it leads back to neither. Hex. */
export type KnownClientHash = Brand<string, "KnownClientHash">;

/** How many are remembered; the ones unused for longest go first. */
export const KNOWN_CLIENTS = 100_000;
/** How long one is remembered after its last use, in milliseconds. */
export const KNOWN_CLIENT_LIFETIME_MS = 90 * 24 * 60 * 60 * 1000;
/** How old the noted last use gets before it is noted anew, in milliseconds. */
export const KNOWN_CLIENT_TOUCH_MS = 24 * 60 * 60 * 1000;

/** A client that gives an account's password, and for what. */
export interface PasswordGiver {
  readonly purpose: "sign in" | "change the password";
  /** Its address, as it is counted. */
  readonly client: string;
  /** What stands for the account, whether there is such a one or not. */
  readonly account: string;
}

/** HMAC-SHA-256 (RFC 2104), since addresses and usernames could be guessed from a plain hash. */
export function hashPasswordGiver(
  secret: Uint8Array,
  { purpose, client, account }: PasswordGiver,
): KnownClientHash {
  const text = JSON.stringify(["coffer known client", purpose, client, account]);
  const hash = createHmac("sha256", secret).update(text).digest("hex");
  if (!isHash(hash)) throw new Error("the runtime made a malformed HMAC");
  return hash;
}

function isHash(text: string): text is KnownClientHash {
  return text.length === 64;
}
