import { categoryOf } from "../../domain/audit/audit-actions.ts";
import {
  AUDIT_EVENTS,
  type AuditDetail,
  type AuditEvent,
  type AuditFilter,
  type AuditPosition,
  type NewAuditEvent,
} from "../../domain/audit/audit-event.ts";
import type { DriveId } from "../../domain/id.ts";
import type { Database } from "../engine/database.ts";

interface Row extends Pick<AuditEvent, "id" | "at" | "action" | "outcome" | "count" | "lastAt"> {
  readonly pk: number;
  readonly actorKind: AuditEvent["actor"]["kind"];
  readonly actorId: string | null;
  readonly actorName: string | null;
  readonly username: string | null;
  readonly subjectKind: NonNullable<AuditEvent["subject"]>["kind"] | null;
  readonly subjectId: string | null;
  readonly subjectName: string | null;
  readonly driveId: DriveId | null;
  readonly address: string | null;
  readonly userAgent: string | null;
  readonly requestId: string | null;
  readonly detail: string;
}

type NewRow = Record<string, string | number | null>;
/** The events before a position and not before a time, newest first. */
type Range = { readonly since: number; readonly at: number; readonly pk: number; readonly limit: number };

/** An event, and what names its place in the list. */
export interface StoredAuditEvent {
  readonly pk: AuditPosition["pk"];
  readonly event: AuditEvent;
}

const SELECT = `
  SELECT pk, id, at, action, outcome, count, last_at AS lastAt, actor_kind AS actorKind, actor_id AS actorId,
         actor_name AS actorName, username, subject_kind AS subjectKind, subject_id AS subjectId,
         subject_name AS subjectName, drive_id AS driveId, address, user_agent AS userAgent,
         request_id AS requestId, detail
    FROM audit_event`;
const IN_RANGE = "at >= :since AND (at, pk) < (:at, :pk) ORDER BY at DESC, pk DESC LIMIT :limit";

/** The audit log: what was done, and what was refused. It refers to no other table, whose rows go before it does. */
export function auditEvents({ sql }: Pick<Database, "sql">) {
  const inRange = (where: string) =>
    sql.all<Row, [Range & { readonly value: string }], StoredAuditEvent>(
      `${SELECT} WHERE ${where} AND ${IN_RANGE}`,
      fromRow,
    );
  const all = sql.all<Row, [Range], StoredAuditEvent>(`${SELECT} WHERE ${IN_RANGE}`, fromRow);
  const ofSubject = inRange("subject_id = :value");
  const ofDrive = inRange("drive_id = :value");
  const ofUsername = inRange("username = :value");
  const ofCategory = inRange("category = :value");
  const insert = sql.writeOne<number, [NewRow]>(
    `INSERT INTO audit_event (id, at, category, action, outcome, serial, count, last_at, actor_kind, actor_id,
                              actor_name, username, subject_kind, subject_id, subject_name, drive_id, address,
                              user_agent, request_id, detail)
     VALUES (:id, :at, :category, :action, :outcome,
             1 + ifnull((SELECT max(serial) FROM audit_event WHERE outcome = :outcome), 0), :count, :lastAt,
             :actorKind, :actorId, :actorName, :username, :subjectKind, :subjectId, :subjectName, :driveId,
             :address, :userAgent, :requestId, :detail)
     RETURNING pk`,
  );
  const removeSurplus = sql.write<[outcome: AuditEvent["outcome"], kept: number, limit: number]>(
    `DELETE FROM audit_event WHERE pk IN (
       SELECT pk FROM audit_event
        WHERE outcome = ?1 AND serial <= (SELECT max(serial) FROM audit_event WHERE outcome = ?1) - ?2
        ORDER BY serial LIMIT ?3)`,
  );
  return {
    /** Returns its primary key, for `countAgain`. Inside a write. */
    insert: (event: NewAuditEvent): number => insert(toRow(event)),
    /** Tells that something happened some more times, the last one at a time. */
    countAgain: sql.write<[pk: number, times: number, lastAt: number]>(
      "UPDATE audit_event SET count = count + ?2, last_at = ?3 WHERE pk = ?1",
    ),
    /**
     * Some events of a range, newest first: all those that a filter means are among them, and others, as it is read in
     * the order of one index.
     */
    some: (filter: AuditFilter, range: Range): StoredAuditEvent[] => {
      const { subjectId, driveId, username, action, category } = filter;
      if (subjectId !== null) return ofSubject({ ...range, value: subjectId });
      if (driveId !== null) return ofDrive({ ...range, value: driveId });
      if (username !== null) return ofUsername({ ...range, value: username });
      const about = action === null ? category : categoryOf(action);
      return about === null ? all(range) : ofCategory({ ...range, value: about });
    },
    /** Removes some events up to a time. Returns how many. */
    removeOld: sql.removeSome<[until: number]>("audit_event", "at <= ? ORDER BY at"),
    /** Removes some of what is more than is kept of each outcome. Returns how many. Inside a write. */
    removeSurplus: (limit: number): number =>
      removeSurplus("success", AUDIT_EVENTS.success, limit) ||
      removeSurplus("refused", AUDIT_EVENTS.refused, limit),
  };
}

function toRow(event: NewAuditEvent): NewRow {
  const { id, at, action, outcome, count, lastAt, actor, subject, origin } = event;
  return {
    id,
    at,
    category: categoryOf(action),
    action,
    outcome,
    count,
    lastAt,
    actorKind: actor.kind,
    actorId: actor.id,
    actorName: actor.name,
    username: actor.username,
    subjectKind: subject?.kind ?? null,
    subjectId: subject?.id ?? null,
    subjectName: subject?.name ?? null,
    driveId: event.driveId ?? null,
    address: origin?.address ?? null,
    userAgent: origin?.userAgent ?? null,
    requestId: origin?.requestId ?? null,
    detail: JSON.stringify(event.detail ?? {}),
  };
}

function fromRow(row: Row): StoredAuditEvent {
  const { pk, id, at, action, outcome, count, lastAt, driveId } = row;
  const subject = row.subjectKind && { kind: row.subjectKind, id: row.subjectId, name: row.subjectName };
  const origin =
    row.requestId === null
      ? null
      : { address: row.address, userAgent: row.userAgent, requestId: row.requestId };
  const actor = { kind: row.actorKind, id: row.actorId, name: row.actorName, username: row.username };
  const detail: AuditDetail = JSON.parse(row.detail);
  return { pk, event: { id, at, action, outcome, count, lastAt, actor, subject, driveId, detail, origin } };
}
