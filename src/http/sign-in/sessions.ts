import { Type } from "@sinclair/typebox";
import { bucketOf, type Caller } from "../../domain/accounts/caller.ts";
import type { ListedSession } from "../../domain/accounts/sign-in.ts";
import { formatInstant } from "../../domain/time.ts";
import type { Sessions } from "../../services/accounts/sessions.ts";
import { operation, tagged } from "../operation/route.ts";
import { examplePassword, type SessionRecord, sessionSchema } from "../records/account-schemas.ts";
import { deletedOf, givenPassword, id, newPassword } from "../operation/schema.ts";
import { asData, deletedRecord, write } from "../operation/write.ts";
import { SESSION_COOKIE, tokenIn } from "../gate/session-cookie.ts";
import type { Clock } from "../../process/clock.ts";
import { CofferError } from "../../domain/errors.ts";
import type { Services } from "../../services/services.ts";
import { SignInThrottle } from "../limits/guess-throttle.ts";

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
function ownToken(request: Request, caller: Caller): string | null {
  return caller.keyId === null ? tokenIn(request, SESSION_COOKIE) : null;
}

export function sessions(service: Sessions) {
  return tagged("Account", [
    operation("GET", "/v0/sessions", {
      operationId: "listSessions",
      summary: "List sessions",
      person: true,
      answers: {
        description: "The sessions, oldest first.",
        json: Type.Object({ data: Type.Array(sessionSchema) }),
      },
      handle: ({ request, caller }) =>
        Response.json({ data: service.list(caller, ownToken(request, caller)).map(sessionRecord) }),
    }),
    write("DELETE", "/v0/sessions", {
      operationId: "endSessions",
      summary: "Sign out everywhere",
      description:
        "Ends all sessions of the account at once, including the one that sends the request. Keys keep working.",
      person: true,
      audited: true,
      answers: {
        description: "Signed out.",
        json: Type.Object({
          data: Type.Object({
            deleted_count: Type.Integer({ description: "The number of ended sessions." }),
          }),
        }),
      },
      perform: ({ caller }, reply) =>
        service.endAll(caller, reply.with(asData((ended) => ({ deleted_count: ended })))),
    }),
    write("DELETE", "/v0/sessions/:id", {
      operationId: "endSession",
      summary: "End a session",
      person: true,
      params: Type.Object({ id: id("The session's identifier.") }),
      audited: true,
      answers: {
        description: "The session has ended.",
        json: Type.Object({ data: deletedOf("The ended session.") }),
      },
      perform: ({ params, caller }, reply) =>
        service.endOne(caller, params.id, reply.with(asData(deletedRecord))),
    }),
  ]);
}

export function password(
  {
    accounts,
    knownClients,
    refusedAttempts,
  }: Pick<Services, "accounts" | "knownClients" | "refusedAttempts">,
  clock: Clock,
) {
  // Without this, a session that was left open could be used to guess the password.
  const throttle = new SignInThrottle("change the password", knownClients, clock);
  return write("POST", "/v0/account/password", {
    operationId: "changePassword",
    tag: "Account",
    summary: "Change your password",
    description:
      "Ends all other sessions of the account; keys keep working. Needs a session: all keys get 403, and so do accounts that sign in at a provider.",
    signedIn: true,
    body: Type.Object({
      current: givenPassword("The current password."),
      password: newPassword("The new password"),
    }),
    example: { current: examplePassword, password: "another one of your own" },
    audited: true,
    answers: {
      description: "The password is changed.",
      json: Type.Object({ data: Type.Object({ changed: Type.Literal(true) }) }),
    },
    perform: ({ request, context, body, caller }, reply) => {
      const change = { ...body, token: ownToken(request, caller) ?? "" };
      const answer = reply.with(() => ({ json: { data: { changed: true } } }));
      return throttle
        .attempt(
          { client: context.client, account: bucketOf(caller) },
          () => accounts.changePassword(caller, change, answer),
          isWrong,
        )
        .catch((error: unknown) => {
          if (isWrong(error)) refusedAttempts.passwordChange(caller);
          throw error;
        });
    },
  });
}

/** Whether the current password was wrong. */
function isWrong(error: unknown): boolean {
  return error instanceof CofferError && error.field === "current";
}
