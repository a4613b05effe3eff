import type { DriveId, DrivePk, KeyId, SessionId, UserId, UserPk } from "./id.ts";
import { CofferError } from "./errors.ts";

/** What a key may do: everything, or read. */
export const SCOPES = ["read-write", "read-only"] as const;
/** One of `SCOPES`. */
export type Scope = (typeof SCOPES)[number];

/** What the limits of an account go by. */
export const PLANS = ["free", "pro", "team"] as const;
/** One of `PLANS`. */
export type Plan = (typeof PLANS)[number];

/**
 * Who is asking, once authenticated. An account caller, with a key or signed in, reaches every drive of
 * its user; a drive caller reaches one drive, whoever owns it. The plan is the owner's, `free` for an
 * unclaimed drive.
 */
export type Caller = AccountCaller | DriveCaller;

/** Somebody who acts for an account: with one of its keys, or signed in. */
export type AccountCaller = AccountKeyCaller | SessionCaller;

interface Account {
  readonly kind: "account";
  readonly scope: Scope;
  readonly plan: Plan;
  readonly userId: UserId;
  readonly userPk: UserPk;
}

/** Whoever has a key of an account. */
export interface AccountKeyCaller extends Account {
  readonly keyId: KeyId;
}

/** Whoever is signed in, and so needs no key. */
export interface SessionCaller extends Account {
  readonly keyId: null;
  readonly sessionId: SessionId;
}

/** Whoever has a key that is limited to one drive. */
export interface DriveCaller {
  readonly kind: "drive";
  readonly keyId: KeyId;
  readonly scope: Scope;
  readonly plan: Plan;
  readonly driveId: DriveId;
  readonly drivePk: DrivePk;
  /** Whose the drive is; null as long as nobody has claimed it. */
  readonly ownerId: UserId | null;
}

/** Narrows to an account caller; throws FORBIDDEN for a key that is limited to one drive. */
export function requireAccount(caller: Caller): AccountCaller {
  if (caller.kind === "account") return caller;
  throw new CofferError("FORBIDDEN", "This key is limited to one drive; the operation needs an account key.");
}

/**
 * Narrows to somebody signed in; throws FORBIDDEN for every key: keys are handed to agents, and none of
 * them may change who gets in.
 */
export function requireSession(caller: Caller): SessionCaller {
  if (caller.kind === "account" && caller.keyId === null) return caller;
  throw new CofferError("FORBIDDEN", "No key may do this: it needs somebody signed in to the dashboard.");
}

/** Who answers for a caller: the account, or the drive itself as long as nobody has claimed it. */
export function ownerOf(caller: Caller): UserId | DriveId {
  return caller.kind === "account" ? caller.userId : (caller.ownerId ?? caller.driveId);
}

/** Whether a caller has the key of a drive that nobody has claimed: anybody can make such a drive. */
export function isUnclaimed(caller: Caller): boolean {
  return caller.kind === "drive" && caller.ownerId === null;
}

/** What a caller's requests are counted under: the key or, for a session, the account. */
export function bucketOf(caller: Caller): string {
  return caller.kind === "drive" ? caller.keyId : (caller.keyId ?? caller.userId);
}
