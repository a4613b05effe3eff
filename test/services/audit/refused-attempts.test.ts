import { describe, expect } from "bun:test";
import { setImmediate as nextTurn } from "node:timers/promises";
import type { Origin } from "../../../src/domain/audit/origin.ts";
import { WriteMeter } from "../../support/meters/write-meter.ts";
import {
  addCaller,
  callerWith,
  type OpenedServices,
  openOwnServices,
} from "../../support/server/services-drive.ts";
import { testWith } from "../../support/server/test-with.ts";

const MINUTE_MS = 60_000;

const it = testWith(openOwnServices);

/** A client with an address of its own. */
function from(n: number): Origin {
  return { address: `192.0.2.${n}`, userAgent: null, requestId: `request ${n}` };
}

function refuse({ services }: OpenedServices, origin: Origin): void {
  services.refusedAttempts.signIn(null, "provider", origin);
}

/** The events of refusals, in the order of their writes. */
function events({ database }: OpenedServices) {
  return database.sql
    .query<
      { action: string; address: string | null; count: number; reason: string; at: number; last: number },
      []
    >(
      `SELECT action, address, count, detail ->> 'reason' AS reason, at, last_at AS last
         FROM audit_event ORDER BY pk`,
    )
    .all();
}

/** Counts writes, and waits for them. */
class Commits implements Disposable {
  readonly #meter: WriteMeter;
  #next = Promise.withResolvers<void>();

  constructor({ database }: OpenedServices) {
    this.#meter = new WriteMeter(database, () => {
      this.#next.resolve();
      this.#next = Promise.withResolvers();
    });
  }

  get count(): number {
    return this.#meter.count;
  }

  next(): Promise<void> {
    return this.#next.promise;
  }

  [Symbol.dispose](): void {
    this.#meter[Symbol.dispose]();
  }
}

/** Lets whatever would begin do so. */
async function someTurns(): Promise<void> {
  for (let turn = 0; turn < 20; turn += 1) await nextTurn();
}

describe("refusals", () => {
  it("of a minute have an event for each of fifty that differ, and the rest shares one", async (opened) => {
    for (let n = 1; n <= 60; n += 1) refuse(opened, from(n));
    // Those that have their own go on to have it.
    refuse(opened, from(1));
    await opened.services.refusedAttempts.flush();
    const found = events(opened);
    expect(found).toHaveLength(51);
    expect(found[0]).toMatchObject({ address: "192.0.2.1", count: 2, reason: "provider" });
    expect(found[49]).toMatchObject({ address: "192.0.2.50", count: 1 });
    expect(found[50]).toMatchObject({ address: null, count: 10, reason: "too_many_refusals" });
    opened.clock.advance(MINUTE_MS);
    refuse(opened, from(60));
    await opened.services.refusedAttempts.flush();
    expect(events(opened).at(-1)).toMatchObject({ address: "192.0.2.60", count: 1 });
  });

  it("that are too many are summed up by what was tried, so that no action has those of another", async (opened) => {
    const { services } = opened;
    const caller = await addCaller(services, "ada");
    const { secret } = await services.apiKeys.createFor("ada", "", "read-write");
    await services.apiKeys.revoke(caller, callerWith(services, secret).keyId ?? "");
    for (let n = 1; n <= 50; n += 1) refuse(opened, from(n));
    const { refusedAttempts } = services;
    for (let n = 51; n <= 53; n += 1) {
      refuse(opened, from(n));
      refusedAttempts.administration(caller, "GET /v0/users", from(n));
      refusedAttempts.key(secret, from(n));
    }
    refusedAttempts.passwordChange(caller);
    await refusedAttempts.flush();
    const more = events(opened).filter(({ reason }) => reason === "too_many_refusals");
    expect(more.map(({ action, count, address }) => [action, count, address])).toEqual([
      ["session.created", 3, null],
      ["admin.requested", 3, null],
      ["key.used", 3, null],
      ["password.changed", 1, null],
    ]);
  });

  it("that are the same are one event in a minute, from the first to the last", async (opened) => {
    const { clock, services } = opened;
    const startedAt = clock.now();
    for (let n = 0; n < 4; n += 1) {
      refuse(opened, from(1));
      clock.advance(15_000);
      await services.refusedAttempts.flush();
    }
    refuse(opened, from(1));
    await services.refusedAttempts.flush();
    expect(events(opened)).toMatchObject([
      { count: 4, at: startedAt, last: startedAt + 45_000 },
      { count: 1, at: startedAt + MINUTE_MS, last: startedAt + MINUTE_MS },
    ]);
  });

  it("begin one write in a second, however many there are, and none is lost", async (opened) => {
    using commits = new Commits(opened);
    for (let second = 1; second <= 5; second += 1) {
      const written = commits.next();
      refuse(opened, from(second));
      await written;
      for (let n = 0; n < 20; n += 1) {
        refuse(opened, from(n));
        await nextTurn();
      }
      await someTurns();
      expect(commits.count).toBe(second);
      opened.clock.advance(1000);
    }
    await opened.services.refusedAttempts.flush();
    expect(commits.count).toBe(6);
    expect(events(opened).reduce((sum, { count }) => sum + count, 0)).toBe(5 * 21);
    await opened.services.refusedAttempts.flush();
    expect(commits.count).toBe(6);
  });

  it("are written soon also after the clock was set back", async (opened) => {
    using commits = new Commits(opened);
    const first = commits.next();
    refuse(opened, from(1));
    await first;
    opened.clock.set(-MINUTE_MS);
    const second = commits.next();
    refuse(opened, from(2));
    await second;
    expect(events(opened)).toHaveLength(2);
  });

  it("are told of also where the key has gone meanwhile", async (opened) => {
    const { services, database } = opened;
    const caller = await addCaller(services, "ada");
    services.refusedAttempts.administration(caller, "POST /v0/users", from(1));
    await services.apiKeys.revoke(caller, caller.keyId ?? "");
    services.refusedAttempts.administration(caller, "GET /v0/users", from(1));
    await services.refusedAttempts.flush();
    const told = database.sql.query(
      "SELECT subject_name, username FROM audit_event WHERE action = 'admin.requested' ORDER BY pk",
    );
    expect(told.values()).toEqual([
      ["POST /v0/users", "ada"],
      ["GET /v0/users", null],
    ]);
  });

  it("that nobody can write take no more memory from minute to minute", async (opened) => {
    const { clock, services } = opened;
    const caller = await addCaller(services, "ada");
    const before = events(opened).length;
    // No write ends before this turn does.
    for (let minute = 0; minute < 60; minute += 1) {
      for (let n = 0; n < 50; n += 1) refuse(opened, from(n));
      services.refusedAttempts.administration(caller, "GET /v0/users", from(minute));
      clock.advance(MINUTE_MS);
    }
    await services.refusedAttempts.flush();
    const found = events(opened).slice(before);
    expect(found.length).toBeLessThanOrEqual(1000 + 2);
    expect(found.reduce((sum, { count }) => sum + count, 0)).toBe(60 * 51);
  });
});
