import { Type } from "@sinclair/typebox";
import type { Caller } from "../../domain/accounts/caller.ts";
import type { ListedSession } from "../../domain/accounts/session.ts";
import { formatInstant } from "../../domain/time.ts";
import type { Sessions } from "../../services/accounts/sessions.ts";
import { operation } from "../operation/route.ts";
import { type SessionRecord, sessionSchema } from "../records/account-schemas.ts";
import { deletedOf, id } from "../operation/schema.ts";
import { write } from "../operation/write.ts";
import { SESSION_COOKIE, tokenIn } from "../gate/session-cookie.ts";

function sessionRecord(session: ListedSession): SessionRecord {
  return {
    id: session.id,
    user_agent: session.userAgent,
    current: session.isCurrent,
    created_at: formatInstant(session.createdAt),
    last_used_at: formatInstant(session.lastUsedAt),
  };
}

/** The token of the session that sent the request; null for a key, even if there is a cookie. */
export function ownToken(request: Request, caller: Caller): string | null {
  return caller.keyId === null ? tokenIn(request, SESSION_COOKIE) : null;
}

export function sessions(service: Sessions) {
  return [
    operation("GET", "/v0/sessions", {
      operationId: "listSessions",
      tag: "Account",
      summary: "List sessions",
      person: true,
      answers: [
        {
          status: 200,
          description: "The sessions, oldest first.",
          json: Type.Object({ data: Type.Array(sessionSchema) }),
        },
      ],
      errors: ["FORBIDDEN"],
      handle: ({ request, caller }) =>
        Response.json({ data: service.list(caller, ownToken(request, caller)).map(sessionRecord) }),
    }),
    write("DELETE", "/v0/sessions", {
      operationId: "endSessions",
      tag: "Account",
      summary: "Sign out everywhere",
      description:
        "Ends all sessions of the account at once, including the one that sends the request. Keys keep working.",
      person: true,
      answers: [
        {
          status: 200,
          description: "Signed out.",
          json: Type.Object({
            data: Type.Object({
              deleted_count: Type.Integer({ description: "The number of ended sessions." }),
            }),
          }),
        },
      ],
      errors: ["STORAGE_FULL"],
      perform: ({ caller }, reply) =>
        service.endAll(
          caller,
          reply.with((ended) => ({ json: { data: { deleted_count: ended } } })),
        ),
    }),
    write("DELETE", "/v0/sessions/:id", {
      operationId: "endSession",
      tag: "Account",
      summary: "End a session",
      person: true,
      params: Type.Object({ id: id("The session's identifier.") }),
      answers: [
        {
          status: 200,
          description: "The session has ended.",
          json: Type.Object({
            data: deletedOf("The ended session."),
          }),
        },
      ],
      errors: ["NOT_FOUND", "STORAGE_FULL"],
      perform: ({ params, caller }, reply) =>
        service.endOne(
          caller,
          params.id,
          reply.with((sessionId) => ({ json: { data: { id: sessionId, deleted: true } } })),
        ),
    }),
  ];
}
