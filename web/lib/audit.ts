import {
  AUDIT_CATEGORIES,
  AUDIT_OUTCOMES,
  type AuditCategory,
  type AuditOutcome,
} from "../../src/domain/audit/audit-actions.ts";
import { call } from "./api/api.ts";
import type { AuditEvent, CursorPage } from "./api/types.ts";

/** What of the audit log is asked for; an empty text stands for all. */
export interface AuditFilter {
  readonly about: "" | AuditCategory;
  readonly outcome: "" | AuditOutcome;
  /** A username. */
  readonly account: string;
  /** Days such as `2030-01-31`, in the reader's zone: the first and the last. */
  readonly since: string;
  readonly until: string;
}

const NAMES = ["about", "outcome", "account", "since", "until"] as const;

/** The filter in an address. What is none there is left out. */
export function readAuditFilter(query: URLSearchParams): AuditFilter {
  const [about = "", outcome = "", account = "", since = "", until = ""] = NAMES.map(
    (name) => query.get(name) ?? "",
  );
  return {
    about: AUDIT_CATEGORIES.find((each) => each === about) ?? "",
    outcome: AUDIT_OUTCOMES.find((each) => each === outcome) ?? "",
    account,
    since: startOf(since) === null ? "" : since,
    until: startOf(until) === null ? "" : until,
  };
}

/** The address of the audit log. */
export function auditAddress(filter: Partial<AuditFilter>): string {
  const query = new URLSearchParams();
  for (const name of NAMES) if (filter[name]) query.set(name, filter[name]);
  return query.size === 0 ? "/audit" : `/audit?${query}`;
}

/** A page of the events, the newest first. */
export function listAuditEvents(
  filter: AuditFilter,
  part: Readonly<Record<string, string>>,
  signal: AbortSignal,
): Promise<CursorPage<AuditEvent>> {
  return call("GET", `/v0/audit-events?${new URLSearchParams({ ...auditQuery(filter), ...part })}`, {
    signal,
  });
}

/** The address of all events that a filter means, as lines of JSON, which the browser saves as they come. */
export function auditLinesAddress(filter: AuditFilter): string {
  return `/v0/audit-events?${new URLSearchParams({ ...auditQuery(filter), lines: "true" })}`;
}

/** What is asked of the API: see `GET /v0/audit-events`. */
export function auditQuery({ about, outcome, account, since, until }: AuditFilter): Record<string, string> {
  const asked = {
    category: about,
    outcome,
    actor: account,
    since: startOf(since)?.toISOString(),
    until: startOf(until, 1)?.toISOString(),
  };
  return Object.fromEntries(Object.entries(asked).flatMap(([name, value]) => (value ? [[name, value]] : [])));
}

/** When a day begins in the reader's zone, or one so many days later; null for what is no day. */
function startOf(day: string, later = 0): Date | null {
  if (!/^\d{4}-\d{2}-\d{2}$/.test(day)) return null;
  const start = new Date(`${day}T00:00`);
  start.setDate(start.getDate() + later);
  return Number.isNaN(start.getTime()) ? null : start;
}
