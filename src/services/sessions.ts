import type { Clock } from "../clock.ts";
import type { Within } from "../db/database.ts";
import type { Tables } from "../db/tables.ts";
import { hashSecret } from "../domain/api-key.ts";
import { type Caller, requireAccount, type SessionCaller } from "../domain/caller.ts";
import { notFound } from "../domain/errors.ts";
import { newId, parseId, type SessionId } from "../domain/id.ts";
import {
  type ListedSession,
  newToken,
  SESSION_LIFETIME_MS,
  SESSION_TOUCH_MS,
  SESSIONS_A_USER,
  USER_AGENT_CHARACTERS,
} from "../domain/session.ts";
import type { User } from "../domain/user.ts";
import type { Access } from "./access.ts";
import { LastUses } from "./last-uses.ts";

/** A session that has just begun. */
export interface SignedIn {
  readonly caller: SessionCaller;
  /** For the browser's cookie, and nowhere else. */
  readonly token: string;
}

/** How many expired sessions one transaction takes away. */
const PIECE = 200;

/** Who is signed in. A session lives 30 days after its last use. */
export class Sessions {
  readonly #tables: Tables;
  readonly #access: Access;
  readonly #clock: Clock;
  readonly #lastUses = new LastUses<SessionId>();

  constructor(parts: { tables: Tables; access: Access; clock: Clock }) {
    this.#tables = parts.tables;
    this.#access = parts.access;
    this.#clock = parts.clock;
  }

  /** Whoever is signed in with this token; null when nobody is, any more or at all. */
  authenticate(token: string): SessionCaller | null {
    const now = this.#clock.now();
    const holder = this.#tables.sessions.holder(hashSecret(token), now);
    if (holder === null) return null;
    const { id, lastUsedAt, plan, userId, userPk } = holder;
    if (now - lastUsedAt >= SESSION_TOUCH_MS) this.#lastUses.note(id, now);
    return { kind: "account", keyId: null, sessionId: id, scope: "read-write", plan, userId, userPk };
  }

  /** Signs a user in; the token is shown this once. Inside a write. */
  begin(user: User, userAgent: string): SignedIn {
    const { token, hash } = newToken();
    const now = this.#clock.now();
    const sessionId = newId<SessionId>(now);
    const { plan, id: userId, pk: userPk } = user;
    this.#tables.sessions.insert({
      id: sessionId,
      hash,
      user: userPk,
      userAgent: userAgent.slice(0, USER_AGENT_CHARACTERS).toWellFormed(),
      createdAt: now,
      expiresAt: now + SESSION_LIFETIME_MS,
    });
    this.#tables.sessions.removeOldest(userPk, SESSIONS_A_USER);
    return {
      caller: { kind: "account", keyId: null, sessionId, scope: "read-write", plan, userId, userPk },
      token,
    };
  }

  /** Signs out. A token that stands for nobody is none the worse. */
  end(token: string): Promise<void> {
    return this.#tables.writeFromReserve(() => this.#tables.sessions.removeByHash(hashSecret(token)));
  }

  /**
   * The caller's sessions, oldest first. Throws FORBIDDEN for a drive caller.
   *
   * @param token of the session that asks; null for a key, which has none
   */
  list(caller: Caller, token: string | null = null): ListedSession[] {
    const { userPk } = requireAccount(caller);
    const now = this.#clock.now();
    const current = token === null ? null : this.#tables.sessions.holder(hashSecret(token), now);
    return this.#tables.sessions
      .ofUser(userPk, now)
      .map((session) => ({ ...session, isCurrent: session.id === current?.id }));
  }

  /** Ends one of the caller's sessions. Throws NOT_FOUND for any other. */
  async endOne(caller: Caller, reference: string, within?: Within<SessionId>): Promise<SessionId> {
    const { userPk } = requireAccount(caller);
    const id = parseId<SessionId>(reference);
    if (id === null) throw notFound("session");
    return this.#access.writeFromReserve(caller, within, () => {
      if (!this.#tables.sessions.removeOne(id, userPk)) throw notFound("session");
      return id;
    });
  }

  /** Signs the caller out everywhere; of how many sessions. Throws FORBIDDEN for a drive caller. */
  endAll(caller: Caller, within?: Within<number>): Promise<number> {
    const { userPk } = requireAccount(caller);
    return this.#access.writeFromReserve(caller, within, () => this.#tables.sessions.removeAllOf(userPk));
  }

  /** Writes down which sessions were used, and so how long they live. */
  flushUse(): Promise<void> {
    const { writeFromReserve, sessions } = this.#tables;
    return this.#lastUses.flush((uses) =>
      writeFromReserve(() => {
        for (const [id, at] of uses) sessions.touch(id, at, at + SESSION_LIFETIME_MS);
      }),
    );
  }

  /** Takes expired sessions away, in pieces. */
  async removeExpired(): Promise<void> {
    const removeSome = () =>
      this.#tables.writeFromReserve(() => this.#tables.sessions.removeExpired(this.#clock.now(), PIECE));
    while ((await removeSome()) === PIECE);
  }
}
