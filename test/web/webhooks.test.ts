import { expect, test } from "bun:test";
import { CHANGE_TYPES } from "../../src/domain/changes/change-types.ts";
import { parseEvents, wants } from "../../src/domain/webhooks/webhook.ts";
import type { Delivery, Webhook } from "../../web/lib/api/types.ts";
import { choiceOf, eventsOf, GROUPS, isPlain } from "../../web/lib/webhook-choice.ts";
import { stateOf, type WebhookState } from "../../web/lib/webhook-state.ts";

test("the groups are events that the server knows, and together all there are", () => {
  const events = eventsOf({ isAll: false, groups: GROUPS, others: [] });
  expect(parseEvents(events)).toEqual(events);
  expect(CHANGE_TYPES.filter((type) => !wants(events, type))).toEqual([]);
});

test.each([[["*"]], [["file.*", "folder.*"]], [["file.*", "folder.deleted", "comment.created"]]])(
  "%j stays as it is in a form that changes nothing",
  (events) => expect(eventsOf(choiceOf(events))).toEqual(events),
);

test("everything leaves no other choice", () => {
  expect(eventsOf({ isAll: true, groups: ["file"], others: ["folder.deleted"] })).toEqual(["*"]);
});

const delivery = (state: Delivery["state"]): Delivery => ({
  id: "one",
  type: "file.created",
  state,
  attempts: 1,
  status: 200,
  error: null,
  next_at: null,
  created_at: "2030-01-31T12:00:00.000Z",
});

test.each<[Partial<Webhook>, WebhookState]>([
  [{}, "unused"],
  [{ last_delivery: delivery("delivered") }, "working"],
  [{ last_delivery: delivery("pending") }, "failing"],
  [{ last_delivery: delivery("failed") }, "failing"],
  [{ last_delivery: delivery("delivered"), disabled_at: "2030-01-31T12:00:00.000Z" }, "disabled"],
])("a webhook with %j is %s", (facts, state) => {
  const webhook: Webhook = {
    id: "hook",
    url: "https://agent.example/hook",
    events: ["*"],
    drive_id: null,
    created_at: "2030-01-31T12:00:00.000Z",
    made_by: null,
    disabled_at: null,
    disabled_reason: null,
    last_delivery: null,
  };
  expect(stateOf({ ...webhook, ...facts })).toBe(state);
});

test.each([
  ["https://agent.example/http://", false],
  [" HTTP://agent.example", true],
  ["agent.example", false],
])("what is sent to %j can be read on the way: %s", (url, isSo) => expect(isPlain(url)).toBe(isSo));
