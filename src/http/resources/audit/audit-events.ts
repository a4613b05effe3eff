import { type Static, Type } from "@sinclair/typebox";
import { ALL_AUDIT_ACTIONS, AUDIT_CATEGORIES, AUDIT_OUTCOMES } from "../../../domain/audit/audit-actions.ts";
import { AUDIT_EVENTS, type AuditEvent, type AuditFilter } from "../../../domain/audit/audit-event.ts";
import { MORE_REFUSED } from "../../../domain/audit/audit-reasons.ts";
import { auditRecord } from "../../../domain/audit/audit-record.ts";
import { jsonLine } from "../../../domain/audit/json-line.ts";
import { parseId } from "../../../domain/id.ts";
import { instantBefore } from "../../../domain/time.ts";
import { contentDisposition } from "../../content/containment.ts";
import { wantsLines } from "../../content/negotiation.ts";
import { piecewise } from "../../content/piecewise.ts";
import type { RequestContext } from "../../gate/request-context.ts";
import { auditCursor } from "../../operation/cursor.ts";
import { operation } from "../../operation/route.ts";
import * as t from "../../operation/schema.ts";
import { auditEventSchema } from "../../records/audit-schemas.ts";
import type { Parts } from "../parts.ts";

const LINES = "application/x-ndjson";

/** A browser saves them as a file, whatever leads to them. */
const LINES_HEADERS = {
  "content-type": LINES,
  "content-disposition": contentDisposition("attachment", "audit-events.jsonl"),
};

/** After so long without a byte read, in milliseconds, the connection of an export is closed. */
const STALL_MS = 60_000;

const DESCRIPTION = `What was done to accounts, keys, shares and the server, newest first: sign-ins, and those that were refused; users, keys and applications; members, links and webhooks; settings and backups; what was deleted for good, and restored. By whom and from where, with names as they were then: it stays when keys and users are gone. Reads and writes of files are not in it: of these \`GET /v0/changes\` tells.

Each event is written in the same transaction as what it tells of. Refusals are written a moment later, the same ones of a minute as one event with a \`count\`. After 50 different ones in a minute, the rest of each action is one event with the reason \`${MORE_REFUSED}\`, without a subject, an account and an address. Of a refused sign-in the name that was typed is kept only if it is a user's, as people type passwords into that field. Kept are ${AUDIT_EVENTS.success} events and ${AUDIT_EVENTS.refused} refusals at most, for as many days as \`COFFER_AUDIT_DAYS\` says.

A page looks at 10,000 events at most: with filters it may have fewer than \`limit\`, and even none, while \`next_cursor\` is not null.

With \`Accept: ${LINES}\`, or \`lines=true\`, all events come that pass the filters, each as one line of JSON; \`cursor\` and \`limit\` do not count then. In these lines control characters, and others that would not show, are escaped. Needs the session of an administrator.`;

const query = Type.Object({
  category: Type.Optional(t.oneOf(AUDIT_CATEGORIES, { description: "Only events about this." })),
  action: Type.Optional(t.oneOf(ALL_AUDIT_ACTIONS, { description: "Only this action." })),
  outcome: Type.Optional(t.oneOf(AUDIT_OUTCOMES, { description: "Only what was done, or was refused." })),
  actor: t.optionalText("Only what was done for this account, or refused of it: its username.", "ada"),
  subject_id: t.optionalText("Only what was done to this user, key, drive or other thing."),
  drive_id: t.optionalText("Only what was done to this drive, or in it."),
  since: t.optionalText("Only what happened since a time (ISO 8601), or so long ago.", "7d"),
  until: t.optionalText("Only what happened before a time (ISO 8601), or so long ago.", "1d"),
  cursor: t.optionalText("The `next_cursor` of a page: returns the page after it. As fast at any position."),
  limit: t.paging.limit,
  lines: t.flag(`Whether to answer as with \`Accept: ${LINES}\`: for links, which cannot say that.`),
});

/** What administrators read of the audit log. Not for keys: what they make known of people outlives them. */
export function auditEvents({ auditLog, clock, log }: Pick<Parts, "auditLog" | "clock" | "log">) {
  return operation("GET", "/v0/audit-events", {
    operationId: "listAuditEvents",
    tag: "Server",
    summary: "List the audit log",
    description: DESCRIPTION,
    signedIn: true,
    administrators: true,
    query,
    answers: {
      description: "A page of events; or, as lines of JSON, all of them.",
      content: {
        "application/json": Type.Object({
          data: Type.Array(auditEventSchema),
          next_cursor: t.nullableText("The `cursor` of the next page; null on the last page."),
        }),
        [LINES]: Type.String(),
      },
      someHeaders: { "Content-Disposition": "Of lines: they are saved as a file." },
      example: { data: [t.exampleOf(auditEventSchema)], next_cursor: null },
    },
    handle: async ({ request, query: asked, caller, context }) => {
      const filter = filterOf(asked, clock.now());
      const before = auditCursor.read(asked.cursor);
      if (asked.lines || wantsLines(request.headers.get("accept"))) {
        const body = await piecewise(linesOf(auditLog.all(caller, filter), context), {
          onFailure: (error) => {
            log.warn("an export of the audit log was cut off", { request_id: context.id, error });
            context.breakOff();
          },
          stall: { ms: STALL_MS, onStall: () => context.breakOff() },
        });
        return new Response(body, { headers: LINES_HEADERS });
      }
      const { events, next } = await auditLog.page(caller, { filter, limit: asked.limit, before });
      return Response.json({ data: events.map(auditRecord), next_cursor: auditCursor.write(next) });
    },
  });
}

/** Throws VALIDATION_ERROR. */
function filterOf(asked: Static<typeof query>, now: number): AuditFilter {
  const { category = null, action = null, outcome = null, since, until } = asked;
  return {
    category,
    action,
    outcome,
    username: asked.actor?.toLowerCase() ?? null,
    subjectId: idOf(asked.subject_id),
    driveId: idOf(asked.drive_id),
    since: since === undefined ? null : instantBefore("since", since, now),
    until: until === undefined ? null : instantBefore("until", until, now),
  };
}

/** As it is stored: that of a backup or a setting is no identifier of ours. */
function idOf(text: string | undefined): string | null {
  return text === undefined ? null : (parseId(text) ?? text);
}

async function* linesOf(
  pages: AsyncIterable<readonly AuditEvent[]>,
  context: RequestContext,
): AsyncGenerator<Uint8Array> {
  const encoder = new TextEncoder();
  for await (const events of pages) {
    context.keepAlive();
    if (events.length > 0)
      yield encoder.encode(events.map((event) => `${jsonLine(auditRecord(event))}\n`).join(""));
  }
}
