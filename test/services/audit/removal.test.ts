import { describe, expect } from "bun:test";
import { AUDIT_EVENTS, REVOKED_KEYS } from "../../../src/domain/audit/audit-event.ts";
import { DAY_MS } from "../../../src/domain/time.ts";
import { ask, type OpenedServices, openOwnServices, sweep } from "../../support/server/services-drive.ts";
import { testWith } from "../../support/server/test-with.ts";

const it = testWith(openOwnServices);

/** Adds an event. @param serial its number among those with its outcome */
function add(opened: OpenedServices, id: string, outcome: string, serial: number, at = opened.clock.now()) {
  return opened.database.write(() =>
    opened.database.sql.run(
      `INSERT INTO audit_event (id, at, category, action, outcome, serial, last_at, actor_kind, detail)
       VALUES (?1, ?2, 'sign_in', 'session.created', ?3, ?4, ?2, 'anonymous', '{}')`,
      [id, at, outcome, serial],
    ),
  );
}

describe("a sweep", () => {
  it("leaves what was done, however many refusals there are, and removes the oldest of each", async (opened) => {
    const { success, refused } = AUDIT_EVENTS;
    for (const [id, outcome, serial] of [
      ["done 1", "success", 1],
      ["refused 1", "refused", 1],
      ["refused 2", "refused", 2],
      ["done 2", "success", 2],
      ["refused 3", "refused", 3],
      ["refused 4", "refused", refused + 2],
    ] as const)
      await add(opened, id, outcome, serial);
    await sweep(opened);
    const kept = () => ask(opened, "SELECT id FROM audit_event ORDER BY id");
    expect(kept()).toEqual(["done 1", "done 2", "refused 3", "refused 4"]);
    await add(opened, "done 3", "success", success + 1);
    await sweep(opened);
    expect(kept()).toEqual(["done 2", "done 3", "refused 3", "refused 4"]);
  });

  it("removes events once they are as old as they may be", async (opened) => {
    const now = opened.clock.now();
    await add(opened, "old", "success", 1, now - 365 * DAY_MS);
    await add(opened, "old refusal", "refused", 1, now - 400 * DAY_MS);
    await add(opened, "young", "success", 2, now - 365 * DAY_MS + 1);
    await sweep(opened);
    expect(ask(opened, "SELECT id FROM audit_event")).toEqual(["young"]);
  });

  it("forgets the keys that were revoked first", async (opened) => {
    const revoke = (pk: number) =>
      opened.database.write(() =>
        opened.database.sql.run(
          "INSERT INTO revoked_key (pk, hash, id, name, username) VALUES (?1, ?1, ?1, '', 'ada')",
          [pk],
        ),
      );
    for (const pk of [1, 2, REVOKED_KEYS + 1]) await revoke(pk);
    await sweep(opened);
    expect(ask(opened, "SELECT pk FROM revoked_key ORDER BY pk")).toEqual([2, REVOKED_KEYS + 1]);
  });
});
