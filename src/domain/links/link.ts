import type { NamedActor } from "../changes/actor.ts";
import type { SecretHash } from "../accounts/api-key.ts";
import type { Caller } from "../accounts/caller.ts";
import { CofferError } from "../errors.ts";
import type { DriveId, KeyId, LinkId, UserPk } from "../id.ts";
import { LINK_SECONDS, SHARE_LINK_DAYS } from "../limits.ts";
import { DAY_MS } from "../time.ts";

/** Who creates a link: a key, or else a user. */
export type LinkMaker = { readonly keyId: KeyId } | { readonly user: UserPk };

/** A link, whatever it is for. Times are milliseconds since the epoch. */
export interface Link {
  readonly id: LinkId;
  /** The key that created it; null if it was revoked, or there was none. */
  readonly keyHash: SecretHash | null;
  /** The user who created it without a key. */
  readonly user: UserPk | null;
  readonly usedAt: number | null;
  readonly expiresAt: number;
}

/** A new link. The token is shown only once. */
export interface CreatedLink {
  readonly id: LinkId;
  readonly token: string;
  /** Milliseconds since the epoch. */
  readonly expiresAt: number;
}

/** What a link does: shows a file or a folder, sends a file, or takes one. */
export type LinkKind = "file" | "folder" | "presigned" | "upload";

/** A link, as its record shows it. Times are milliseconds since the epoch. */
export interface ListedLink {
  readonly id: LinkId;
  readonly kind: LinkKind;
  readonly driveId: DriveId;
  /** Where its file is now, or its folder was; null if its file is no longer in the drive. */
  readonly path: string | null;
  readonly hasPassword: boolean;
  readonly oneTime: boolean;
  readonly usedAt: number | null;
  readonly uses: number;
  readonly lastUsedAt: number | null;
  readonly expiresAt: number;
  readonly createdAt: number;
  readonly createdBy: NamedActor;
  /** The user who created it, with a session or a key of the account; null for a key of one drive. */
  readonly user: UserPk | null;
}

/** Where a list of links goes on: the newest come first. */
export interface LinkPosition {
  readonly createdAt: number;
  readonly id: LinkId;
}

/** Who a caller is as the creator of a link. */
export function makerOf(caller: Caller): LinkMaker {
  if (caller.kind === "drive") return { keyId: caller.keyId };
  return caller.keyId === null ? { user: caller.userPk } : { keyId: caller.keyId };
}

/** Whether a caller made a link: with the same key or, for an account, with any of its keys or a session. */
export function isMadeBy({ createdBy, user }: ListedLink, caller: Caller): boolean {
  return caller.kind === "account" ? user === caller.userPk : createdBy.id === caller.keyId;
}

/** How long a link works at most, in milliseconds. */
const LONGEST_LINK_MS = LINK_SECONDS.most * 1000;

/** The same for one that shows a file or folder. */
export const LONGEST_SHARE_MS = SHARE_LINK_DAYS.most * DAY_MS;

/** Throws GONE for a link that was used, or has expired. */
export function requireUsable({ usedAt, expiresAt }: Link, now: number, longest = LONGEST_LINK_MS): void {
  if (usedAt !== null)
    throw new CofferError("GONE", "The link was for a single use and has been used. Ask for a new one.");
  // One that ends too late was made before the clock was set back.
  const isOver = expiresAt <= now || expiresAt > now + longest;
  if (isOver) throw new CofferError("GONE", "The link has expired. Ask for a new one.");
}
