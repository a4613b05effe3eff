import { hashSecret } from "../../domain/accounts/api-key.ts";
import { type Caller, isSession } from "../../domain/accounts/caller.ts";
import type { AuditActor, AuditSubject } from "../../domain/audit/audit-event.ts";
import { MORE_REFUSED, type RefusalReason, type RefusedAction } from "../../domain/audit/audit-reasons.ts";
import type { Origin } from "../../domain/audit/origin.ts";
import { keySubject, userSubject } from "../../domain/audit/subjects.ts";
import { WriteRefused } from "../../domain/errors.ts";
import type { Parts } from "../parts.ts";
import { Service } from "../service.ts";
import type { Audit } from "./audit.ts";

const MINUTE_MS = 60_000;

/** How many different refusals of a minute have an event each; the rest shares one for each action. */
const EACH_MINUTE = 50;

/** So many wait to be written, on a disk that takes no more; then those of each action share one until it does. */
const UNWRITTEN = 1000;

/** At most one write is begun in so long, in milliseconds: whoever is refused could else keep the disk busy. */
const PAUSE_MS = 1000;

type RefusedSignIn = Extract<
  RefusalReason<"session.created">,
  "wrong_password" | "rate_limited" | "provider"
>;

type RefusedFacts = {
  [A in RefusedAction]: {
    readonly action: A;
    readonly subject: AuditSubject | null;
    readonly detail: { readonly reason: RefusalReason<A> };
  };
}[RefusedAction];

interface Attempt {
  readonly actor: AuditActor;
  readonly origin: Origin | null;
  readonly facts: RefusedFacts;
}

/** The same refusal, as often as it happens within a minute. */
interface Series {
  readonly attempt: Attempt;
  readonly startedAt: number;
  lastAt: number;
  /** How often it happened since it was written last. */
  unwritten: number;
  /** Of its event; null until it is written. */
  pk: number | null;
}

/**
 * Who tried what and was refused. Anybody can cause these events, as often as they like, so they are gathered and
 * written a moment later: the same ones of a minute as one event.
 */
export class RefusedAttempts extends Service<Pick<Parts, "tables" | "clock" | "log"> & { audit: Audit }> {
  #series = new Map<string, Series>();
  /** What is more than has a series each: by action, so that who asks for one finds all of it, and nothing else. */
  readonly #more = new Map<RefusedAction, Series>();
  readonly #unwritten = new Set<Series>();
  #minute = 0;
  #flushedAt = -Infinity;
  #flushed: Promise<void> = Promise.resolve();

  /** @param username as typed; kept only if a user has it, as people type passwords there. Null if none was typed. */
  signIn(username: string | null, reason: RefusedSignIn, origin: Origin): void {
    const user = username === null ? null : this.parts.tables.users.byUsername(username.toLowerCase());
    const isOff = user !== null && user.disabledAt !== null;
    const known = user === null && reason === "wrong_password" ? "unknown_user" : reason;
    this.#note({
      actor: { kind: "anonymous", id: null, name: null, username: user?.username ?? null },
      origin,
      facts: {
        action: "session.created",
        subject: user && userSubject(user),
        detail: { reason: isOff && known === "wrong_password" ? "disabled" : known },
      },
    });
  }

  /** The current password was wrong. */
  passwordChange(caller: Caller): void {
    const actor = this.parts.audit.actorOf(caller);
    const subject = { kind: "user", id: actor.id, name: actor.name } as const;
    const facts = { action: "password.changed", subject, detail: { reason: "wrong_password" } } as const;
    this.#note({ actor, origin: caller.origin ?? null, facts });
  }

  /** A request was refused that brought a key: is noted if that was a key once. Others are typing errors, or guesses. */
  key(secret: string, origin: Origin): void {
    const { tables, clock } = this.parts;
    const [hash, now] = [hashSecret(secret), clock.now()];
    const isValid = tables.apiKeys.callerOf(hash, now) !== null;
    const key = isValid ? null : tables.knownKeys.refused(hash, now);
    if (key === null) return;
    const { username, reason } = key;
    this.#note({
      actor: { kind: "anonymous", id: null, name: null, username },
      origin,
      facts: { action: "key.used", subject: keySubject(key), detail: { reason } },
    });
  }

  /**
   * Somebody was refused what only administrators may do. A rule can refuse these too, as that the last one stays:
   * that is no attempt. @param route such as `GET /v0/users`
   */
  administration(caller: Caller, route: string, origin: Origin): void {
    if (isSession(caller) && this.parts.tables.users.existing(caller.userPk).admin !== null) return;
    const subject = { kind: "route", id: null, name: route } as const;
    this.#note({
      actor: this.parts.audit.actorOf(caller),
      origin,
      facts: { action: "admin.requested", subject, detail: { reason: "forbidden" } },
    });
  }

  /** Writes what is not written yet. Throws `WriteRefused` on a full disk, and what is not written stays for the next. */
  flush(): Promise<void> {
    this.#flushed = this.#flushed.then(
      () => this.#write(),
      () => this.#write(),
    );
    return this.#flushed;
  }

  /** The same, where a full disk is no reason to fail. */
  async tryFlush(): Promise<void> {
    try {
      await this.flush();
    } catch (error) {
      if (!(error instanceof WriteRefused)) throw error;
    }
  }

  #note(attempt: Attempt): void {
    const now = this.parts.clock.now();
    const series = this.#seriesOf(attempt, now);
    series.unwritten += 1;
    series.lastAt = now;
    this.#unwritten.add(series);
    // A clock that was set back must not hold up writes until then. What is left is written by the server's own timer.
    if (now >= this.#flushedAt && now < this.#flushedAt + PAUSE_MS) return;
    this.#flushedAt = now;
    this.flush().catch((error: unknown) => {
      if (!(error instanceof WriteRefused)) this.parts.log.error("refusals are not recorded", { error });
    });
  }

  #seriesOf(attempt: Attempt, now: number): Series {
    const minute = Math.floor(now / MINUTE_MS);
    if (minute !== this.#minute) {
      this.#series = new Map();
      if (this.#unwritten.size < UNWRITTEN) this.#more.clear();
      this.#minute = minute;
    }
    const name = nameOf(attempt);
    const hasRoom = this.#series.size < EACH_MINUTE && this.#unwritten.size < UNWRITTEN;
    if (this.#series.has(name) || hasRoom)
      return this.#series.getOrInsertComputed(name, () => begun(attempt, now));
    const { action } = attempt.facts;
    return this.#more.getOrInsertComputed(action, () => begun(moreOf(action), now));
  }

  async #write(): Promise<void> {
    if (this.#unwritten.size === 0) return;
    const written = await this.parts.tables.writeFromReserve(() =>
      Array.from(this.#unwritten, (series) => ({ series, count: series.unwritten, pk: this.#put(series) })),
    );
    for (const { series, count, pk } of written) {
      series.pk = pk;
      // It may have happened again while the write was under way.
      series.unwritten -= count;
      if (series.unwritten === 0) this.#unwritten.delete(series);
    }
  }

  /** Inside a write. */
  #put({ attempt, startedAt, lastAt, unwritten, pk }: Series): number {
    if (pk !== null) {
      this.parts.tables.auditEvents.countAgain(pk, unwritten, lastAt);
      return pk;
    }
    const { actor, origin, facts } = attempt;
    return this.parts.audit.put(facts, {
      actor,
      origin,
      outcome: "refused",
      count: unwritten,
      at: startedAt,
      lastAt,
    });
  }
}

function begun(attempt: Attempt, now: number): Series {
  return { attempt, startedAt: now, lastAt: now, unwritten: 0, pk: null };
}

/** Stands for many, of anybody and from anywhere. */
function moreOf(action: RefusedAction): Attempt {
  return {
    actor: { kind: "anonymous", id: null, name: null, username: null },
    origin: null,
    facts: { action, subject: null, detail: { reason: MORE_REFUSED } },
  };
}

function nameOf({ actor, origin, facts }: Attempt): string {
  const { action, subject, detail } = facts;
  return JSON.stringify([
    action,
    actor.id,
    subject?.id ?? subject?.name ?? null,
    origin?.address ?? null,
    detail.reason,
  ]);
}
