import { newId } from "../id.ts";
import {
  type AuditActor,
  type AuditFacts,
  type AuditHappened,
  auditText,
  type NewAuditEvent,
} from "./audit-event.ts";

/** An event with an identifier of its own. Long names are cut. */
export function newAuditEvent({ subject, ...facts }: AuditFacts, happened: AuditHappened): NewAuditEvent {
  const { actor } = happened;
  return {
    ...facts,
    ...happened,
    id: newId(happened.at),
    actor: { ...actor, name: cut(actor.name), username: cut(actor.username) },
    subject: subject && { ...subject, name: cut(subject.name) },
  };
}

/** What was done by a command that writes to the database itself. @param at milliseconds since the epoch */
export function commandEvent(command: string, facts: AuditFacts, at: number): NewAuditEvent {
  const actor = commandActor(command);
  return newAuditEvent(facts, { actor, origin: null, outcome: "success", count: 1, at, lastAt: at });
}

/** Whoever runs a command of the executable, such as `user create`, on the server's machine. */
export function commandActor(command: string): AuditActor {
  return { kind: "command", id: null, name: command, username: null };
}

function cut(text: string | null): string | null {
  return text === null ? null : auditText(text);
}
