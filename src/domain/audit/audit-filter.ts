import { categoryOf } from "./audit-actions.ts";
import type { AuditEvent, AuditFilter } from "./audit-event.ts";

/** Whether an event is one of those that a filter means. */
export function passes(event: AuditEvent, filter: AuditFilter): boolean {
  const { category, action, outcome, username, subjectId, driveId, since, until } = filter;
  return (
    (category === null || categoryOf(event.action) === category) &&
    (action === null || event.action === action) &&
    (outcome === null || event.outcome === outcome) &&
    (username === null || event.actor.username === username) &&
    (subjectId === null || event.subject?.id === subjectId) &&
    (driveId === null || event.driveId === driveId) &&
    (since === null || event.at >= since) &&
    (until === null || event.at < until)
  );
}
