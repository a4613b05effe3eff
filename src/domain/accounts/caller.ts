import type { DriveId, DrivePk, KeyId, SessionId, UserId, UserPk } from "../id.ts";
import { CofferError } from "../errors.ts";
import type { Origin } from "../audit/origin.ts";
import type { FolderPath } from "../files/path.ts";
import type { Plan, Scope } from "./roles.ts";

/**
 * Who sends a request, once authenticated. An account caller, with a key or a session, reaches every drive of its user.
 * A drive caller reaches one drive, whoever owns it. The plan is the owner's; `free` for an unclaimed drive.
 */
export type Caller = AccountCaller | DriveCaller;

export type AccountCaller = (Account & Holder) | SessionCaller;

interface Account {
  readonly kind: "account";
  readonly scope: Scope;
  readonly plan: Plan;
  readonly userId: UserId;
  readonly userPk: UserPk;
  /** What this request says of its changes; see `Stamp`. */
  readonly message?: string;
  /** Where this request came from; only of operations that are recorded in the audit log. */
  readonly origin?: Origin;
}

interface Holder {
  readonly keyId: KeyId;
  /** The key that made it; null if a person did, or the server. */
  readonly madeBy: KeyId | null;
  /** Whether a person gave it to an application (OAuth). */
  readonly isApplication: boolean;
}

export interface SessionCaller extends Account {
  readonly keyId: null;
  readonly sessionId: SessionId;
}

export interface DriveCaller extends Holder, Pick<Account, "scope" | "plan" | "message" | "origin"> {
  readonly kind: "drive";
  readonly driveId: DriveId;
  readonly drivePk: DrivePk;
  /** The folder that the key is limited to; the root for the whole drive. */
  readonly prefix: FolderPath;
  /** The drive's owner; null while the drive is unclaimed. */
  readonly ownerId: UserId | null;
}

/** Narrows to an account caller; throws FORBIDDEN for a key that is limited to one drive. */
export function requireAccount(caller: Caller): AccountCaller {
  if (caller.kind === "account") return caller;
  throw new CofferError(
    "FORBIDDEN",
    "This key is limited to one drive; the operation needs an account key. People make these on the dashboard, at /keys.",
  );
}

/** Whether somebody asks who is signed in to the dashboard. */
export function isSession(caller: Caller): caller is SessionCaller {
  return caller.kind === "account" && caller.keyId === null;
}

/** Narrows to a session; throws FORBIDDEN for every key: agents have keys, and must not change who can sign in. */
export function requireSession(caller: Caller): SessionCaller {
  if (isSession(caller)) return caller;
  throw new CofferError("FORBIDDEN", "API keys cannot do this: sign in to the dashboard.");
}

/** A session, or a person's account key; else FORBIDDEN: what was let in must not let others in, or keep it out. */
export function requirePerson(caller: Caller): AccountCaller {
  if (caller.kind === "account" && isPersons(caller)) return caller;
  throw new CofferError(
    "FORBIDDEN",
    "Only people claim drives, and manage keys, sessions, webhooks and members: in the dashboard, or with an account key that they made there. The keys of applications, keys made by other keys and keys of one drive cannot.",
  );
}

/** Lets pass a person, and a key of one drive for that. Throws FORBIDDEN for applications, and keys by keys. */
export function requireManaging(caller: Caller): void {
  if (!isManaging(caller)) requirePerson(caller);
}

export function isManaging(caller: Caller): boolean {
  return caller.kind === "account" ? isPersons(caller) : !caller.isApplication;
}

function isPersons(caller: AccountCaller): boolean {
  return caller.keyId === null || (caller.madeBy === null && !caller.isApplication);
}

/** Whose limits count for a caller: the account, or the drive itself while it is unclaimed. */
export function ownerOf(caller: Caller): UserId | DriveId {
  return caller.kind === "account" ? caller.userId : (caller.ownerId ?? caller.driveId);
}

/** Whether the caller has a key of an unclaimed drive. Anybody can make such a drive. */
export function isUnclaimed(caller: Caller): boolean {
  return caller.kind === "drive" && caller.ownerId === null;
}

/** What a caller's requests are counted by: the key or, for a session, the account. */
export function bucketOf(caller: Caller): string {
  return caller.kind === "drive" ? caller.keyId : (caller.keyId ?? caller.userId);
}
