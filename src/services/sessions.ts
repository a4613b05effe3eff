import type { Clock } from "../clock.ts";
import type { Within } from "../db/database.ts";
import type { Tables } from "../db/tables.ts";
import { hashSecret } from "../domain/api-key.ts";
import { type AccountCaller, type Caller, requireAccount } from "../domain/caller.ts";
import { notFound } from "../domain/errors.ts";
import { newId, parseId, type SessionId, type UserPk } from "../domain/id.ts";
import {
  type ListedSession,
  newToken,
  SESSION_LIFETIME_MS,
  SESSION_TOUCH_MS,
  USER_AGENT_CHARACTERS,
} from "../domain/session.ts";

/** How many expired sessions one transaction takes away. */
const PIECE = 200;

/** Who is signed in. A session lives 30 days after its last use. */
export class Sessions {
  readonly #tables: Tables;
  readonly #clock: Clock;
  /** When sessions were last used, where that is not written down yet. */
  readonly #used = new Map<SessionId, number>();

  constructor(parts: { tables: Tables; clock: Clock }) {
    this.#tables = parts.tables;
    this.#clock = parts.clock;
  }

  /** Whoever is signed in with this token; null when nobody is, any more or at all. */
  authenticate(token: string): AccountCaller | null {
    const now = this.#clock.now();
    const holder = this.#tables.sessions.holder(hashSecret(token), now);
    if (holder === null) return null;
    const { id, lastUsedAt, plan, userId, userPk } = holder;
    if (now - lastUsedAt >= SESSION_TOUCH_MS) this.#used.set(id, now);
    return { kind: "account", keyId: null, scope: "read-write", plan, userId, userPk };
  }

  /** Signs a user in; the token, shown this once. Inside a write. */
  begin(user: UserPk, userAgent: string): string {
    const { token, hash } = newToken();
    const now = this.#clock.now();
    this.#tables.sessions.insert({
      id: newId<SessionId>(now),
      hash,
      user,
      userAgent: userAgent.slice(0, USER_AGENT_CHARACTERS).toWellFormed(),
      createdAt: now,
      expiresAt: now + SESSION_LIFETIME_MS,
    });
    return token;
  }

  /** Signs out. A token that stands for nobody is none the worse. */
  end(token: string): Promise<void> {
    return this.#tables.write(() => this.#tables.sessions.removeByHash(hashSecret(token)));
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
    return this.#tables.write(() => {
      if (!this.#tables.sessions.removeOne(id, userPk)) throw notFound("session");
      return id;
    }, within);
  }

  /** Signs the caller out everywhere; of how many sessions. Throws FORBIDDEN for a drive caller. */
  endAll(caller: Caller, within?: Within<number>): Promise<number> {
    const { userPk } = requireAccount(caller);
    return this.#tables.write(() => this.#tables.sessions.removeAllOf(userPk), within);
  }

  /** Writes down which sessions were used, which is kept in memory so that reads stay reads. */
  async flushUse(): Promise<void> {
    if (this.#used.size === 0) return;
    const used = [...this.#used];
    await this.#tables.write(() => {
      for (const [id, at] of used) this.#tables.sessions.touch(id, at, at + SESSION_LIFETIME_MS);
    });
    for (const [id, at] of used) if (this.#used.get(id) === at) this.#used.delete(id);
  }

  /** Takes expired sessions away, in pieces. */
  async removeExpired(): Promise<void> {
    const removeSome = () =>
      this.#tables.write(() => this.#tables.sessions.removeExpired(this.#clock.now(), PIECE));
    while ((await removeSome()) === PIECE);
  }
}
