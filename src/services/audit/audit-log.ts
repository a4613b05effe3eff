import { setImmediate as nextTurn } from "node:timers/promises";
import type { Tables } from "../../db/tables.ts";
import type { Caller } from "../../domain/accounts/caller.ts";
import type { AuditEvent, AuditFilter, AuditPosition } from "../../domain/audit/audit-event.ts";
import { passes } from "../../domain/audit/audit-filter.ts";
import type { Users } from "../accounts/users.ts";
import type { Parts } from "../parts.ts";
import { Service } from "../service.ts";
import type { RefusedAttempts } from "./refused-attempts.ts";

/** How many events are looked at in one turn, and for one page. */
const LOOKED_AT = { step: 100, page: 10_000 };

const NEWEST: AuditPosition = { at: Number.MAX_SAFE_INTEGER, pk: 0 };

export interface AuditRequest {
  readonly filter: AuditFilter;
  readonly limit: number;
  /** Where the page before ended; null for the newest events. */
  readonly before: AuditPosition | null;
}

/** Events by time, newest first; `next` is null at the end of the list. */
export interface AuditPage {
  readonly events: readonly AuditEvent[];
  readonly next: AuditPosition | null;
}

/** What administrators read of the audit log. */
export class AuditLog extends Service<
  Pick<Parts, "tables" | "access"> & { users: Users; refusedAttempts: RefusedAttempts }
> {
  /** A page, which may have fewer events than asked for, and more after it. Throws FORBIDDEN. */
  async page(caller: Caller, request: AuditRequest): Promise<AuditPage> {
    const { users, refusedAttempts } = this.parts;
    users.requireAdmin(caller);
    await refusedAttempts.tryFlush();
    return readAudit(this.parts, request);
  }

  /** All events that a filter means, in pages. Throws FORBIDDEN, also once the caller is no administrator any more. */
  async *all(caller: Caller, filter: AuditFilter): AsyncGenerator<readonly AuditEvent[]> {
    const { access, users, refusedAttempts } = this.parts;
    users.requireAdmin(caller);
    await refusedAttempts.tryFlush();
    for await (const events of auditPages(this.parts, filter)) {
      access.requireValid(caller);
      users.requireAdmin(caller);
      yield events;
    }
  }
}

/** All events that a filter means, in pages, some of which may be empty. */
export async function* auditPages(
  parts: Reading,
  filter: AuditFilter,
): AsyncGenerator<readonly AuditEvent[]> {
  for (let before: AuditPosition | null = null; ;) {
    const { events, next }: AuditPage = await readAudit(parts, { filter, limit: LOOKED_AT.step, before });
    yield events;
    if (next === null) return;
    before = next;
  }
}

interface Reading {
  readonly tables: Pick<Tables, "auditEvents">;
}

async function readAudit(
  { tables: { auditEvents } }: Reading,
  { filter, limit, before }: AuditRequest,
): Promise<AuditPage> {
  const since = filter.since ?? 0;
  const step = Math.min(limit + 1, LOOKED_AT.step);
  const events: AuditEvent[] = [];
  let reached = before ?? (filter.until === null ? NEWEST : { at: filter.until, pk: 0 });
  for (let looked = 0; looked < LOOKED_AT.page; await nextTurn()) {
    const some = auditEvents.some(filter, { since, ...reached, limit: step });
    for (const { pk, event } of some) {
      if (passes(event, filter)) {
        if (events.length === limit) return { events, next: reached };
        events.push(event);
      }
      reached = { at: event.at, pk };
    }
    if (some.length < step) return { events, next: null };
    looked += some.length;
  }
  return { events, next: reached };
}
