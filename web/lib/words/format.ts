const UNITS = ["bytes", "KiB", "MiB", "GiB", "TiB"];

/** A size for people: `4.2 MiB`. */
export function formatBytes(bytes: number): string {
  if (bytes < 1024) return bytes === 1 ? "1 byte" : `${bytes} bytes`;
  let value = bytes;
  let unit = 0;
  // Compared as it will be shown: 1023.96 KiB is 1.0 MiB, not 1024 KiB.
  while (Math.round(value) >= 1024 && unit < UNITS.length - 1) {
    value /= 1024;
    unit += 1;
  }
  return `${value.toFixed(value < 9.95 ? 1 : 0)} ${UNITS[unit] ?? ""}`;
}

/** How many there are of something: `1 file`, `2,000 files`. */
export function formatCount(count: number, noun: string): string {
  return `${count.toLocaleString()} ${noun}${count === 1 ? "" : "s"}`;
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

/** In English, like the sentences that these words are part of. */
const WORDS = new Intl.RelativeTimeFormat("en");

/**
 * A time as people say it: `3 days ago`, `in 30 days`. The units are small, so that rounding is never far off: a day
 * and a half is `in 36 hours`, and 30 days are not a month.
 */
export function formatRelative(iso: string, now: number = Date.now()): string {
  const distance = Date.parse(iso) - now;
  if (Math.abs(distance) < MINUTE_MS / 2) return distance > 0 ? "in a moment" : "just now";
  for (const { unit, length, below } of STEPS) {
    const count = Math.round(Math.abs(distance) / length);
    if (count < below) return WORDS.format(distance < 0 ? -count : count, unit);
  }
  throw new RangeError(`no time: ${iso}`);
}

/** A time in full, in the reader's zone. */
export function formatTime(iso: string): string {
  return new Date(iso).toLocaleString(undefined, { dateStyle: "medium", timeStyle: "short" });
}

/** The day of a time, in the reader's zone. */
export function formatDay(iso: string): string {
  return new Date(iso).toLocaleDateString(undefined, { dateStyle: "medium" });
}
