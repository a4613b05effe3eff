import { afterEach, expect, test } from "bun:test";
import { LANGUAGES } from "../../src/domain/accounts/language.ts";
import {
  formatBytes,
  formatDay,
  formatList,
  formatNumber,
  formatRelative,
  sentenceSpace,
} from "../../web/lib/words/format.ts";
import { showCatalogue } from "../../web/lib/words/text.ts";

afterEach(() => showCatalogue("en", {}));

const KIB = 1024;
const MIB = 1024 * KIB;
const GIB = 1024 * MIB;
const TIB = 1024 * GIB;

test.each([
  [0, "0 bytes"],
  [1, "1 byte"],
  [1023, "1023 bytes"],
  [KIB, "1.0 KiB"],
  [9.94 * KIB, "9.9 KiB"],
  [9.96 * KIB, "10 KiB"],
  [1023.4 * KIB, "1023 KiB"],
  [1023.96 * KIB, "1.0 MiB"],
  [MIB - 1, "1.0 MiB"],
  [4.2 * MIB, "4.2 MiB"],
  [GIB - 1, "1.0 GiB"],
  [TIB - 1, "1.0 TiB"],
  [5000 * TIB, "5000 TiB"],
])("%d bytes are %s", (bytes, text) => {
  expect(formatBytes(bytes)).toBe(text);
});

const SECOND = 1000;
const MINUTE = 60 * SECOND;
const HOUR = 60 * MINUTE;
const DAY = 24 * HOUR;

test.each([
  ["this moment", 0, "just now"],
  ["seconds since", -29 * SECOND, "just now"],
  ["seconds to come", 29 * SECOND, "in a moment"],
  ["half a minute", 30 * SECOND, "in 1 minute"],
  ["most of an hour", -59.4 * MINUTE, "59 minutes ago"],
  ["nearly an hour", -59.6 * MINUTE, "1 hour ago"],
  ["a day and a half", 36 * HOUR, "in 36 hours"],
  ["nearly two days", 47.6 * HOUR, "in 2 days"],
  ["as long as an unclaimed drive has", 30 * DAY, "in 30 days"],
  ["the same, looked at a little later", 30 * DAY - MINUTE, "in 30 days"],
  ["the same, half a day later", 29.4 * DAY, "in 29 days"],
  ["two months, nearly", -59.4 * DAY, "59 days ago"],
  ["two months", -60 * DAY, "2 months ago"],
  ["two years, nearly", -700 * DAY, "23 months ago"],
  ["three years", 3 * 365.25 * DAY, "in 3 years"],
])("%s is said in the unit that fits", (_, distance, text) => {
  const now = Date.UTC(2030, 0, 1);
  expect(formatRelative(new Date(now + distance).toISOString(), now)).toBe(text);
});

test("all is written as the language that is shown does", () => {
  const soon = new Date(Date.UTC(2030, 0, 4)).toISOString();
  const written = () => [
    formatBytes(4.2 * MIB),
    formatNumber(2000),
    formatList(["a", "b", "c"]),
    formatRelative(soon, Date.UTC(2030, 0, 1)),
    formatDay("2030-01-04T12:00:00.000Z"),
  ];
  showCatalogue("en", {}, "en-US");
  expect(written()).toEqual(["4.2 MiB", "2,000", "a, b, and c", "in 3 days", "Jan 4, 2030"]);
  showCatalogue("de", {});
  expect(written()).toEqual(["4,2 MiB", "2.000", "a, b und c", "in 3 Tagen", "04.01.2030"]);
  showCatalogue("fr", { "{size} MiB": "{size} Mio" }, "fr-CA");
  expect(written()).toEqual(["4,2 Mio", "2\u00a0000", "a, b et c", "dans 3 jours", "4 janv. 2030"]);
  showCatalogue("ja", {});
  expect(written()).toEqual(["4.2 MiB", "2,000", "a、b、c", "3 日後", "2030/01/04"]);
  showCatalogue("zh-Hans", {});
  expect(written()).toEqual(["4.2 MiB", "2,000", "a、b、c", "3天后", "2030年1月4日"]);
});

test("between two sentences is what their language puts there", () => {
  const spaces = LANGUAGES.map((language) => {
    showCatalogue(language, {});
    return [language, sentenceSpace()];
  });
  expect(spaces.filter(([, space]) => space === "").map(([language]) => language)).toEqual(["ja", "zh-Hans"]);
  expect(new Set(spaces.map(([, space]) => space))).toEqual(new Set([" ", ""]));
});
