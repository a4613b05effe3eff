import { Type } from "@sinclair/typebox";
import {
  ALL_AUDIT_ACTIONS,
  AUDIT_ACTORS,
  AUDIT_OUTCOMES,
  AUDIT_SUBJECTS,
} from "../../domain/audit/audit-actions.ts";
import * as t from "../operation/schema.ts";

const actorSchema = Type.Object({
  kind: t.oneOf(AUDIT_ACTORS, {
    description:
      "`user`: with a session. `application`: with a key that a person gave it. `command`: whoever runs commands on the server. `anonymous`: who did not prove who they are.",
  }),
  id: t.nullableId("Of the user, or of the key."),
  name: t.nullableText("The name of the user or key as it was then, or the command."),
  username: t.nullableText(
    "Whose account it acts for; of a refused sign-in or key, whose it was meant to be.",
  ),
});

const subjectSchema = Type.Object({
  kind: t.oneOf(AUDIT_SUBJECTS),
  id: t.nullableText("Its identifier, if it has one; of a version, that of the file."),
  name: t.nullableText("Its name or path as it was then."),
});

/** An event of the audit log; see `auditRecord`. */
export const auditEventSchema = t.record(
  "AuditEvent",
  {
    id: t.id("Sorts by time."),
    at: t.time("When it happened."),
    action: t.oneOf(ALL_AUDIT_ACTIONS, {
      description: "What was done, or tried.",
      examples: ["key.created"],
    }),
    outcome: t.oneOf(AUDIT_OUTCOMES, {
      description: "`key.used` and `admin.requested` are recorded only where they were refused.",
      examples: ["success"],
    }),
    count: Type.Integer({
      minimum: 1,
      description: "How often: the same refusal within a minute is one event.",
      examples: [1],
    }),
    last_at: t.time("When it happened the last time."),
    actor: actorSchema,
    subject: t.nullable(subjectSchema),
    drive_id: t.nullableId("The drive that it is about, if it is about one."),
    address: t.nullableText(
      "The IP address of the client, as the server sees it behind proxies that it trusts; null for what was no request.",
      "203.0.113.7",
    ),
    user_agent: t.nullableText("The start of the client's User-Agent.", "curl/8.14"),
    request_id: t.nullableText("As in `X-Request-Id` of the response, and in the server's log."),
    detail: Type.Record(
      Type.String(),
      Type.Union([Type.String(), Type.Number(), Type.Boolean(), Type.Null()]),
      { description: "More of what was done: never a secret, and never a file's content." },
    ),
  },
  {
    actor: { kind: "user", id: "01976f5e-5d7a-7000-8000-3c5d1a2b4e6f", name: "ada", username: "ada" },
    subject: { kind: "key", id: "01976f5e-7c9b-7000-8000-5d3e1f2a4b6c", name: "Research agent" },
    drive_id: null,
    request_id: "0d9b1f52-6f3c-4b8e-9a53-1c2d3e4f5a6b",
    detail: { scope: "read-write" },
  },
);

export type AuditEventRecord = t.RecordOf<typeof auditEventSchema>;
