import { computed } from "@preact/signals-core";
import { mark, plural, shownLanguage, shownLocale, t } from "./text.ts";

/** What writes numbers and times in the language that is shown: made once for each, since it takes long. */
const writers = computed(() => {
  const locale = shownLocale();
  // The browser's own way may be that of another language: these give words, which stand in sentences.
  const language = locale ?? shownLanguage();
  return {
    numbers: new Intl.NumberFormat(locale),
    sizes: new Intl.NumberFormat(locale, { maximumFractionDigits: 0, useGrouping: false }),
    tenths: new Intl.NumberFormat(locale, { minimumFractionDigits: 1, maximumFractionDigits: 1 }),
    distances: new Intl.RelativeTimeFormat(language),
    // What Chinese puts before the last thing joins nouns alone, and some lists are of what was done.
    lists: new Intl.ListFormat(language, { style: language === "zh-Hans" ? "narrow" : "long" }),
    times: new Intl.DateTimeFormat(locale, { dateStyle: "medium", timeStyle: "short" }),
    days: new Intl.DateTimeFormat(locale, { dateStyle: "medium" }),
    utcDays: new Intl.DateTimeFormat(locale, { timeZone: "UTC", day: "numeric", month: "short" }),
    hours: new Intl.DateTimeFormat(locale, { timeStyle: "short" }),
    moments: new Intl.DateTimeFormat(locale, { dateStyle: "medium", timeStyle: "long" }),
  };
});

const SIZES = [mark("{size} KiB"), mark("{size} MiB"), mark("{size} GiB"), mark("{size} TiB")] as const;

/** A size for people: `4.2 MiB`. */
export function formatBytes(bytes: number): string {
  const { sizes, tenths } = writers.value;
  if (bytes < 1024) return plural(bytes, "{size} byte", "{size} bytes", { size: sizes.format(bytes) });
  let value = bytes / 1024;
  let unit = 0;
  // Compared as it will be shown: 1023.96 KiB is 1.0 MiB, not 1024 KiB.
  while (Math.round(value) >= 1024 && unit < SIZES.length - 1) {
    value /= 1024;
    unit += 1;
  }
  return t(SIZES[unit] ?? SIZES[0], { size: (value < 9.95 ? tenths : sizes).format(value) });
}

/** A number that stands alone: `2,000`. In a text, `t()` and `plural()` write it so. */
export function formatNumber(number: number): string {
  return writers.value.numbers.format(number);
}

/** Several things in a sentence: `a, b, and c`. */
export function formatList(parts: readonly string[]): string {
  return writers.value.lists.format(parts);
}

/** What stands between two sentences, or a sentence and a link: nothing in Chinese and Japanese. */
export function sentenceSpace(): string {
  return ["ja", "zh-Hans"].includes(shownLanguage()) ? "" : " ";
}

const MINUTE_MS = 60_000;
const HOUR_MS = 60 * MINUTE_MS;
const DAY_MS = 24 * HOUR_MS;
const YEAR_MS = 365.25 * DAY_MS;

/** Units of time, smallest first. A distance is given in the first unit of which it has fewer than `below`. */
const STEPS = [
  { unit: "minute", length: MINUTE_MS, below: 60 },
  { unit: "hour", length: HOUR_MS, below: 48 },
  { unit: "day", length: DAY_MS, below: 60 },
  { unit: "month", length: YEAR_MS / 12, below: 24 },
  { unit: "year", length: YEAR_MS, below: Infinity },
] as const;

/**
 * A time as people say it: `3 days ago`, `in 30 days`. The units are small, so that rounding is never far off: a day
 * and a half is `in 36 hours`, and 30 days are not a month.
 */
export function formatRelative(iso: string, now: number = Date.now()): string {
  const distance = Date.parse(iso) - now;
  if (Math.abs(distance) < MINUTE_MS / 2) return distance > 0 ? t("in a moment") : t("just now");
  for (const { unit, length, below } of STEPS) {
    const count = Math.round(Math.abs(distance) / length);
    if (count < below) return writers.value.distances.format(distance < 0 ? -count : count, unit);
  }
  throw new RangeError(`no time: ${iso}`);
}

/** A time in full, in the reader's zone. */
export function formatTime(iso: string): string {
  return writers.value.times.format(new Date(iso));
}

/** A time to the second, with the reader's zone. */
export function formatMoment(iso: string): string {
  return writers.value.moments.format(new Date(iso));
}

/** A date such as `2030-01-31` as a day of its year, wherever the reader is. */
export function formatUtcDay(date: string): string {
  return writers.value.utcDays.format(new Date(date));
}

/** The day of a time, in the reader's zone. */
export function formatDay(iso: string): string {
  return writers.value.days.format(new Date(iso));
}

/** The time of the day of a time, in the reader's zone. */
export function formatHour(iso: string): string {
  return writers.value.hours.format(new Date(iso));
}
