import type { AuditAction, AuditCategory } from "../../../src/domain/audit/audit-actions.ts";
import {
  GRANT_END_REASONS,
  type GrantEndReason,
  type RefusalReason,
  type RefusedAction,
  SESSION_END_REASON,
} from "../../../src/domain/audit/audit-reasons.ts";
import type { AuditEvent } from "../api/types.ts";
import { formatNumber } from "./format.ts";
import { wordsOfSetting } from "./setting-words.ts";
import { mark, type PlainMessage, rich, t } from "./text.ts";

/** What is shown for who and what an event is about. */
export interface ShownEvent<Shown> {
  readonly who: Shown;
  readonly what: Shown;
  readonly drive: Shown;
  /** To whom or what something was given. */
  readonly to: Shown;
}

/** What can be chosen of the log. `t()` is to show it. */
export const CATEGORY_WORDS: Readonly<Record<AuditCategory, PlainMessage>> = {
  sign_in: mark("Signing in"),
  users: mark("Users"),
  keys: mark("Keys and apps"),
  sharing: mark("Sharing"),
  server: mark("Server"),
  deletions: mark("Deleted for good"),
  restores: mark("Restores"),
};

/** Who it was comes first, in each language, so that it begins the sentence. */
const DONE = {
  "session.created": mark("{who} signed in"),
  "session.ended": mark("{who} ended a session"),
  "password.changed": mark("{who} reset the password of {what}"),
  "user.created": mark("{who} added the user {what}"),
  "user.deleted": mark("{who} deleted the user {what}"),
  "user.disabled": mark("{who} disabled the user {what}"),
  "user.enabled": mark("{who} enabled the user {what} again"),
  "user.plan_changed": mark("{who} gave {what} the plan {to}"),
  "user.admin_granted": mark("{who} made {what} an administrator"),
  "user.admin_revoked": mark("{who} took administration away from {what}"),
  "key.created": mark("{who} made the key {what}"),
  "key.revoked": mark("{who} revoked the key {what}"),
  "key.used": mark("{who} used the key {what}"),
  "oauth.granted": mark("{who} let in the app {what}"),
  "oauth.revoked": mark("{who} ended the access of the app {what}"),
  "member.added": mark("{who} shared the drive {drive} with {what}"),
  "member.changed": mark("{who} changed what {what} may do in the drive {drive}"),
  "member.removed": mark("{who} ended the sharing of the drive {drive} with {what}"),
  "link.created": mark("{who} made a link to {what} in the drive {drive}"),
  "link.revoked": mark("{who} revoked a link to {what} in the drive {drive}"),
  "webhook.created": mark("{who} made a webhook to {what}"),
  "webhook.changed": mark("{who} changed the webhook to {what}"),
  "webhook.deleted": mark("{who} deleted the webhook to {what}"),
  "drive.claimed": mark("{who} claimed the drive {what}"),
  "drive.given": mark("{who} gave the drive {what} to {to}"),
  "setting.changed": mark("{who} changed the setting {what}"),
  "backup.started": mark("{who} began a backup"),
  "admin.requested": mark("{who} asked for what only administrators may: {what}"),
  "file.deleted_for_good": mark("{who} deleted the file {what} for good"),
  "folder.deleted_for_good": mark("{who} deleted the folder {what} for good"),
  "version.deleted_for_good": mark("{who} deleted a version of {what} for good"),
  "trash.emptied": mark("{who} emptied the trash of the drive {what}"),
  "snapshot.deleted": mark("{who} deleted the snapshot {what} of the drive {drive}"),
  "drive.deleted": mark("{who} deleted the drive {what}"),
  "snapshot.restored": mark("{who} restored the drive {drive} to the snapshot {what}"),
  "store.restored": mark("{who} restored the server from the backup {what}"),
  "store.repaired": mark("{who} repaired contents from {what}"),
} as const satisfies Readonly<Record<AuditAction, string>>;

/** What somebody did to themselves. */
const OWN = {
  "password.changed": mark("{who} changed their password"),
  "user.created": mark("{who} made an account"),
  "session.ended": mark("{who} ended all their sessions"),
  "oauth.revoked": mark("{who} gave its access back"),
  "member.removed": mark("{who} left the drive {drive}"),
} as const satisfies Readonly<Partial<Record<AuditAction, string>>>;

/** What was done to a drive as a whole, or in a folder of it alone. */
const OF_WHOLE_DRIVE = {
  "link.created": mark("{who} made a link to the drive {drive}"),
  "link.revoked": mark("{who} revoked a link to the drive {drive}"),
} as const;
const OF_FOLDER = mark("{who} restored a folder of the drive {drive} to the snapshot {what}");

const SESSION_REPLACED = mark("{who} ended a session: its browser was used to sign in anew");

const GRANT_ENDED = {
  code_used_again: mark("{who} ended the access of the app {what}: its code was used a second time"),
  token_used_again: mark("{who} ended the access of the app {what}: a token of it was used a second time"),
} as const satisfies Readonly<Record<GrantEndReason, string>>;

const REFUSED = {
  "session.created": {
    wrong_password: mark("Wrong password for {what}"),
    unknown_user: mark("Somebody tried to sign in with a username that nobody has"),
    disabled: mark("Somebody tried to sign in as {what}, who is disabled"),
    rate_limited: mark("Somebody tried too often to sign in"),
    provider: mark("Somebody came from the provider, and was not let in"),
    too_many_refusals: mark("More sign-ins were refused than are listed one by one"),
  },
  "password.changed": {
    wrong_password: mark("{who} tried to change their password, with a wrong current one"),
    too_many_refusals: mark("More changes of passwords were refused than are listed one by one"),
  },
  "key.used": {
    revoked: mark("The key {what} was used, which was revoked"),
    expired: mark("The key {what} was used, which has expired"),
    disabled: mark("The key {what} was used, whose user is disabled"),
    too_many_refusals: mark("More keys that do not work were used than are listed one by one"),
  },
  "admin.requested": {
    forbidden: mark("{who} tried what only administrators may: {what}"),
    too_many_refusals: mark("What only administrators may was tried more often than is listed one by one"),
  },
} as const satisfies { readonly [A in RefusedAction]: Readonly<Record<RefusalReason<A>, string>> };

const TOO_OFTEN_AS = mark("Somebody tried too often to sign in as {what}");
/** For a reason that this page does not know. */
const REFUSED_OTHERWISE = mark("{who} was refused");

type Refusals = typeof REFUSED;
type RefusedMessage = { [A in RefusedAction]: Refusals[A][keyof Refusals[A]] }[RefusedAction];

/** What happened, as a sentence. */
export function describeEvent<Shown>(event: AuditEvent, shown: ShownEvent<Shown>): (Shown | string)[] {
  return rich(event.outcome === "refused" ? refusalOf(event) : deedOf(event), shown);
}

/** Keys and apps: of no account, as of a drive that nobody owns, and of somebody's. */
const KEYS = {
  named: { alone: mark("The key {name}"), of: mark("The key {name} of {account}") },
  unnamed: { alone: mark("An unnamed key"), of: mark("An unnamed key of {account}") },
} as const;
const APPS = { alone: mark("The app {name}"), of: mark("The app {name} of {account}") } as const;

/** Who did something, as a sentence begins with it. @param shown for the names of who it was, and of whose account */
export function actorInWords<Shown>(
  { kind, name, username }: AuditEvent["actor"],
  shown: { readonly name: Shown; readonly account: Shown },
): (Shown | string)[] {
  switch (kind) {
    case "user":
      return [shown.name];
    case "key": {
      const { alone, of } = name === "" ? KEYS.unnamed : KEYS.named;
      return rich(username === null ? alone : of, shown);
    }
    case "application":
      return rich(username === null ? APPS.alone : APPS.of, shown);
    case "server":
      return [t("The server")];
    case "command":
      return rich("The command coffer {name}", shown);
    case "anonymous":
      return [t("Somebody")];
  }
}

/** What an event calls something, or what stands for a name that is missing. */
export function nameInWords(name: AuditEvent["detail"][string] | undefined): string {
  return typeof name === "string" && name !== "" ? name : t("without a name");
}

/** The name of what something was done to. */
export function subjectInWords({ subject }: AuditEvent): string {
  const title = subject?.kind === "setting" ? wordsOfSetting({ name: subject.name ?? "" })?.title : undefined;
  return title ?? nameInWords(subject?.name);
}

function deedOf({ action, actor, subject, detail }: AuditEvent) {
  if (actor.id !== null && actor.id === subject?.id && isOwn(action)) return OWN[action];
  if (subject?.name === "" && (action === "link.created" || action === "link.revoked"))
    return OF_WHOLE_DRIVE[action];
  if (action === "snapshot.restored" && detail["path"] !== undefined) return OF_FOLDER;
  if (action === "session.ended" && detail["reason"] === SESSION_END_REASON) return SESSION_REPLACED;
  const reason = GRANT_END_REASONS.find((each) => each === detail["reason"]);
  return action === "oauth.revoked" && reason !== undefined ? GRANT_ENDED[reason] : DONE[action];
}

function isOwn(action: AuditAction): action is keyof typeof OWN {
  return action in OWN;
}

function refusalOf({ action, subject, detail: { reason } }: AuditEvent) {
  if (reason === "rate_limited" && subject !== null) return TOO_OFTEN_AS;
  const words: Readonly<Record<string, RefusedMessage>> = isRefusable(action) ? REFUSED[action] : {};
  return words[String(reason)] ?? REFUSED_OTHERWISE;
}

function isRefusable(action: AuditAction): action is RefusedAction {
  return action in REFUSED;
}

/** What more is told of an event is called. */
const DETAILS: Readonly<Record<string, PlainMessage>> = {
  admin: mark("Administrator"),
  by: mark("detail|By"),
  client_id: mark("Client"),
  contents: mark("Contents"),
  contents_missing: mark("Missing contents"),
  drive: mark("Drive"),
  drives: mark("Drives"),
  entries: mark("Entries"),
  files: mark("Files"),
  from: mark("detail|From"),
  made_at: mark("Time of the backup"),
  method: mark("Method"),
  password: mark("Password"),
  path: mark("Folder"),
  path_prefix: mark("Folder"),
  reason: mark("Reason"),
  role: mark("Role"),
  scope: mark("Scope"),
  sessions: mark("Sessions"),
  to: mark("detail|To"),
  username: mark("Username"),
  version: mark("Version"),
};

/** The name of a detail; one that this page does not know keeps that of the API. */
export function detailName(name: string): string {
  const known = DETAILS[name];
  return known === undefined ? name : t(known);
}

/** The value of a detail. */
export function detailValue(value: AuditEvent["detail"][string]): string {
  if (typeof value === "boolean") return value ? t("Yes") : t("No");
  return typeof value === "number" ? formatNumber(value) : (value ?? "–");
}
