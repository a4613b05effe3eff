import { sealingKey } from "../sealing.ts";

/** What a command sends to the server of its data directory: only who can read the secret in there can make it. */
export function ownerTokenOf(secret: Uint8Array): string {
  return sealingKey(secret, "owner token").toHex();
}
