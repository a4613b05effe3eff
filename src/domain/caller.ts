import type { KeyId, UserId, DriveId } from "./id.ts";

export type Scope = "read-write" | "read-only";

export type Plan = "free" | "pro" | "team";

/**
 * Who is asking, once authenticated. An account key reaches every drive of its user; a drive key
 * reaches one drive, whoever owns it. The plan is the owner's, `free` for an unclaimed drive.
 */
export type Caller = AccountCaller | DriveCaller;

export interface AccountCaller {
  readonly kind: "account";
  readonly keyId: KeyId;
  readonly scope: Scope;
  readonly plan: Plan;
  readonly userId: UserId;
}

export interface DriveCaller {
  readonly kind: "drive";
  readonly keyId: KeyId;
  readonly scope: Scope;
  readonly plan: Plan;
  readonly driveId: DriveId;
}
