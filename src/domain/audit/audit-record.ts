import { formatInstant } from "../time.ts";
import type { AuditEvent } from "./audit-event.ts";

export type AuditRecord = ReturnType<typeof auditRecord>;

/** An event as the API and `coffer audit --json` show it. */
export function auditRecord(event: AuditEvent) {
  const { id, at, action, outcome, count, lastAt, actor, subject, driveId, origin, detail } = event;
  return {
    id,
    at: formatInstant(at),
    action,
    outcome,
    count,
    last_at: formatInstant(lastAt),
    actor,
    subject,
    drive_id: driveId,
    address: origin?.address ?? null,
    user_agent: origin?.userAgent ?? null,
    request_id: origin?.requestId ?? null,
    detail,
  };
}
