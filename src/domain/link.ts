import type { SecretHash } from "./api-key.ts";
import type { Caller } from "./caller.ts";
import { CofferError } from "./errors.ts";
import type { KeyId, UserPk } from "./id.ts";
import { LINK_SECONDS } from "./limits.ts";

/** Who creates a link: a key, or else a user. */
export type LinkMaker = { readonly keyId: KeyId } | { readonly user: UserPk };

/** A link, whatever it is for. Times are milliseconds since the epoch. */
export interface Link {
  /** The key that created it; null if it was revoked, or there was none. */
  readonly keyHash: SecretHash | null;
  /** The user who created it without a key. */
  readonly user: UserPk | null;
  readonly usedAt: number | null;
  readonly expiresAt: number;
}

/** A new link. The token is shown only once. */
export interface CreatedLink {
  readonly token: string;
  /** Milliseconds since the epoch. */
  readonly expiresAt: number;
}

/** Who a caller is as the creator of a link. */
export function makerOf(caller: Caller): LinkMaker {
  if (caller.kind === "drive") return { keyId: caller.keyId };
  return caller.keyId === null ? { user: caller.userPk } : { keyId: caller.keyId };
}

/** Throws GONE for a link that was used, or has expired. */
export function requireUsable({ usedAt, expiresAt }: Link, now: number): void {
  if (usedAt !== null)
    throw new CofferError("GONE", "The link was for a single use and has been used. Ask for a new one.");
  // One that ends too late was made before the clock was set back.
  const isOver = expiresAt <= now || expiresAt > now + LINK_SECONDS.most * 1000;
  if (isOver) throw new CofferError("GONE", "The link has expired. Ask for a new one.");
}
