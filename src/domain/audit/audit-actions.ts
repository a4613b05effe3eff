/** What is recorded, by what it is about. */
export const AUDIT_ACTIONS = {
  sign_in: ["session.created", "session.ended", "password.changed"],
  users: [
    "user.created",
    "user.deleted",
    "user.disabled",
    "user.enabled",
    "user.plan_changed",
    "user.admin_granted",
    "user.admin_revoked",
  ],
  keys: ["key.created", "key.revoked", "key.used", "oauth.granted", "oauth.revoked"],
  sharing: [
    "member.added",
    "member.changed",
    "member.removed",
    "link.created",
    "link.revoked",
    "webhook.created",
    "webhook.changed",
    "webhook.deleted",
    "drive.claimed",
    "drive.given",
  ],
  server: ["setting.changed", "backup.started", "admin.requested"],
  deletions: [
    "file.deleted_for_good",
    "folder.deleted_for_good",
    "version.deleted_for_good",
    "trash.emptied",
    "snapshot.deleted",
    "drive.deleted",
  ],
  restores: ["snapshot.restored", "store.restored", "store.repaired"],
} as const;

export type AuditCategory = keyof typeof AUDIT_ACTIONS;
export type AuditAction = (typeof AUDIT_ACTIONS)[AuditCategory][number];

export const AUDIT_CATEGORIES = [
  "sign_in",
  "users",
  "keys",
  "sharing",
  "server",
  "deletions",
  "restores",
] as const satisfies readonly AuditCategory[];

export const AUDIT_OUTCOMES = ["success", "refused"] as const;
export type AuditOutcome = (typeof AUDIT_OUTCOMES)[number];

/** Who can have done something; see `AuditActor`. */
export const AUDIT_ACTORS = ["user", "key", "application", "server", "command", "anonymous"] as const;

/** What something can be done to; see `AuditSubject`. */
export const AUDIT_SUBJECTS = [
  "user",
  "session",
  "key",
  "link",
  "webhook",
  "setting",
  "route",
  "drive",
  "file",
  "folder",
  "version",
  "snapshot",
  "backup",
] as const;

/** What an action is about. */
export function categoryOf(action: AuditAction): AuditCategory {
  const category = AUDIT_CATEGORIES.find((each) => isIn(action, AUDIT_ACTIONS[each]));
  if (category === undefined) throw new Error(`the action ${action} is in no category`);
  return category;
}

function isIn(action: AuditAction, actions: readonly AuditAction[]): boolean {
  return actions.includes(action);
}

export const ALL_AUDIT_ACTIONS: readonly AuditAction[] = AUDIT_CATEGORIES.flatMap(
  (each): readonly AuditAction[] => AUDIT_ACTIONS[each],
);
