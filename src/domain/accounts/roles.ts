import { CofferError } from "../errors.ts";

/** The plans of accounts; they decide the limits. */
export const PLANS = ["free", "pro", "team"] as const;
export type Plan = (typeof PLANS)[number];

/** What a key may do: read and write, or only read. */
export const SCOPES = ["read-write", "read-only"] as const;
export type Scope = (typeof SCOPES)[number];

/** What one can be in a drive that is shared with one: a reader sees it, an editor also changes what is in it. */
export const MEMBER_ROLES = ["reader", "editor"] as const;

export type MemberRole = (typeof MEMBER_ROLES)[number];

/** What a caller can be in a drive. Only the owner decides about the drive itself. */
export const ROLES = ["owner", "editor", "reader"] as const;

export type Role = (typeof ROLES)[number];

/** Throws FORBIDDEN for who may only read. */
export function requireWriter(role: Role): void {
  if (role !== "reader") return;
  throw new CofferError("FORBIDDEN", "Your role in this drive is reader; ask its owner for editor.");
}

/** Throws FORBIDDEN for who may not decide about the drive. */
export function requireManager(role: Role): void {
  if (role === "owner") return;
  throw new CofferError("FORBIDDEN", `Your role in this drive is ${role}; only its owner can do this.`);
}

/** Throws FORBIDDEN for who may not take anything out of the drive: then its owner could not get it back. */
export function requireTaker(role: Role): void {
  if (role === "owner") return;
  const what = `Your role in this drive is ${role}; only its owner can move something out of it.`;
  throw new CofferError("FORBIDDEN", `${what} Copy it instead.`);
}

/**
 * Throws FORBIDDEN for who may not delete for good, and would let a file expire, or sooner: it does not go to the trash
 * then.
 *
 * @param present when it expires now, in milliseconds since the epoch; null for never
 * @param wanted the same, from now on
 */
export function requireMayExpire(role: Role, present: number | null, wanted: number | null): void {
  if (role === "owner" || wanted === null || (present !== null && wanted >= present)) return;
  const what = `Your role in this drive is ${role}; only its owner can let a file expire, or expire sooner.`;
  throw new CofferError("FORBIDDEN", `${what} Delete it when it is not needed: then it goes to the trash.`);
}
