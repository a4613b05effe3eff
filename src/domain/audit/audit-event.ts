import type { DriveId } from "../id.ts";
import type { Origin } from "./origin.ts";
import type {
  AUDIT_ACTORS,
  AUDIT_SUBJECTS,
  AuditAction,
  AuditCategory,
  AuditOutcome,
} from "./audit-actions.ts";

/** Who did something, with names as they were then. */
export interface AuditActor {
  readonly kind: (typeof AUDIT_ACTORS)[number];
  /** Of the user or key. */
  readonly id: string | null;
  /** Of the user, key or command. */
  readonly name: string | null;
  /** The account that it was done for; of a refusal, the one that it was about. */
  readonly username: string | null;
}

/** What it was done to, with its name as it was then. */
export interface AuditSubject {
  readonly kind: (typeof AUDIT_SUBJECTS)[number];
  /** Null for what has no identifier, such as a route; of a version, that of its file. */
  readonly id: string | null;
  readonly name: string | null;
}

/** More of what was done. Never a secret, and never a file's content. */
export type AuditDetail = Readonly<Record<string, string | number | boolean | null>>;

/** What is told of an event by whoever records it. */
export interface AuditFacts {
  readonly action: AuditAction;
  readonly subject: AuditSubject | null;
  /** The drive that it is about; absent if it is about none. */
  readonly driveId?: DriveId;
  readonly detail?: AuditDetail;
}

/** By whom, from where and when something happened. */
export interface AuditHappened {
  readonly actor: AuditActor;
  /** Null for what was no request. */
  readonly origin: Origin | null;
  readonly outcome: AuditOutcome;
  /** How often it happened, until `lastAt`. */
  readonly count: number;
  /** Milliseconds since the epoch. */
  readonly at: number;
  readonly lastAt: number;
}

/** An event to be stored. */
export interface NewAuditEvent extends AuditFacts, AuditHappened {
  readonly id: string;
}

/** An event as it was stored. */
export interface AuditEvent extends AuditHappened {
  readonly id: string;
  readonly action: AuditAction;
  readonly subject: AuditSubject | null;
  readonly driveId: DriveId | null;
  readonly detail: AuditDetail;
}

/** Which events are meant; null for any. */
export interface AuditFilter {
  readonly category: AuditCategory | null;
  readonly action: AuditAction | null;
  readonly outcome: AuditOutcome | null;
  readonly username: string | null;
  readonly subjectId: string | null;
  readonly driveId: string | null;
  /** Milliseconds since the epoch; `until` is exclusive. */
  readonly since: number | null;
  readonly until: number | null;
}

/** Where a list of events continues: after this one, towards older ones. */
export interface AuditPosition {
  readonly at: number;
  readonly pk: number;
}

/** How many events are kept of each outcome: refusals, which anybody can cause, never displace what was done. */
export const AUDIT_EVENTS = { success: 1_000_000, refused: 100_000 };

/** How many revoked keys are remembered, to tell when somebody still uses one. */
export const REVOKED_KEYS = 100_000;

/** In characters: a path may be this long. */
const LONGEST = 1024;

/** The start of a text that others chose, as an event keeps it. */
export function auditText(text: string, longest = LONGEST): string {
  return text.slice(0, longest).toWellFormed();
}
