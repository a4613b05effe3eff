import type { Within } from "../../db/engine/database.ts";
import { hashSecret } from "../../domain/accounts/api-key.ts";
import { type Caller, requirePerson, type SessionCaller } from "../../domain/accounts/caller.ts";
import { notFound } from "../../domain/errors.ts";
import { newId, parseId, type SessionId } from "../../domain/id.ts";
import {
  type ListedSession,
  newToken,
  SESSION_LIFETIME_MS,
  SESSION_TOUCH_MS,
  SESSIONS_A_USER,
  USER_AGENT_CHARACTERS,
} from "../../domain/accounts/sign-in.ts";
import type { User } from "../../domain/accounts/user.ts";
import type { AuditDetail } from "../../domain/audit/audit-event.ts";
import { SESSION_END_REASON } from "../../domain/audit/audit-reasons.ts";
import type { Origin } from "../../domain/audit/origin.ts";
import { sessionSubject, userSubject } from "../../domain/audit/subjects.ts";
import { userActor } from "../audit/audit.ts";
import type { Parts } from "../parts.ts";
import { Service } from "../service.ts";
import type { ClockWatch } from "../upkeep/clock-watch.ts";
import { LastUses } from "./usage.ts";

export interface SignedIn {
  readonly caller: SessionCaller;
  /** Only for the browser's cookie. */
  readonly token: string;
}

const PIECE = 200;

/** Sessions. One ends 30 days after its last use. */
export class Sessions extends Service<
  Pick<Parts, "tables" | "access" | "audit" | "clock"> & { watch: ClockWatch }
> {
  readonly #lastUses = new LastUses<SessionId>();

  authenticate(token: string): SessionCaller | null {
    const now = this.parts.clock.now();
    const holder = this.parts.tables.sessions.holder(hashSecret(token), now);
    if (holder === null) return null;
    if (now - holder.lastUsedAt >= SESSION_TOUCH_MS) this.#lastUses.note(holder.id, now);
    return callerOf(holder.id, holder);
  }

  /** Begins a session for a user; the token is shown only once. Inside a write. */
  begin(user: User, userAgent: string): SignedIn {
    const { token, hash } = newToken();
    const now = this.parts.clock.now();
    const sessionId = newId<SessionId>(now);
    const { plan, id: userId, pk: userPk } = user;
    this.parts.tables.sessions.insert({
      id: sessionId,
      hash,
      user: userPk,
      userAgent: userAgent.slice(0, USER_AGENT_CHARACTERS).toWellFormed(),
      createdAt: now,
      expiresAt: now + SESSION_LIFETIME_MS,
    });
    this.parts.tables.sessions.removeOldest(userPk, sessionId, SESSIONS_A_USER);
    return { caller: callerOf(sessionId, { plan, userId, userPk }), token };
  }

  /** Ends the session of a token, if there is one. */
  async end(token: string, origin: Origin): Promise<void> {
    await this.parts.tables.writeFromReserve(() => this.#end(token, origin, {}));
  }

  /** The same, as somebody signs in in the browser that has the token, perhaps as another user. Inside a write. */
  endFormer(token: string, origin: Origin): void {
    this.#end(token, origin, { reason: SESSION_END_REASON });
  }

  #end(token: string, origin: Origin, detail: AuditDetail): void {
    const { tables, audit, clock } = this.parts;
    const hash = hashSecret(token);
    const holder = tables.sessions.holder(hash, clock.now());
    tables.sessions.removeByHash(hash);
    if (holder === null) return;
    const actor = userActor(tables.users.existing(holder.userPk));
    audit.addBy(actor, origin, { action: "session.ended", subject: sessionSubject(holder.id), detail });
  }

  /** The caller's sessions, oldest first. Throws FORBIDDEN. @param token of the session that asks; null for a key */
  list(caller: Caller, token: string | null = null): ListedSession[] {
    const { userPk } = requirePerson(caller);
    const now = this.parts.clock.now();
    const current = token === null ? null : this.parts.tables.sessions.holder(hashSecret(token), now);
    return this.parts.tables.sessions
      .ofUser(userPk, now)
      .map((session) => ({ ...session, isCurrent: session.id === current?.id }));
  }

  /** Ends one of the caller's sessions. Throws FORBIDDEN, and NOT_FOUND for any other. */
  async endOne(caller: Caller, reference: string, within?: Within<SessionId>): Promise<SessionId> {
    const { userPk } = requirePerson(caller);
    const id = parseId<SessionId>(reference);
    if (id === null) throw notFound("session");
    return this.parts.access.writeFromReserve(caller, within, () => {
      if (!this.parts.tables.sessions.removeOne(id, userPk)) throw notFound("session");
      this.parts.audit.add(caller, { action: "session.ended", subject: sessionSubject(id) });
      return id;
    });
  }

  /** Ends all of the caller's sessions. Returns how many. Throws FORBIDDEN unless the caller acts for a person. */
  endAll(caller: Caller, within?: Within<number>): Promise<number> {
    const { userPk } = requirePerson(caller);
    const { access, audit, tables } = this.parts;
    return access.writeFromReserve(caller, within, () => {
      const ended = tables.sessions.removeAllOf(userPk);
      const subject = userSubject(tables.users.existing(userPk));
      audit.add(caller, { action: "session.ended", subject, detail: { sessions: ended } });
      return ended;
    });
  }

  /** Writes which sessions were used, which extends them. */
  flushUse(): Promise<void> {
    const { tables } = this.parts;
    return this.#lastUses.flush(tables, ({ id, at }) =>
      tables.sessions.touch(id, at, at + SESSION_LIFETIME_MS),
    );
  }

  /** Removes expired sessions, in batches; none while the clock is doubted. */
  async removeExpired(): Promise<void> {
    const now = await this.parts.watch.trustedNow();
    if (now === null) return;
    const removeSome = () =>
      this.parts.tables.writeFromReserve(() => this.parts.tables.sessions.removeExpired(now, PIECE));
    while ((await removeSome()) === PIECE);
  }
}

function callerOf(
  sessionId: SessionId,
  { plan, userId, userPk }: Pick<SessionCaller, "plan" | "userId" | "userPk">,
): SessionCaller {
  return { kind: "account", keyId: null, sessionId, scope: "read-write", plan, userId, userPk };
}
