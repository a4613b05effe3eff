import { expect, spyOn, test } from "bun:test";
import { auditEvents } from "../../../src/db/audit/audit-events.ts";
import { openDatabase } from "../../support/server/open-database.ts";

test("each list of events is read in the order of one index, from where it goes on", async () => {
  await using opened = await openDatabase();
  const { sql } = opened.database;
  const prepare = spyOn(sql, "prepare");
  auditEvents(opened.database);
  const lists = prepare.mock.calls.map(([text]) => text).filter((text) => text.includes("ORDER BY at DESC"));
  prepare.mockRestore();
  const plans = lists.map((text) =>
    sql
      .query<{ detail: string }, []>(`EXPLAIN QUERY PLAN ${text}`)
      .all()
      .map(({ detail }) => detail.replace("SEARCH audit_event USING INDEX audit_event_", "")),
  );
  expect(plans.flat().toSorted()).toEqual([
    "age (at>? AND at<?)",
    "category (category=? AND at>? AND at<?)",
    "drive (drive_id=? AND at>? AND at<?)",
    "subject (subject_id=? AND at>? AND at<?)",
    "username (username=? AND at>? AND at<?)",
  ]);
});
