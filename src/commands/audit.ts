import { openAccounts } from "../accounts.ts";
import { AUDIT_CATEGORIES, AUDIT_OUTCOMES } from "../domain/audit/audit-actions.ts";
import type { AuditActor, AuditEvent, AuditFilter } from "../domain/audit/audit-event.ts";
import { auditRecord } from "../domain/audit/audit-record.ts";
import { jsonLine, plainLine } from "../domain/audit/json-line.ts";
import { formatInstant, instantBefore } from "../domain/time.ts";
import { systemClock } from "../process/clock.ts";
import { type Command, CommandError, requireConfig } from "./command.ts";

export const audit: Command = {
  name: "audit",
  flags: [
    "--since TIME",
    "--until TIME",
    "--category NAME",
    "--outcome success|refused",
    "--actor USERNAME",
    "--json",
    "--data-dir PATH",
  ],
  summary:
    "Print the audit log, newest first: who signed in, was refused, made keys, shared or deleted for good",
  help: `  --since TIME      Only what happened since a time (ISO 8601), or so long ago, such as 7d.
  --until TIME      Only what happened before that.
  --category NAME   Only one of ${AUDIT_CATEGORIES.join(", ")}.
  --outcome OUTCOME Only what was done (success), or was refused (refused).
  --actor USERNAME  Only what was done for this account, or refused of it.
  --json            Print each event as a line of JSON, as GET /v0/audit-events does.
  --data-dir PATH   The data directory, as for serve. Works while the server runs.

Characters that would not show, or would end a line, are printed as escapes.`,
  async run({ values, switches }, terminal) {
    const { since, until, category, outcome, actor, ...flags } = values;
    const now = systemClock.now();
    const filter: AuditFilter = {
      since: since === undefined ? null : instantBefore("--since", since, now),
      until: until === undefined ? null : instantBefore("--until", until, now),
      category: oneOf("--category", AUDIT_CATEGORIES, category),
      outcome: oneOf("--outcome", AUDIT_OUTCOMES, outcome),
      username: actor?.toLowerCase() ?? null,
      action: null,
      subjectId: null,
      driveId: null,
    };
    await using accounts = await openAccounts(requireConfig(flags, terminal), "read");
    for await (const events of accounts.auditEvents(filter)) {
      for (const event of events)
        terminal.out(switches.has("json") ? jsonLine(auditRecord(event)) : lineOf(event));
    }
  },
};

function oneOf<T extends string>(flag: string, values: readonly T[], given: string | undefined): T | null {
  if (given === undefined) return null;
  const found = values.find((each) => each === given);
  if (found === undefined) throw new CommandError(`${flag} must be one of ${values.join(", ")}.`);
  return found;
}

/** One line, whatever the names in it are. */
function lineOf({ at, action, outcome, count, actor, subject, origin, detail }: AuditEvent): string {
  const times = count === 1 ? "" : ` ${count} times`;
  const what = outcome === "success" ? action : `${action} refused${times}`;
  const about = subject === null ? null : `${subject.kind} ${quoted(subject.name ?? subject.id)}`;
  const more = Object.entries(detail).map(([name, value]) => `${name}=${JSON.stringify(value)}`);
  const from = origin === null || origin.address === null ? null : `from ${origin.address}`;
  const parts = [formatInstant(at), what, `by ${shownActor(actor)}`, about, from, ...more];
  return plainLine(parts.filter((part) => part !== null).join("  "));
}

function shownActor({ kind, name, username }: AuditActor): string {
  if (kind === "user") return username ?? "unknown";
  const what = name === null ? kind : `${kind} ${quoted(name)}`;
  return username === null ? what : `${what} of ${username}`;
}

function quoted(text: string | null): string {
  return JSON.stringify(text ?? "");
}
