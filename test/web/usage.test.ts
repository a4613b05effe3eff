import { expect, test } from "bun:test";
import type { ServerUsageDay, UsageDay } from "../../web/lib/api/types.ts";
import { lastDays, scaleOf, seriesOf } from "../../web/lib/usage.ts";

const DAYS = ["2030-01-30", "2030-01-31", "2030-02-01"];

/** What a key, or who a word says, did on a day. */
function entry(who: string, day: string, requests: number): UsageDay {
  const by = who === "session" || who === "other" ? who : "key";
  const none = { client_errors: 0, server_errors: 0, bytes_received: 0, bytes_sent: 0 };
  return { by, key_id: by === "key" ? who : null, key_name: null, day, requests, ...none };
}

/** The same of a server. */
function serverEntry(key: string | null, user: string | null, by: ServerUsageDay["by"]): ServerUsageDay {
  return { ...entry("session", "2030-01-31", 1), by, key_id: key, user_id: user, username: user };
}

test("the last days end with today in UTC, wherever the reader is", () => {
  expect(lastDays(3, Date.parse("2030-02-01T23:59:59Z"))).toEqual(DAYS);
  expect(lastDays(3, Date.parse("2030-02-01T00:00:00Z"))).toEqual(DAYS);
});

test("each has a value for each day, who did most comes first, and who did nothing does not come", () => {
  const entries = [
    entry("a", "2030-01-30", 1),
    entry("session", "2030-01-31", 5),
    entry("a", "2030-02-01", 2),
    entry("b", "2030-01-31", 0),
    entry("c", "2030-01-29", 100),
  ];
  expect(seriesOf(entries, DAYS, "requests")).toEqual([
    { of: entry("session", "2030-01-31", 5), values: [0, 5, 0], total: 5 },
    { of: entry("a", "2030-01-30", 1), values: [1, 0, 2], total: 3 },
  ]);
  expect(seriesOf(entries, DAYS, "bytes_sent")).toEqual([]);
});

test("on a server two keys of one user are two, and a user is one, as a word is", () => {
  const entries = [
    serverEntry("a", "ada", "key"),
    serverEntry("b", "ada", "key"),
    serverEntry(null, "ada", "user"),
    serverEntry(null, "bob", "user"),
    serverEntry(null, null, "session"),
  ];
  expect(seriesOf(entries, DAYS, "requests").map((series) => series.of)).toEqual(entries);
});

test("beyond five, and with those that the server has put together, they are one series, the last", () => {
  const seven = Array.from("abcdefg", (who, at) => entry(who, "2030-01-31", 10 - at));
  const shown = seriesOf([...seven, entry("other", "2030-02-01", 100)], DAYS, "requests");
  expect(shown.map(({ of }) => of?.key_id)).toEqual(["a", "b", "c", "d", "e", undefined]);
  expect(shown.at(-1)).toEqual({ of: null, values: [0, 5 + 4, 100], total: 109 });
});

test.each([
  [0, false, [0, 1]],
  [1, false, [0, 1]],
  [3, false, [0, 1, 2, 3]],
  [17, false, [0, 5, 10, 15, 20]],
  [4000, false, [0, 1000, 2000, 3000, 4000]],
  [3, true, [0, 1, 2, 3]],
  [900 * 1024, true, [0, 500 * 1024, 1000 * 1024]],
  [5 * 1024 ** 3, true, [0, 2 * 1024 ** 3, 4 * 1024 ** 3, 6 * 1024 ** 3]],
])("a scale to %d, in bytes %p", (most, inBytes, steps) => {
  expect(scaleOf(most, inBytes)).toEqual(steps);
});

test("a scale has few steps, whatever it is of", () => {
  for (let most = 1; most < 1e15; most = Math.ceil(most * 1.37)) {
    for (const inBytes of [false, true]) {
      const scale = scaleOf(most, inBytes);
      expect([most, scale.length <= 5, (scale.at(-1) ?? 0) >= most]).toEqual([most, true, true]);
    }
  }
});
