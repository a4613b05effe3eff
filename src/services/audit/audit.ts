import type { Caller } from "../../domain/accounts/caller.ts";
import type { AuditActor, AuditFacts, AuditHappened } from "../../domain/audit/audit-event.ts";
import { newAuditEvent } from "../../domain/audit/new-audit-event.ts";
import type { Origin } from "../../domain/audit/origin.ts";
import type { UserId } from "../../domain/id.ts";
import type { Tables } from "../../db/tables.ts";
import type { Clock } from "../../process/clock.ts";
import { Service } from "../service.ts";

/** For what the server does by itself. */
export const SERVER: AuditActor = { kind: "server", id: null, name: null, username: null };

/** For what a user does with a session, or to begin or end one. */
export function userActor({ id, username }: { readonly id: UserId; readonly username: string }): AuditActor {
  return { kind: "user", id, name: username, username };
}

/** Records what was done, in the write that does it. Call it only there, while the caller's key or user still exists. */
export class Audit extends Service<{ readonly tables: Tables; readonly clock: Clock }> {
  /** What a caller did. Inside a write. */
  add(caller: Caller, facts: AuditFacts): void {
    this.addBy(this.actorOf(caller), caller.origin ?? null, facts);
  }

  /** What somebody did who is no caller. Inside a write. */
  addBy(actor: AuditActor, origin: Origin | null, facts: AuditFacts): void {
    const at = this.parts.clock.now();
    this.put(facts, { actor, origin, outcome: "success", count: 1, at, lastAt: at });
  }

  /** Any event. Returns its primary key. Inside a write. */
  put(facts: AuditFacts, happened: AuditHappened): number {
    return this.parts.tables.auditEvents.insert(newAuditEvent(facts, happened));
  }

  actorOf(caller: Caller): AuditActor {
    const { users, knownKeys } = this.parts.tables;
    if (caller.keyId === null) return userActor(users.existing(caller.userPk));
    const kind = caller.isApplication ? "application" : "key";
    return { kind, id: caller.keyId, ...knownKeys.named(caller.keyId) };
  }
}
