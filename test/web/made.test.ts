import { expect, test } from "bun:test";
import { madeBy } from "../../web/lib/words/made.ts";

const nothing = { keys: 0, links: 0, webhooks: 0, members: 0 };

test("what goes with a key, in words", () => {
  expect([madeBy(nothing), madeBy({ ...nothing, keys: 3 })]).toEqual(["", "the 3 keys it made"]);
  expect(madeBy({ ...nothing, keys: 1, members: 1 })).toBe("the 1 key and 1 membership it made");
  expect(madeBy({ keys: 2, links: 1000, webhooks: 1, members: 2 })).toBe(
    "the 2 keys, 1,000 links or more, 1 webhook, and 2 memberships it made",
  );
});
