import type { Scope } from "./roles.ts";
import { asHash, type Brand, type DriveId, type KeyId } from "../id.ts";
import type { FolderPath } from "../files/path.ts";

/** SHA-256 of a secret, as hex. The secret itself is never stored. */
export type SecretHash = Brand<string, "SecretHash">;

export interface ApiKey {
  readonly id: KeyId;
  readonly prefix: string;
  readonly name: string;
  readonly scope: Scope;
  /** The one drive it is limited to; null if it reaches all of its owner's drives. */
  readonly driveId: DriveId | null;
  /** The folder of that drive that it is limited to; null if it is not. */
  readonly pathPrefix: FolderPath | null;
  /** Times are milliseconds since the epoch. */
  readonly createdAt: number;
  readonly lastUsedAt: number | null;
  /** Null for never. */
  readonly expiresAt: number | null;
  /** The OAuth client that a person gave it to; null for other keys. */
  readonly clientId: string | null;
  /** The key that made it, with which it goes; null if a person or the server did. */
  readonly madeBy: KeyId | null;
}

/** How much a key made, with all that the keys that it made made: what goes with it. */
export type MadeByKey = Readonly<Record<"keys" | "links" | "webhooks" | "members", number>>;

export interface NewSecret {
  /** Shown once to the caller and then forgotten. */
  readonly secret: string;
  readonly hash: SecretHash;
}

export interface NewKeySecret extends NewSecret {
  readonly prefix: string;
}

export const SECRET_BYTES = 24;

/** Makes a key for the keys endpoint or the command line: `<service>_sk_live_<48 hex digits>`. */
export const newApiKey = (service: string) => newKeySecret(`${service}_sk_live_`, 16);

/** Makes the key of a provisioned drive: `<service>_<48 hex digits>`. */
export const newProvisionedKey = (service: string) => newKeySecret(`${service}_`, 12);

/** Makes a claim token: `clm_<48 hex digits>`. */
export const newClaimToken = () => newSecret("clm_");

/** Makes a secret that shows its first `prefixLength` characters. @param bytes what it is made of */
export function newKeySecret(start: string, prefixLength: number, bytes = randomBytes()): NewKeySecret {
  const made = newSecret(start, bytes);
  return { ...made, prefix: made.secret.slice(0, prefixLength) };
}

/** Makes a secret: what it begins with, and 48 hex digits. */
export function newSecret(start: string, bytes = randomBytes()): NewSecret {
  const secret = start + bytes.toHex();
  return { secret, hash: hashSecret(secret) };
}

export function randomBytes(count = SECRET_BYTES): Uint8Array {
  return crypto.getRandomValues(new Uint8Array(count));
}

/** The hash under which a secret is stored and looked up. Secrets are random, so no salt is needed. */
export function hashSecret(secret: string): SecretHash {
  return asHash<SecretHash>(Bun.SHA256.hash(secret, "hex"));
}
